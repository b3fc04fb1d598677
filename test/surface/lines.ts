/** Longer objects take one line a member. */
const LINE_LENGTH_MAX = 100

/** `{ a: string; b?: number }`, on one line if it is short. Members come sorted, so that their order in a source file doesn't matter. */
export function objectText(members: readonly string[]): string {
  const sorted = members.toSorted(byText)
  const short = `{ ${sorted.join('; ')} }`
  if (sorted.length === 0) return '{}'
  if (short.length <= LINE_LENGTH_MAX && !short.includes('\n')) return short
  return `{\n${sorted.map((member) => indent(member)).join('\n')}\n}`
}

/** `a | b`, sorted, each once. */
export function unionText(parts: readonly string[], sign = '|'): string {
  const sorted = [...new Set(parts)].toSorted(byText)
  const short = sorted.join(` ${sign} `)
  if (short.length <= LINE_LENGTH_MAX && !short.includes('\n')) return short
  return sorted.map((part) => `\n${indent(`${sign} ${part}`)}`).join('')
}

/** A name, quoted if it is more than a word. The compiler numbers symbols such as `Symbol.asyncDispose`. */
export function nameText(name: string): string {
  const symbol = /^__@(\w+)@\d+$/.exec(name)?.[1]
  if (symbol !== undefined) return `[Symbol.${symbol}]`
  return /^[\w$]+$/.test(name) ? name : `'${name}'`
}

export function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
