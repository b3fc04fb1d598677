/** A text without the escapes of JSON and of code, and where each of its characters stood. */
export interface PlainView {
  readonly text: string
  /** The place in the text it was made from. */
  readonly at: (index: number) => number
}

/**
 * The text as it reads without escapes: `\n` ends a line, `\"` is a quotation mark, however deep JSON stands in JSON. In the escaped
 * form the letter of `\n` stands right before what begins the next line, and a token there has no beginning that a rule would see.
 * `undefined` where there are none.
 */
export function withoutEscapes(escaped: string): PlainView | undefined {
  const pieces: string[] = []
  /** Where a piece begins in the plain text, and where that was. */
  const starts: (readonly [plain: number, escaped: number])[] = [[0, 0]]
  let [done, length] = [0, 0]
  for (const { 0: escape, 1: letter = '', index } of escaped.matchAll(ESCAPE)) {
    const replaced = QUOTES.has(letter) ? letter : '\n'
    pieces.push(escaped.slice(done, index), replaced)
    length += index - done + replaced.length
    done = index + escape.length
    starts.push([length, done])
  }
  if (pieces.length === 0) return undefined
  const text = pieces.join('') + escaped.slice(done)
  return { text, at: (index) => placeOf(starts, index) }
}

const ESCAPE = /\\+(u00[01][0-9a-f]|[nrtbf"'`/])/gi
const QUOTES = new Set(['"', "'", '`', '/'])

function placeOf(starts: readonly (readonly [number, number])[], index: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle]?.[0] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  const [plain = 0, escaped = 0] = starts[low] ?? []
  return escaped + index - plain
}
