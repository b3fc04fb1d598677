import { useSignal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'

/** How many rows are drawn beyond what is in sight, so that scrolling shows no empty place. */
const BEYOND = 12

/** A list as short as this is drawn whole: it can be printed and searched. */
const ALL_MAX = 60

/**
 * A list of any length of which only what is in sight is drawn. Rows are equally high. It scrolls with the page, or inside `scroller`.
 */
export function VirtualList({
  count,
  rowHeight,
  row,
  scroller,
  label,
}: {
  readonly count: number
  readonly rowHeight: number
  readonly row: (index: number) => JSX.Element
  readonly scroller?: RefObject<HTMLElement | null>
  readonly label?: string
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const range = useSignal<readonly [number, number]>([0, Math.min(count, ALL_MAX)])

  const measure = (): void => {
    const element = box.current
    if (!element || count <= ALL_MAX) return
    const outer = scroller?.current?.getBoundingClientRect()
    const top = (outer?.top ?? 0) - element.getBoundingClientRect().top
    const height = outer?.height ?? innerHeight
    const from = Math.max(0, Math.floor(top / rowHeight) - BEYOND)
    const to = Math.min(count, Math.ceil((top + height) / rowHeight) + BEYOND)
    if (from !== range.value[0] || to !== range.value[1]) range.value = [from, Math.max(from, to)]
  }
  useEffect(() => {
    const target = scroller?.current ?? window
    target.addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      target.removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [count, rowHeight])
  useLayoutEffect(measure, [count, rowHeight])

  const [from, to] = count <= ALL_MAX ? [0, count] : range.value
  const rows: JSX.Element[] = []
  for (let index = from; index < Math.min(to, count); index++) rows.push(row(index))
  return (
    <div ref={box} style={{ height: `${count * rowHeight}px`, position: 'relative' }} role="list" aria-label={label}>
      <div style={{ position: 'absolute', top: `${from * rowHeight}px`, left: 0, right: 0 }} role="presentation">
        {rows}
      </div>
    </div>
  )
}
