import type { FileChange } from '../../core/event-data.ts'
import { type Suspicion, SUSPICIONS_MAX } from '../../core/suspicion.ts'
import { type DiffFile, diffFiles } from '../../core/measures/diff-files.ts'
import { loosenedSettings } from './loosened-settings.ts'
import { type FailingTest, loosenedTests } from './loosened-tests.ts'
import { isTestFile, isTestName } from '../../core/measures/test-file.ts'
import { indentOf, isTitle, suspicion, testFile, type TestFile, testLanguage, type TestLine } from './test-lines.ts'
import { testTitles, type TestTitles } from './test-titles.ts'
import { assertionsIn } from './assertion.ts'

export interface TestEditsOptions {
  /** All changed files: what the diff does not show because it was cut is then known. Default: those of the diff. */
  readonly files?: readonly FileChange[]
  /** Tests that failed before the edit: another expected value in one of them is suspicious. Default: none. */
  readonly failing?: readonly FailingTest[]
}

/**
 * Finds edits by which tests say less than they did: deleted, skipped, focused, emptied or weakened, at most `SUSPICIONS_MAX`. Tests
 * that are added, moved, renamed or formatted are none. Takes a unified diff in git's format, which may have been cut.
 */
export function testEdits(diff: string, { files = [], failing = [] }: TestEditsOptions = {}): readonly Suspicion[] {
  const changed = diffFiles(diff)
  // Of what a diff does not show only a deleted file tells anything.
  if (changed.length === 0 && files.every(({ change }) => change !== 'deleted')) return []
  const tests = changed.flatMap((file): TestFile[] => {
    const language = testLanguage(file.path)
    // Rust's unit tests stand in the file they test.
    const isRead = isTestFile(file.path) || isTestFile(file.renamedFrom ?? '') || file.path.endsWith('.rs')
    return language && isRead ? [testFile(file, language)] : []
  })
  const titles = testTitles(tests)
  const found = [
    ...removedTests(changed, tests, titles, files),
    ...switchedOffTests(tests, titles),
    ...loosenedTests(tests, titles, failing),
    ...replacedSubjects(tests),
    ...loosenedSettings(changed),
  ]
  return found.slice(0, SUSPICIONS_MAX)
}

/**
 * Leaves out what is no loss against the start of the run: an agent may change and remove the tests it wrote itself. `sinceStart` is
 * what `testEdits` says of the diff from there to now.
 */
export function stillSuspicious(suspicions: readonly Suspicion[], sinceStart: readonly Suspicion[]): readonly Suspicion[] {
  return suspicions.filter((one) => sinceStart.some((each) => each.kind === one.kind && each.file === one.file))
}

/**
 * Test files and test cases that are gone. What may have gone where the diff does not show it (a part of it was cut) is not held
 * against anyone, unless the whole file is gone and none of its name came.
 */
function removedTests(
  diff: readonly DiffFile[],
  tests: readonly TestFile[],
  titles: TestTitles,
  changed: readonly FileChange[],
): readonly Suspicion[] {
  const isHidden = hidesTests(diff, changed)
  const files = diff.flatMap((file) => {
    const wasTest = isTestFile(file.renamedFrom ?? file.path)
    if (file.renamedFrom !== undefined && wasTest && !isTestFile(file.path)) {
      return [suspicion('deleted', file.renamedFrom, undefined, `renamed to ${file.path}`)]
    }
    return file.change === 'deleted' && wasTest
      ? deletedFile(file, tests, titles, isHidden ? isNameAdded(diff, file) : undefined)
      : []
  })
  const unseen = changed.filter(
    ({ path, change }) => change === 'deleted' && isTestName(path) && !diff.some((file) => file.path === path),
  )
  return [
    ...files,
    ...unseen.flatMap(({ path }) =>
      isNameAdded(changed, { path }) ? [] : [suspicion('deleted', path, undefined, 'the whole file')],
    ),
    ...(isHidden ? [] : removedCases(titles)),
  ]
}

/** Whether a test file was changed that the diff shows in part or not at all. */
function hidesTests(diff: readonly DiffFile[], changed: readonly FileChange[]): boolean {
  const isCut = diff.some((file) => file.isCut && isTestFile(file.path))
  const shown = new Set(diff.map((file) => file.path))
  return isCut || changed.some(({ path, change }) => change !== 'deleted' && isTestFile(path) && !shown.has(path))
}

/** One suspicion for the file, with the first headings that are added nowhere. `isElsewhere` is set where the headings cannot tell. */
function deletedFile(
  file: DiffFile,
  tests: readonly TestFile[],
  titles: TestTitles,
  isElsewhere: boolean | undefined,
): Suspicion[] {
  const own = tests.find((test) => test.file === file)
  const headings = own?.before.flat().filter((line) => line.part === 'heading') ?? []
  if (isElsewhere === undefined && headings.length > 0) {
    const gone = titles.removed.filter((each) => each.file === own)
    const [first] = gone
    if (!first) return []
    return [suspicion('deleted', file.path, first.heading.line, gone.map(({ heading }) => heading.text.trim()).join(' / '))]
  }
  if (isElsewhere === true || !isTestName(file.path) || isContentElsewhere(file, tests)) return []
  return [suspicion('deleted', file.path, undefined, 'the whole file')]
}

function isNameAdded(
  files: readonly { readonly path: string; readonly change: FileChange['change'] }[],
  { path }: { readonly path: string },
): boolean {
  return files.some((file) => file.change === 'added' && nameOf(file.path) === nameOf(path))
}

/** Half of its lines came up in another test. */
function isContentElsewhere(file: DiffFile, tests: readonly TestFile[]): boolean {
  const gone = file.hunks.flatMap(({ lines }) => lines.map((line) => line.text.trim()).filter((text) => /\w/.test(text)))
  const added = new Set(
    tests.flatMap(({ after }) => after.flat().flatMap((line) => (line.sign === '+' ? [line.text.trim()] : []))),
  )
  return gone.length > 0 && gone.filter((text) => added.has(text)).length * 2 >= gone.length
}

function removedCases(titles: TestTitles): Suspicion[] {
  return titles.removed.flatMap(({ file: { file }, heading }) =>
    file.change === 'deleted' ? [] : [suspicion('deleted', file.path, heading.line, heading.text)],
  )
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Tests that were there and are skipped now, tests that keep all others from running, and an end of the process before they ran. */
function switchedOffTests(tests: readonly TestFile[], titles: TestTitles): readonly Suspicion[] {
  return tests.flatMap((test) => [...skipped(test, titles), ...focused(test), ...ended(test)])
}

const GOOD_END = /^\s*(?:process\.exit|os\._exit|sys\.exit|os\.Exit|std::process::exit|System\.exit|exit)\(\s*0?\s*\);?\s*$/

/** A test that ends its process says that all went well. Programs that tests start may do so. */
function ended({ file, after }: TestFile): Suspicion[] {
  if (file.change !== 'modified' || !(isTestName(file.path) || file.path.endsWith('conftest.py'))) return []
  return after.flat().flatMap((line) => {
    const isEnd = line.sign === '+' && line.part !== 'comment' && GOOD_END.test(line.text)
    return isEnd ? [suspicion('weakened', file.path, line.line, line.text)] : []
  })
}

function skipped(test: TestFile, titles: TestTitles): Suspicion[] {
  const already = new Set(test.before.flat().flatMap((line) => (isSkip(line, test) ? [line.test] : [])))
  return test.after.flatMap((lines, hunk) =>
    lines.flatMap((line, index) => {
      if (line.sign !== '+' || !isSkip(line, test) || isWritten(line, test.before[hunk] ?? [])) return []
      const known = line.part === 'suite' ? suiteWasThere(lines, index, titles) : caseWasThere(line, lines, titles)
      return known && !(isTitle(line.test) && already.has(titles.titleBefore(line.test)))
        ? [suspicion('skipped', test.file.path, line.line, line.text)]
        : []
    }),
  )
}

function focused({ file, language, after, before }: TestFile): Suspicion[] {
  const { focus } = language
  if (!focus) return []
  const old = before.flat()
  return after.flat().flatMap((line) => {
    const isFocus = line.sign === '+' && line.part !== 'comment' && focus.test(line.text)
    return isFocus && !isWritten(line, old) ? [suspicion('focused', file.path, line.line, line.text)] : []
  })
}

function isSkip(line: TestLine, { language: { skip } }: TestFile): boolean {
  if (line.part === 'comment') return false
  if (line.part === 'heading' || line.part === 'suite') return skip.heading?.test(line.text) === true
  return skip.above?.test(line.text) === true || (line.part === 'body' && skip.within?.test(line.text) === true)
}

/** Whether the very line stood there before: then it was only moved. */
function isWritten(line: TestLine, before: readonly TestLine[]): boolean {
  return before.some((each) => each.sign === '-' && each.text.trim() === line.text.trim())
}

/** A test that is new with all its lines takes nothing away. */
function caseWasThere(line: TestLine, lines: readonly TestLine[], titles: TestTitles): boolean {
  if (isTitle(line.test)) return titles.wasThere(line.test)
  return lines.some((each) => each.sign === ' ' && /\w/.test(each.text))
}

/** A new group takes something away when what stands in it was there. */
function suiteWasThere(lines: readonly TestLine[], index: number, titles: TestTitles): boolean {
  const first = lines.slice(index + 1).find((line) => line.part === 'heading')
  if (first) return titles.wasThere(first.test)
  return lines.slice(index + 1).some((line) => line.sign === ' ' && /\w/.test(line.text))
}

/** Tests that no longer test the code: it is mocked, defined anew in the test, or compared by a laxer library. */
function replacedSubjects(tests: readonly TestFile[]): readonly Suspicion[] {
  return tests.flatMap((test) => {
    if (test.file.change !== 'modified') return []
    const [before, after] = [test.before.flat(), test.after.flat()]
    const added = after.filter((line) => line.sign === '+' && line.part !== 'comment')
    return [...mocked(test, before, added), ...definedAnew(test, before, after), ...laxer(before, added)].map(({ kind, line }) =>
      suspicion(kind, test.file.path, line.line, line.text),
    )
  })
}

interface Found {
  readonly kind: 'emptied' | 'weakened'
  readonly line: TestLine
}

/** The mock of what the test is named after: `vi.mock('./sum.ts')` in `sum.test.ts`. Mocks of anything else are how tests are written. */
function mocked({ file }: TestFile, before: readonly TestLine[], added: readonly TestLine[]): Found[] {
  const subject = stemOf(file.path)
  const isMock = ({ text }: TestLine): boolean => stemOf(MOCK.exec(text)?.[1] ?? '') === subject && isWhole(text)
  if (before.some(isMock)) return []
  return added.filter(isMock).map((line) => ({ kind: 'emptied', line }))
}

const MOCK = /\b(?:vi|jest)\.(?:mock|doMock)\(\s*["'`](\.[^"'`]+)["'`]/

/** A mock that keeps the rest of the module replaces a part that is not asked about. */
function isWhole(text: string): boolean {
  return !/importOriginal|requireActual|importActual|spy:\s*true/.test(text)
}

function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replace(/(?:[._-](?:test|spec))?\.[cm]?[jt]sx?$/, '')
}

/** A function of the name that is imported from the code, or was; or that assertions call which were there before it. */
function definedAnew({ file }: TestFile, before: readonly TestLine[], after: readonly TestLine[]): Found[] {
  const isPython = file.path.endsWith('.py')
  const imported = new Set(before.flatMap((line) => (isPython || line.sign === '-' ? importedNames(line.text, isPython) : [])))
  for (const line of after) if (!isPython) for (const name of importedNames(line.text, isPython)) imported.delete(name)
  const own = new Set(before.flatMap((line) => DEFINITION.exec(line.text)?.[1] ?? []))
  for (const name of calledIn(after)) if (!own.has(name)) imported.add(name)
  return after.flatMap((line, index) => {
    const name = line.sign === '+' && indentOf(line.text) === 0 ? DEFINITION.exec(line.text)?.[1] : undefined
    const isFixture = /^\s*@/.test(after[index - 1]?.text ?? '')
    return name !== undefined && imported.has(name) && !isFixture ? [{ kind: 'emptied' as const, line }] : []
  })
}

/** What is called by assertions that the diff leaves alone. */
function calledIn(after: readonly TestLine[]): readonly string[] {
  const kept = assertionsIn(after).filter((each) => !each.isChanged)
  return kept.flatMap(({ text }) => [...text.matchAll(/(?<![.\w])(\w+)\(/g)].map((match) => match[1] as string))
}

const DEFINITION = /^(?:export\s+)?(?:async\s+)?(?:const|let|var|function\*?|def|class)\s+(\w+)(?=\s*[=(:{<])/

/** The names that a line takes from the code: of a library's none. */
function importedNames(text: string, isPython: boolean): readonly string[] {
  const list = isPython
    ? /^from\s+(?!unittest|pytest|typing)[\w.]+\s+import\s+([\w\s,]+)$/.exec(text)?.[1]
    : /^import\s+(?:type\s+)?\{?([\w\s,]+)\}?\s+from\s+["']\./.exec(text)?.[1]
  return (list ?? '')
    .split(',')
    .map((name) => name.trim().replace(/^.*\sas\s+/, ''))
    .filter((name) => name !== '')
}

/** The same assertions, which say less. */
function laxer(before: readonly TestLine[], added: readonly TestLine[]): Found[] {
  const removed = before.filter((line) => line.sign === '-')
  const pairs: readonly (readonly [strict: RegExp, lax: RegExp])[] = [
    [/["'](?:node:)?assert\/strict["']/, /["'](?:node:)?assert["']/],
    [/\bpytest\.raises\(\s*(?!(?:Base)?Exception\b)\w/, /\bpytest\.raises\(\s*(?:Base)?Exception\b/],
  ]
  return pairs.flatMap(([strict, lax]) => {
    const line = added.find(({ text }) => lax.test(text))
    const isStrict = added.some(({ text }) => strict.test(text))
    return line && !isStrict && removed.some(({ text }) => strict.test(text)) ? [{ kind: 'weakened' as const, line }] : []
  })
}
