import type { DiffFile, DiffHunk, DiffLine } from '../../core/measures/diff-files.ts'
import type { Suspicion, SuspicionKind } from '../../core/suspicion.ts'
import { shortened } from '../../core/wording.ts'

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

/** How the tests of a language are written. All patterns look at one line. */
export interface TestLanguage {
  /** The heading of a test case; the first group that is there is its title. */
  readonly cases: readonly RegExp[]
  /** A line that must stand above the heading for it to be a test. */
  readonly attribute?: RegExp
  /** The heading of a group of tests. */
  readonly suite: RegExp
  /** What switches a test off: on its heading, on a line above it, or on a line within it. */
  readonly skip: { readonly heading?: RegExp; readonly above?: RegExp; readonly within?: RegExp }
  /** What switches all other tests off. */
  readonly focus?: RegExp
  /** Any function: where one begins that is no test, the test before it has ended. */
  readonly routine: RegExp
  readonly comment: RegExp
}

/** The language of a path, where its tests can be read. */
export function testLanguage(path: string): TestLanguage | undefined {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return LANGUAGES.find(([extensions]) => extensions.includes(extension))?.[1]
}

const SLASHES = /^\s*(?:\/\/|\/\*|\*)/
const HASH = /^\s*#/

const SCRIPT_WORDS = '(?:it|test|specify|Deno\\.test|xit|xtest|fit|ftest)'
const SUITE_WORDS = '(?:describe|suite|context|xdescribe|fdescribe|xcontext|fcontext)'
const MODIFIERS = '(?:\\.\\w+(?:\\((?:[^()]|\\([^()]*\\))*\\))?)*'
const QUOTED = '(?:\'((?:[^\'\\\\]|\\\\.)*)\'|"((?:[^"\\\\]|\\\\.)*)"|`((?:[^`\\\\]|\\\\.)*)`)'

const script: TestLanguage = {
  cases: [
    new RegExp(`^\\s*(?:await\\s+|void\\s+)?(?:t\\.test|${SCRIPT_WORDS})${MODIFIERS}\\(\\s*${QUOTED}`),
    // The last line of a table of cases: `])('adds %i', …`.
    new RegExp(`^\\s*[\\]\`](?:\\s*as const)?,?\\s*\\)\\(\\s*${QUOTED}`),
  ],
  suite: new RegExp(`^\\s*(?:test\\.)?${SUITE_WORDS}${MODIFIERS}\\(`),
  skip: {
    heading: new RegExp(
      `^\\s*(?:await\\s+|void\\s+)?(?:x(?:it|test|describe|context)\\b|(?:test\\.)?(?:${SCRIPT_WORDS}|${SUITE_WORDS}|t\\.test)(?:\\.\\w+)*\\.(?:skip|skipIf|runIf|todo|fixme|ignore|fails|failing)\\b|(?:${SCRIPT_WORDS})\\(.*\\{[^}]*\\b(?:skip|todo|ignore):\\s*(?:true|['"\`]))`,
    ),
    within: /^\s*(?:(?:test|it|t|this|ctx|context)\.(?:skip|fixme|todo)\(|(?:return\s+)?pending\()/,
  },
  focus: new RegExp(
    `^\\s*(?:await\\s+|void\\s+)?(?:f(?:it|test|describe|context)\\(|(?:test\\.)?(?:${SCRIPT_WORDS}|${SUITE_WORDS})(?:\\.\\w+)*\\.only\\b)`,
  ),
  routine:
    /^\s*(?:export\s+)?(?:async\s+)?(?:function\b|class\b|(?:const|let)\s+\w+\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|\w+\s*=>))/,
  comment: SLASHES,
}

const python: TestLanguage = {
  cases: [/^\s*(?:async\s+)?def\s+(test\w*)\s*\(/],
  suite: /^\s*class\s+(?:Test\w*|\w+Tests?|\w+TestCase)\b/,
  skip: {
    above: /^\s*@(?:pytest\.mark\.(?:skip|skipif|xfail)|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure))\b/,
    within:
      /^\s*(?:(?:return\s+)?self\.skipTest\(|(?:\w+\s*=\s*)?pytest\.(?:skip|xfail|importorskip)\(|raise\s+(?:unittest\.)?SkipTest|pytestmark\s*=.*\b(?:skip|xfail))/,
  },
  routine: /^\s*(?:async\s+)?(?:def|class)\s/,
  comment: HASH,
}

const go: TestLanguage = {
  cases: [/^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/, /^\s*t\.Run\(\s*"([^"]*)"/, /^\s*(?:[FXP]?(?:It|Specify))\(\s*"([^"]*)"/],
  suite: /^\s*[FXP]?(?:Describe|Context|When)\(/,
  skip: { heading: /^\s*[XP](?:It|Specify|Describe|Context|When)\(/, within: /^\s*(?:\w+\.Skip(?:f|Now)?|Skip)\(/ },
  focus: /^\s*F(?:It|Specify|Describe|Context|When)\(/,
  routine: /^func\b/,
  comment: SLASHES,
}

const rust: TestLanguage = {
  cases: [/^\s*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/],
  attribute: /^\s*#\[(?:\w+::)*(?:test|rstest|test_case|proptest)\b/,
  suite: /^\s*(?:pub\s+)?mod\s/,
  skip: { above: /^\s*#\[(?:ignore\b|cfg_attr\(.*\bignore\b)/ },
  routine: /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:fn|impl|struct|enum|trait)\b/,
  comment: SLASHES,
}

const ruby: TestLanguage = {
  cases: [/^\s*[xf]?(?:it|specify|scenario|example|test|should)\b\s*\(?\s*(?:'([^']*)'|"([^"]*)")/, /^\s*def\s+(test_\w+)/],
  suite: /^\s*(?:RSpec\.)?[xf]?(?:describe|context|feature)\b/,
  skip: {
    heading:
      /^\s*(?:RSpec\.)?(?:x(?:it|specify|scenario|example|describe|context|feature)\b|[a-z]+\b.*[,(]\s*(?:skip:|pending:|:skip\b|:pending\b))/,
    within: /^\s*(?:skip|pending)(?:[\s(]|$)/,
  },
  focus:
    /^\s*(?:RSpec\.)?(?:f(?:it|specify|scenario|example|describe|context|feature)\b|(?:it|describe|context)\b.*[,(]\s*(?:focus:\s*true|:focus\b))/,
  routine: /^\s*def\s/,
  comment: HASH,
}

const java: TestLanguage = {
  cases: [
    /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|open|suspend|final|static)\s+)*(?:fun|void|def|func|\w+(?:<[^>]*>)?)\s+(?:`([^`]+)`|(\w+))\s*\(/,
  ],
  attribute: /^\s*@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|Property)\b/,
  suite: /^\s*(?:@\w+\s+)*(?:(?:public|final|abstract|internal|open)\s+)*(?:class|object)\s/,
  skip: { above: /^\s*@(?:Disabled|Ignore)\w*/, within: /^\s*(?:Assumptions?\.)?assumeTrue\(\s*false/ },
  routine: /^\s*(?:(?:public|private|protected|internal|static|final)\s+)+[\w<>[\], ]+\(|^\s*fun\s/,
  comment: SLASHES,
}

const sharp: TestLanguage = {
  cases: [
    /^\s*(?:\[[^\]]*\]\s*)*(?:(?:public|private|protected|internal|static|async|virtual|override)\s+)+[\w<>]+\s+(\w+)\s*\(/,
  ],
  attribute: /^\s*\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|Property)\b/,
  suite: /^\s*(?:(?:public|internal|sealed|abstract|static)\s+)*class\s/,
  skip: {
    above: /^\s*\[(?:Ignore|Explicit)\b|^\s*\[(?:Fact|Theory)\([^)]*\bSkip\s*=/,
    within: /^\s*(?:Assert\.(?:Ignore|Inconclusive)|Skip\.If)\(/,
  },
  routine: /^\s*(?:(?:public|private|protected|internal|static|async)\s+)+[\w<>[\], ]+\(/,
  comment: SLASHES,
}

const php: TestLanguage = {
  cases: [/^\s*(?:public\s+)?function\s+(test\w*)\s*\(/, new RegExp(`^\\s*(?:it|test)\\(\\s*${QUOTED}`)],
  suite: /^\s*(?:final\s+)?class\s|^\s*describe\(/,
  skip: {
    heading: /^\s*(?:it|test|describe)\(.*->(?:skip|todo)\(/,
    within: /^\s*(?:\$this->|self::)markTest(?:Skipped|Incomplete)\(|^\s*\}\)->(?:skip|todo)\(/,
  },
  focus: /->only\(\)/,
  routine: /^\s*(?:(?:public|private|protected|static)\s+)*function\b/,
  comment: /^\s*(?:\/\/|\/\*|\*|#(?!\[))/,
}

const perl: TestLanguage = {
  cases: [/^\s*subtest\s*\(?\s*(?:'([^']*)'|"([^"]*)")/],
  suite: /^package\s/,
  skip: { within: /^\s*(?:plan\s*\(?\s*['"]?skip_all|skip\s*[("']|todo_skip\b|local\s+\$TODO)/ },
  routine: /^\s*sub\s/,
  comment: HASH,
}

const elixir: TestLanguage = {
  cases: [/^\s*(?:test|property)\s+"([^"]*)"/],
  suite: /^\s*(?:describe\s+"|defmodule\s)/,
  skip: { above: /^\s*@(?:module)?tag\s+:?skip\b/ },
  focus: /^\s*@tag\s+:(?:focus|only)\b/,
  routine: /^\s*defp?\s/,
  comment: HASH,
}

const shell: TestLanguage = {
  cases: [/^\s*@test\s+(?:'([^']*)'|"([^"]*)")/],
  suite: /^$(?!)/,
  skip: { within: /^\s*skip(?:\s|$)/ },
  routine: /^\s*\w+\s*\(\)\s*\{/,
  comment: HASH,
}

const swift: TestLanguage = {
  cases: [/^\s*(?:@Test(?:\([^)]*\))?\s+)?func\s+(test\w*)\s*\(/],
  suite: /^\s*(?:final\s+)?class\s/,
  skip: { within: /^\s*(?:try\s+)?(?:XCTSkip|throw\s+XCTSkip)/ },
  routine: /^\s*(?:(?:private|public|static|override)\s+)*func\b/,
  comment: SLASHES,
}

const native: TestLanguage = {
  cases: [/^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*([^)]+)\)/, /^\s*(?:TEST_CASE|SCENARIO)\(\s*"([^"]*)"/],
  suite: /^\s*(?:namespace|class|struct)\s/,
  skip: { heading: /^\s*TEST(?:_F|_P)?\([^)]*\bDISABLED_/, within: /^\s*(?:GTEST_SKIP|SKIP)\(/ },
  routine: /^[\w:<>*&]+\s+[\w:]+\s*\([^;]*\)\s*\{?$/,
  comment: SLASHES,
}

const LANGUAGES: readonly (readonly [extensions: readonly string[], language: TestLanguage])[] = [
  [['js', 'jsx', 'ts', 'tsx', 'mjs', 'cjs', 'mts', 'cts', 'vue', 'svelte', 'coffee', 'dart'], script],
  [['py'], python],
  [['go'], go],
  [['rs'], rust],
  [['rb'], ruby],
  [['java', 'kt', 'kts', 'groovy', 'scala'], java],
  [['cs', 'fs'], sharp],
  [['php'], php],
  [['t'], perl],
  [['ex', 'exs'], elixir],
  [['bats', 'sh'], shell],
  [['swift'], swift],
  [['cc', 'cpp', 'cxx'], native],
]

const TEXT_LENGTH_MAX = 200

/** A suspicion with its line in one short piece. */
export function suspicion(kind: SuspicionKind, file: string, line: number | undefined, text: string): Suspicion {
  return { kind, file, ...(line === undefined ? {} : { line }), text: shortened(text.trim(), TEXT_LENGTH_MAX) }
}
