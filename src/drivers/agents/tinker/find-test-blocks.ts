import type { Code } from './code.ts'

/** One test in a test file: its title or function name, and its lines. */
export interface TestBlock {
  readonly path: string
  readonly name: string
  readonly firstLine: number
  readonly lastLine: number
  /** Names that stand in it. */
  readonly names: ReadonlySet<string>
}

/** Finds `test('…', …)`, `it('…', …)` and functions whose name begins with `test`. */
export function findTestBlocks(code: Code): TestBlock[] {
  const { tokens, pairs, functions, path } = code
  const blocks: TestBlock[] = []
  const add = (name: string, from: number, to: number) => {
    const names = new Set(tokens.slice(from, to + 1).flatMap(({ kind, text }) => (kind === 'word' ? [text] : [])))
    blocks.push({ path, name, firstLine: tokens[from]!.line, lastLine: tokens[to]!.line, names })
  }
  for (const [index, token] of tokens.entries()) {
    if (token.text === '(' && isTestCall(code, index) && pairs[index]! > 0) {
      const title = tokens[index + 1]!
      if (title.kind === 'string' || title.kind === 'template') add(title.text.slice(1, -1), index - 1, pairs[index]!)
    }
  }
  for (const { name, nameIndex, endIndex } of functions)
    if (/^test|^Test/.test(name) && name.length > 4) add(name, nameIndex, endIndex)
  return blocks
}

/** The call before a bracket is `test`, `it`, or one of them with a suffix (`it.only`, `test.each(…)`). */
function isTestCall({ tokens, pairs }: Code, opening: number): boolean {
  let index = opening - 1
  if (tokens[index]?.text === ')' && pairs[index]! > 0) index = pairs[index]! - 1
  while (tokens[index - 1]?.text === '.') index -= 2
  return tokens[index]?.text === 'test' || tokens[index]?.text === 'it'
}
