import type { DiffFile, DiffHunk, DiffLine } from './diff-files.ts'
import type { TestLanguage } from './test-language.ts'

/** A line of one side of a hunk, with the test it belongs to. */
export interface TestLine extends DiffLine {
  /** The test's title. Starts with `?` where the heading is out of sight, with `#` within a function that is no test. */
  readonly test: string
  readonly part: 'heading' | 'suite' | 'above' | 'body' | 'comment'
  /** Set on the heading of a table of cases. */
  readonly isTable?: true
}

/** The file as far as it is seen, before and after, hunk by hunk. */
export interface TestFile {
  readonly file: DiffFile
  readonly language: TestLanguage
  readonly before: readonly (readonly TestLine[])[]
  readonly after: readonly (readonly TestLine[])[]
}

/** Sorts the lines of a diff of a test file by test. */
export function testFile(file: DiffFile, language: TestLanguage): TestFile {
  const side = (left: '-' | '+') => file.hunks.map((hunk, index) => testLines(hunk, left, language, `?${index}`))
  return { file, language, before: side('-'), after: side('+') }
}

/** Whether a title stands for a test case that was seen. */
export function isTitle(test: string): boolean {
  return !test.startsWith('?') && !test.startsWith('#')
}

function testLines({ lines }: DiffHunk, left: '-' | '+', language: TestLanguage, unknown: string): TestLine[] {
  const side = lines.filter((line) => line.sign === ' ' || line.sign === left)
  const found: TestLine[] = []
  let current = { test: unknown, indent: 0 }
  for (const [index, line] of side.entries()) {
    if (language.comment.test(line.text) && !isAbove(line.text, language)) {
      found.push({ ...line, test: current.test, part: 'comment' })
      continue
    }
    const title = titleAt(side, index, language)
    const indent = indentOf(line.text)
    if (title !== undefined) {
      current = { test: title, indent }
      found.push({ ...line, test: title, part: 'heading', ...(isTable(side, index) ? { isTable: true } : {}) })
    } else if (language.suite.test(line.text)) {
      current = { test: unknown, indent: 0 }
      found.push({ ...line, test: unknown, part: 'suite' })
    } else if (isAbove(line.text, language)) {
      found.push({ ...line, test: headingBelow(side, index, language) ?? unknown, part: 'above' })
    } else {
      // Where the heading is out of sight, only what stands on the outermost level is sure to be outside of the test.
      const endsTest = language.routine.test(line.text) && indent <= (isTitle(current.test) ? current.indent : 0)
      if (endsTest) current = { test: `#${line.text.trim()}`, indent }
      found.push({ ...line, test: current.test, part: 'body' })
    }
  }
  return found
}

/** The title, where a test case begins on this line; it may stand on the next one. */
function titleAt(side: readonly DiffLine[], index: number, language: TestLanguage): string | undefined {
  const text = side[index]?.text ?? ''
  const whole = /\(\s*$/.test(text) ? `${text.trimEnd()}${side[index + 1]?.text.trim() ?? ''}` : text
  for (const pattern of language.cases) {
    const title = pattern
      .exec(whole)
      ?.slice(1)
      .find((group) => group !== undefined)
    if (title !== undefined && hasAttribute(side, index, language)) return title
  }
  return undefined
}

/** How far above a heading its attributes are looked for. */
const LINES_ABOVE_MAX = 6

function hasAttribute(side: readonly DiffLine[], index: number, { attribute, comment }: TestLanguage): boolean {
  if (!attribute || attribute.test(side[index]?.text ?? '')) return true
  for (let above = index - 1; above >= Math.max(0, index - LINES_ABOVE_MAX); above -= 1) {
    const text = side[above]?.text ?? ''
    if (attribute.test(text)) return true
    if (!/^\s*[@[#]/.test(text) && !comment.test(text)) return false
  }
  return false
}

function isAbove(text: string, { skip, attribute }: TestLanguage): boolean {
  return skip.above?.test(text) === true || attribute?.test(text) === true
}

function headingBelow(side: readonly DiffLine[], index: number, language: TestLanguage): string | undefined {
  for (let below = index + 1; below < side.length; below += 1) {
    const title = titleAt(side, below, language)
    if (title !== undefined) return title
    const text = side[below]?.text ?? ''
    if (language.suite.test(text) || language.routine.test(text)) return undefined
  }
  return undefined
}

function isTable(side: readonly DiffLine[], index: number): boolean {
  const text = side[index]?.text ?? ''
  if (/^\s*[\]`]|\.each\b/.test(text)) return true
  return side
    .slice(Math.max(0, index - LINES_ABOVE_MAX), index)
    .some((line) => /parametrize|ParameterizedTest|\[Theory|rstest/.test(line.text))
}

/** Tabs count as one step of four. */
export function indentOf(text: string): number {
  return /^\s*/.exec(text)?.[0].replaceAll('\t', '    ').length ?? 0
}
