import type { Suspicion } from '../../suspicion.ts'
import { assertionsIn } from './assertion.ts'
import { suspicion } from './suspicion-of.ts'
import { indentOf, type TestFile, type TestLine } from './test-lines.ts'

/** Tests that no longer test the code: it is mocked, defined anew in the test, or compared by a laxer library. */
export function replacedSubjects(tests: readonly TestFile[]): readonly Suspicion[] {
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
