import { options } from 'preact'

// What terminals take for colours, and characters that can't be seen. Written out, since a linter objects to them in a pattern.
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g')
const UNSEEN = /[\p{Cc}\p{Cf}]/gu

/** Makes what can't be seen visible, such as control characters and marks of direction. */
function visible(text: string): string {
  return text.replaceAll(ESCAPES, '').replaceAll(UNSEEN, (char) => {
    const code = char.codePointAt(0) ?? 0
    if (char === '\n' || char === '\t' || code === SOFT_HYPHEN || code === JOINER) return char
    if (char === '\r') return ''
    return code < 32 ? String.fromCodePoint(0x24_00 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

const SOFT_HYPHEN = 0xad
/** Holds emoji together. */
const JOINER = 0x20_0d

/** Attributes that people read or hear. */
const READ = ['title', 'aria-label', 'placeholder', 'alt'] as const

const before = options.vnode

/**
 * Whatever the page draws passes here, so that no view has to remember that a name of a test or a file is an agent's text: a text with
 * characters that can't be seen, or that turn the direction of writing, shows them.
 */
options.vnode = (vnode) => {
  const node = vnode as { readonly type: unknown; props: unknown }
  // A text has no type, and itself in the place of its properties.
  if (typeof node.type !== 'string' && typeof node.props === 'string') node.props = visible(node.props)
  else if (typeof node.type === 'string') {
    const props = node.props as Record<string, unknown>
    if (typeof props['children'] === 'string') props['children'] = visible(props['children'])
    for (const name of READ) if (typeof props[name] === 'string') props[name] = visible(props[name])
  }
  before?.(vnode)
}
