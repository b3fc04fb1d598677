/**
 * A TAP text without the YAML blocks under test points that passed: they say how long a test took, and reading them is most of
 * what reading TAP costs. A block before a buffered subtest stays, for the parser knows such a subtest by it.
 */
export function tapPruned(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = 0; at < text.length;) {
    const end = lineEnd(text, at)
    const indent = indentOf(text, at)
    const after = text.startsWith('ok ', at + indent) ? blockEnd(text, end, indent) : undefined
    if (after !== undefined) {
      kept.push(text.slice(from, end))
      from = after
    }
    at = after ?? end
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from)
}

/** Where the block ends that begins at `at`; `undefined` where there is none that may go. Only short ones are looked for. */
function blockEnd(text: string, at: number, outerIndent: number): number | undefined {
  const indent = indentOf(text, at)
  if (indent <= outerIndent || !text.startsWith('---\n', at + indent)) return undefined
  let next = lineEnd(text, at)
  for (let lines = 0; lines < LINES_MAX && next < text.length; lines += 1) {
    const lineIndent = indentOf(text, next)
    if (lineIndent < indent) return undefined
    const end = lineEnd(text, next)
    if (lineIndent === indent && text.startsWith('...\n', next + indent)) {
      return text.startsWith('{', end + outerIndent) ? undefined : end
    }
    next = end
  }
  return undefined
}

const LINES_MAX = 50

function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

function indentOf(text: string, at: number): number {
  let end = at
  while (text.charCodeAt(end) === 32) end += 1
  return end - at
}
