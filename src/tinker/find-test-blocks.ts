import type { Failure } from '../core/failure.ts'
import type { Code } from './code.ts'
import { lineFinder } from './line-finder.ts'

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

/** Tests that stand in a source file are not edited either. */
export function testLines(code: Code): (line: number) => boolean {
  const blocks = findTestBlocks(code)
  const marker = /#\[cfg\(test\)\]|import\.meta\.vitest/.exec(code.text)
  const lastLine = marker ? lineFinder(code.text)(marker.index) : Number.POSITIVE_INFINITY
  return (line) => line >= lastLine || blocks.some((block) => block.firstLine <= line && line <= block.lastLine)
}

/** The block of a test that fails: by the longest name that is part of its id, otherwise by line where the report gives it. */
export function blockOf(blocks: readonly TestBlock[], { id, file, line }: Failure, folder: string): TestBlock | undefined {
  const inFile = blocks.filter(({ path }) => file === undefined || isSameFile(file, path, folder))
  const candidates = inFile.length > 0 ? inFile : blocks
  const byName = candidates.filter(({ name }) => id.includes(name)).toSorted((a, b) => b.name.length - a.name.length)
  const byLine = candidates.findLast(({ firstLine, lastLine }) => line !== undefined && firstLine <= line && line <= lastLine)
  return byName[0] ?? (inFile.length > 0 ? byLine : undefined)
}

function isSameFile(file: string, path: string, folder: string): boolean {
  return file === path || file.replace('file://', '') === `${folder}/${path}` || file.endsWith(`/${path}`)
}
