import type { SuspicionKind } from '../../core/suspicion.ts'
import { isSettingsFile, isSnapshotFile, isTestFile, isTestName } from '../../core/measures/test-file.ts'

/** A line of a file, counted from 1. */
export interface TextLine {
  readonly line: number
  readonly text: string
}

/** A file before and after an edit: whole, or as far as a diff shows it. A side that is absent means that the file wasn't there. */
export interface EditedFile {
  readonly path: string
  readonly before?: readonly TextLine[]
  readonly now?: readonly TextLine[]
}

/** A test known to have failed before the edit. */
export interface FailingTest {
  readonly id: string
  readonly file?: string
  readonly line?: number
}

/** An edit that lets tests say less, with its lines in full. */
export interface TestEdit {
  readonly kind: SuspicionKind
  readonly file: string
  readonly line?: number
  readonly lines: readonly string[]
}

/** Whether an edit of this file can let tests say less. Rust's unit tests are in the file they test. */
export function isOfTests(path: string): boolean {
  return isTestFile(path) || isSettingsFile(path) || isSnapshotFile(path) || path.endsWith('.rs')
}

/**
 * Finds the plain ways by which tests say less than they did: deleted, skipped, focused, without assertions, with looser ones, or left out
 * by a setting. It warns early, while a run is at work. Before a success counts, the old tests run on the new code, which needs no rules.
 */
export function testEdits(files: readonly EditedFile[], failing: readonly FailingTest[] = []): readonly TestEdit[] {
  const tests = compared(files.filter(({ path }) => isTestFile(path) || path.endsWith('.rs')))
  return [
    ...removedTests(tests),
    ...switchedOff(tests),
    ...loosenedTests(tests, failing),
    ...compared(files.filter(({ path }) => isSnapshotFile(path))).flatMap(rewritten),
    ...files.filter(({ path }) => isSettingsFile(path)).flatMap(loosenedSettings),
  ]
}

/** A file with the lines that are found nowhere on the other side: what only moved, or was formatted, is in neither list. */
interface Compared {
  readonly path: string
  readonly isNew: boolean
  readonly isGone: boolean
  readonly before: readonly TextLine[]
  readonly now: readonly TextLine[]
  readonly gone: readonly TextLine[]
  readonly added: readonly TextLine[]
}

function compared(files: readonly EditedFile[]): readonly Compared[] {
  const sides = files.map(({ path, before, now }) => ({
    path,
    isNew: before === undefined,
    isGone: now === undefined,
    before: testsIn(path, before ?? []).filter(isCode),
    now: testsIn(path, now ?? []).filter(isCode),
  }))
  const [goneFrom, addedTo] = [without(sides.flatMap(({ now }) => now)), without(sides.flatMap(({ before }) => before))]
  return sides.map((side) => ({ ...side, gone: goneFrom(side.before), added: addedTo(side.now) }))
}

/** Of code with tests inside only those. */
function testsIn(path: string, lines: readonly TextLine[]): readonly TextLine[] {
  if (isTestFile(path) || isSnapshotFile(path)) return lines
  const first = lines.findIndex(({ text }) => /^\s*#\[(?:cfg\(test\)|(?:\w+::)*test\b)/.test(text))
  return first < 0 ? [] : lines.slice(first)
}

function isCode({ text }: TextLine): boolean {
  return /\w/.test(text) && !/^\s*(?:\/\/|\/?\*|#(?!\[))/.test(text)
}

/** Leaves out lines that the other side has, each as often as it is there. */
function without(others: readonly TextLine[]): (lines: readonly TextLine[]) => readonly TextLine[] {
  const counts = new Map<string, number>()
  for (const { text } of others) counts.set(plain(text), (counts.get(plain(text)) ?? 0) + 1)
  return (lines) =>
    lines.filter(({ text }) => {
      const left = counts.get(plain(text)) ?? 0
      counts.set(plain(text), left - 1)
      return left <= 0
    })
}

/** A line without what a formatter changes. */
function plain(text: string): string {
  return text
    .replaceAll(/["`]/g, "'")
    .replaceAll(/\s+/g, '')
    .replace(/[;,]+$/, '')
}

const QUOTED = String.raw`(?:\(\s*|\s+)(['"\x60])(?<title>.*?)(?<!\\)\1`
const HEADINGS: readonly RegExp[] = [
  new RegExp(
    String.raw`^\s*(?:await\s+|void\s+)?(?:[xf]?(?:it|test|specify|scenario)|Deno\.test|t\.test|t\.Run|@test|subtest|property)(?:\.\w+(?:\([^()]*\))?)*${QUOTED}`,
  ),
  // The last line of a table of cases: `])('adds %i', …`.
  /^\s*[\]`][^(]*\)\(\s*(['"`])(?<title>.*?)\1/,
  /^\s*(?:(?:pub|public|async)\s+)*(?:def|func|function|fn)\s+(?<title>(?:[tT]est|Fuzz)\w*)\s*\(/,
  /^\s*TEST(?:_F|_P|_CASE)?\(\s*(?<title>[^)]+)\)/,
]
/** A line above a function that makes it a test: `#[test]`, `@Test`, `[Fact]`. */
const ATTRIBUTE =
  /^\s*(?:#\[(?:\w+::)*(?:test|rstest)\b|@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)/
const TABLE = /\.each\b|parametrize|ParameterizedTest|\[Theory|rstest|subTest|\bfor\b.*\b(?:of|in)\b/

interface Heading {
  readonly title: string
  readonly index: number
}

function headingsIn(lines: readonly TextLine[]): readonly Heading[] {
  return lines.flatMap(({ text }, index) => {
    if (ATTRIBUTE.test(text)) {
      const named = lines.slice(index, index + ATTRIBUTES_MAX).find((each) => /\w+\s*\(.*[{)]\s*$/.test(each.text))
      return [{ title: /(\w+)\s*\([^(]*$/.exec(named?.text ?? '')?.[1] ?? '', index }]
    }
    const title = HEADINGS.map((pattern) => pattern.exec(text)?.groups?.['title']).find((each) => each !== undefined)
    return title === undefined ? [] : [{ title, index }]
  })
}

const ATTRIBUTES_MAX = 4

function titlesOf(lines: readonly TextLine[]): readonly string[] {
  return headingsIn(lines).map(({ title }) => title)
}

/** Tests that are gone, if there are fewer than before: another title, another place or a table of cases doesn't count. */
function removedTests(tests: readonly Compared[]): readonly TestEdit[] {
  const [before, now] = [tests.flatMap((test) => titlesOf(test.before)), tests.flatMap((test) => titlesOf(test.now))]
  const isFewer = before.length > now.length
  const isTabled = tests.some(({ added }) => added.some(({ text }) => TABLE.test(text)))
  return tests.flatMap(({ path, before: lines, gone, isGone }): TestEdit[] => {
    const headings = headingsIn(lines)
    const lostLines = new Set(gone)
    if (isGone && headings.length === 0)
      return isTestName(path) && gone.length * 2 > lines.length
        ? [{ kind: 'deleted', file: path, lines: ['the whole file'] }]
        : []
    // One that is gone with all its lines is gone, even if another test came.
    const isLost = ({ title, index }: Heading, place: number): boolean => {
      const body = lines.slice(index + 1, headings[place + 1]?.index)
      return !now.includes(title) && (isFewer || (body.length > 0 && body.every((each) => lostLines.has(each))))
    }
    const lost = isTabled ? [] : headings.filter(isLost).map(({ index }) => lines[index]!)
    return lost.slice(0, isGone ? 1 : lost.length).map((each) => edit('deleted', path, each))
  })
}

const SKIPS_HEADING =
  /^\s*(?:await\s+|void\s+)?(?:x(?:it|test|describe|context|specify|scenario|feature)\b|(?:\w+\.)*(?:it|test|specify|describe|suite|context)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fixme|ignore|fails|failing)\b|(?:it|test)\(.*\{[^}]*\b(?:skip|todo|ignore):\s*(?:true|['"`]))/
const SKIPS_BELOW =
  /^\s*(?:@(?:pytest\.mark\.(?:skip|skipif|xfail)|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)|Disabled|Ignore|tag\s+:?skip)\w*|#\[(?:ignore\b|cfg_attr\(.*\bignore\b)|\[(?:Ignore|Explicit)\b)/
const SKIPS_INSIDE =
  /^\s*(?:(?:return\s+)?self\.skipTest\(|(?:\w+\s*=\s*)?pytest\.(?:skip|xfail|importorskip)\(|raise\s+(?:unittest\.)?SkipTest|pytestmark\s*=.*\b(?:skip|xfail)|(?:test|it|t|this|ctx|context)\.(?:skip|fixme|todo)\(|(?:return\s+)?(?:pending|skip)(?:[\s(]|$)|plan\s*\(?\s*['"]?skip_all|\w+\.Skip(?:f|Now)?\(|(?:\$this->|self::)markTest(?:Skipped|Incomplete)\(|GTEST_SKIP\(|(?:throw\s+)?XCTSkip)/
const FOCUSES =
  /^\s*(?:await\s+|void\s+)?(?:f(?:it|test|describe|context|specify)\s*\(?\s*['"`]|(?:test\.)?(?:it|test|specify|describe|suite|context)(?:\.\w+)*\.only\b)/
const ENDS_WELL = /^\s*(?:process\.exit|os\._exit|sys\.exit|os\.Exit|std::process::exit|System\.exit|exit)\(\s*0?\s*\);?\s*$/

/** Tests that were there and are skipped now, tests that keep all others from running, and an end of the process before they ran. */
function switchedOff(tests: readonly Compared[]): readonly TestEdit[] {
  const known = new Set(tests.flatMap((test) => titlesOf(test.before)))
  return tests.flatMap((test) => switchedOffIn(test, known))
}

function switchedOffIn({ path, isNew, before, now, added }: Compared, known: ReadonlySet<string>): readonly TestEdit[] {
  const wasSkipped = new Set(before.filter(isSkip).map(({ text }) => text.replaceAll(/['"`].*/g, '').trim()))
  const headings = headingsIn(now)
  return added.flatMap((each): TestEdit[] => {
    const { text } = each
    if (!isNew && FOCUSES.test(text)) return [edit('focused', path, each)]
    if (!isNew && ENDS_WELL.test(text) && isTestName(path)) return [edit('weakened', path, each)]
    if (!isSkip(each) || wasSkipped.has(text.replaceAll(/['"`].*/g, '').trim())) return []
    const index = now.indexOf(each)
    const own = headings.find((heading) => heading.index === index)
    const [above, below] = [
      headings.findLast((heading) => heading.index < index),
      headings.find((heading) => heading.index > index),
    ]
    const heading = own ?? (SKIPS_INSIDE.test(text) ? (above ?? below) : below)
    const isKnown = heading ? known.has(heading.title) : !isNew
    return isKnown ? [edit('skipped', path, each)] : []
  })
}

function isSkip({ text }: TextLine): boolean {
  return SKIPS_HEADING.test(text) || SKIPS_BELOW.test(text) || SKIPS_INSIDE.test(text)
}

const ASSERTION =
  /(?<![\w.'"`]|\bfunction |\bdef |\bfunc |\bfn |\bvoid )(?:expect\w*\s*[({]|(?:self\.|this\.|\$this->|self::)?assert\w*!?\s*\(|assert\.\w+\(|Assert\.\w+(?:<[^>]*>)?\(|assert\s+(?![=:])\S|(?:require|should)\.\w+\(|XCTAssert\w*\(|ASSERT_\w+\(|EXPECT_\w+\(|REQUIRE\(|t\.(?:Errorf?|Fatalf?|Fail|FailNow|is|not|deepEqual|equal|same|ok|true|false|truthy|falsy|throws\w*|rejects|match|like)\()|\.should\b/
/** Assertions that hold for nearly anything, always, or for what they excluded before. */
const LOOSE =
  /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|toMatchObject)\(|\.not\.|\bexpect\.any|\.to\.(?:exist|be\.ok)\b|be_(?:truthy|falsey|present)|assert\.(?:ok|doesNotThrow|exists|isDefined|not\w+)\(|assert(?:IsNotNone|IsInstance|NotNull|NotNil|In|NotEqual\w*)\(|\.(?:NotNull|IsNotNull|NotNil|NotEmpty)\(|^\s*assert (?!.*(?:==|<|>|\bis None\b))|^\s*assert\(\s*\w+\s*\)|assert!\(\s*true|expect\((?:true|\d+)\)|\bt\.(?:ok|true|truthy)\(/

/** Tests that lost assertions, have looser ones, or expect another value and failed before. */
function loosenedTests(tests: readonly Compared[], failing: readonly FailingTest[]): readonly TestEdit[] {
  const [before, now] = [tests.flatMap((test) => asserting(test.before)), tests.flatMap((test) => asserting(test.now))]
  const titles = { before: tests.flatMap((test) => titlesOf(test.before)), now: tests.flatMap((test) => titlesOf(test.now)) }
  const isTabled = tests.some(({ added }) => added.some(({ text }) => TABLE.test(text)))
  const isFewer = before.length > now.length && titles.now.length >= titles.before.length && !isTabled
  return tests.flatMap(({ path, isGone, before: lines, gone, added }): TestEdit[] => {
    const [lost, fresh] = [asserting(gone), asserting(added)]
    const [first] = lost
    if (isGone || !first) return []
    if (fresh.length === 0) return isFewer ? [edit('emptied', path, first)] : []
    const exact = lost.filter(({ text }) => !LOOSE.test(text))
    const loose = fresh.filter(({ text }) => LOOSE.test(text))
    const isLooser = loose.length > lost.length - exact.length && exact.length > fresh.length - loose.length
    const headings = headingsIn(lines)
    const failed = lost.find((each) => {
      const title = headings.findLast(({ index }) => index <= lines.indexOf(each))?.title
      return failing.some((test) => isOf(test, path, title, each))
    })
    if (isLooser && exact[0] && loose[0]) return [replaced(path, exact[0], loose[0])]
    if (failed && !isTabled) return [replaced(path, failed, fresh[lost.indexOf(failed)] ?? fresh[0]!)]
    return isFewer ? [edit('emptied', path, first)] : []
  })
}

function asserting(lines: readonly TextLine[]): readonly TextLine[] {
  return lines.filter(isAssertion)
}

function isAssertion({ text }: TextLine): boolean {
  return ASSERTION.test(text) && !/^\s*(?:import|from|use|using|export|#include)\b|=\s*require\(/.test(text)
}

/** Whether a line belongs to a failing test: by the title above it, or by its place. */
function isOf({ id, file, line }: FailingTest, path: string, title: string | undefined, at: TextLine): boolean {
  const isInFile = file === undefined ? undefined : file.endsWith(path) || path.endsWith(file)
  if (title !== undefined) return title !== '' && id.includes(title) && isInFile !== false
  return isInFile === true && line !== undefined && Math.abs(line - at.line) <= LINES_APART_MAX
}

/** A failure names the line of the assertion, or one within its statement. */
const LINES_APART_MAX = 3

function replaced(path: string, old: TextLine, now: TextLine): TestEdit {
  return { kind: 'weakened', file: path, line: now.line, lines: [`${old.text.trim()} → ${now.text.trim()}`] }
}

/** New snapshots are expectations too; only those that were there and are gone are held against the agent. */
function rewritten({ path, gone }: Compared): readonly TestEdit[] {
  const [first] = gone
  return first ? [{ kind: 'weakened', file: path, line: first.line, lines: gone.slice(0, 3).map(({ text }) => text) }] : []
}

const TEST_WORDS =
  /\b(?:tests?|pretest|posttest|spec|check|verify|lint|vitest|jest|mocha|ava|playwright|cypress|pytest|unittest|tox|nox|rspec|phpunit|ctest|bats|tsc)\b/i
const FORGIVES =
  /(?:\|\|\s*(?:true|:|exit 0|echo\b[^"'&|;]*)|;\s*(?:true|exit 0)|--pass-?with-?no-?tests|--exit-zero)(?=["'\s)]|$)/i
const LETS_PASS =
  /\b(?:dangerouslyIgnoreUnhandledErrors|passWithNoTests)["']?\s*[:=]\s*true|^\s*-?\s*(?:continue-on-error|allow_failure):\s*true\b|^\s*"(?:test[\w:-]*|check|verify|lint)":\s*"(?:true|:|exit 0|(?:echo|node (?:-e|--eval|-p))\b[^&|;"]*)"/
const EXCLUDES =
  /(?:\b(?:testPathIgnorePatterns|testIgnore|grepInvert|collect_ignore(?:_glob)?|exclude)\b["']?\s*[:=]|--(?:ignore|deselect|exclude)[= ]).*(?:test|spec)(?![a-z])|-k\s+["']?not\s/i
const HOOKS =
  /\bitems\[:\]\s*=|\bitems\.(?:clear|remove|pop)\(|\bdel\s+items\b|add_marker\(\s*(?:pytest\.mark\.)(?:skip|xfail)|\.outcome\s*=\s*["']passed|\bexitstatus\s*=\s*0\b|pytest_deselected/

/** Scripts and settings that let a check pass whatever the tests say. */
function loosenedSettings({ path, before = [], now = [] }: EditedFile): readonly TestEdit[] {
  const known = new Set(before.map(({ text }) => plain(text)))
  return now.flatMap((each, index): TestEdit[] => {
    const { text } = each
    if (known.has(plain(text)) || !isCode(each)) return []
    const isCoverage = now.slice(Math.max(0, index - COVERAGE_LINES), index + 1).some((above) => /\bcoverage\b/.test(above.text))
    const forgives = FORGIVES.test(text) && (TEST_WORDS.test(text) || known.has(plain(text.replace(FORGIVES, ''))))
    const excludes = EXCLUDES.test(text) && !isCoverage
    const isHook = path.endsWith('conftest.py') && HOOKS.test(text)
    return forgives || LETS_PASS.test(text) || excludes || isHook ? [edit('weakened', path, each)] : []
  })
}

/** How far above a list is named: files left out of the coverage are still tested. */
const COVERAGE_LINES = 3

function edit(kind: SuspicionKind, file: string, { line, text }: TextLine): TestEdit {
  return { kind, file, line, lines: [text] }
}
