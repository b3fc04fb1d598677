import { stripVTControlCharacters } from 'node:util'

/**
 * An output as plain lines: without colours, byte order marks and the remains of UTF-16 that was read as UTF-8, with `\n` as line end.
 */
export function plainText(output: string): string {
  let text = output
  if (text.includes('\0')) text = text.replaceAll('\0', '')
  if (text.startsWith('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\u001B') || text.includes('\u009B')) text = stripVTControlCharacters(text)
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}

/** The lines of a text one by one, so that memory never holds a long text twice. Yields only the first `charactersMax` of a line. */
export function* linesOf(text: string, charactersMax = 4000): Generator<string> {
  for (let from = 0; from <= text.length;) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    yield text.slice(from, Math.min(end, from + charactersMax))
    from = end + 1
  }
}

/** A heading and the lines under it. */
export interface TextBlock {
  readonly heading: string
  readonly text: string
}

/**
 * Splits a text into blocks that begin with a line matching `heading` (its first group is the heading) and end before the next heading
 * or a line matching `end`. Leaves out everything before the first heading.
 */
export function textBlocks(text: string, heading: RegExp, end?: RegExp): readonly TextBlock[] {
  const blocks: TextBlock[] = []
  let open: { readonly heading: string; readonly from: number } | undefined
  const close = (at: number) => {
    if (open !== undefined) blocks.push({ heading: open.heading, text: text.slice(open.from, Math.max(open.from, at - 1)) })
    open = undefined
  }
  for (let from = 0; from <= text.length;) {
    const newline = text.indexOf('\n', from)
    const lineEnd = newline < 0 ? text.length : newline
    const line = text.slice(from, lineEnd)
    const found = heading.exec(line)?.[1]
    if (found !== undefined || end?.test(line)) close(from)
    if (found !== undefined) open = { heading: found.trim(), from: lineEnd + 1 }
    from = lineEnd + 1
  }
  close(text.length + 1)
  return blocks
}

/** The texts by heading; the first text if a heading occurs twice. */
export function textsByHeading(blocks: readonly TextBlock[]): ReadonlyMap<string, string> {
  return new Map(blocks.toReversed().map((block) => [block.heading, block.text]))
}

/** Whether the middle of an output was cut: then lists and plans in it may be incomplete. */
export function isCut(output: string): boolean {
  return /^\[… [\d,]+ bytes cut …\]$/m.test(output)
}

/** The sum of the numbers before `word`: `count('3 failed, 2 passed', 'failed')` is 3. */
export function count(text: string, word: string): number {
  return sum([...text.matchAll(new RegExp(`\\b(\\d{1,9}) ${word}\\b`, 'g'))].map((match) => match[1]))
}

/** The sum of numbers written as text; absent ones are 0. */
export function sum(numbers: readonly (string | undefined)[]): number {
  return numbers.reduce((total, each) => total + Number(each ?? 0), 0)
}

/** Lines without their common indent, up to 80 characters. */
export function withoutIndent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const common = Math.min(...indents, 80)
  return lines.map((line) => line.slice(common))
}
