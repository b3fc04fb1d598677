import { useEffect } from 'preact/hooks'

/** What keys do in a view: key to deed. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const layers: Keys[] = []

addEventListener('keydown', (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return
  const target = event.target as HTMLElement | null
  const isTyping = target?.matches('input, textarea, select, [contenteditable]') ?? false
  if (isTyping && event.key !== 'Escape') return
  if (event.key === 'Enter' && target?.matches('a, button, summary')) return
  const deed = layers.findLast((keys) => event.key in keys)?.[event.key]
  if (!deed || (document.querySelector('dialog[open]') && event.key !== 'Escape')) return
  deed(event)
})

/** Keys of a view, as long as it is there. Those of the view inside come first. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    layers.push(keys)
    return () => void layers.splice(layers.indexOf(keys), 1)
  })
}
