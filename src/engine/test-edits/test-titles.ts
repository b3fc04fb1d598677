import { type Assertion, assertionsIn } from './assertion.ts'
import { isTitle, type TestFile, type TestLine } from './test-lines.ts'

/** What became of the tests whose headings a diff touches. */
export interface TestTitles {
  /** Headings that were removed and added nowhere again. */
  readonly removed: readonly { readonly file: TestFile; readonly heading: TestLine }[]
  /** Whether a test was there before and still is, under this or another title. */
  isThroughout(test: string): boolean
  /** Whether a test was there before, under this or another title. */
  wasThere(test: string): boolean
  /** The title a test had before it was renamed. */
  titleBefore(test: string): string
  /** Whether a test went from one file to another. */
  hasMoved(test: string): boolean
}

/** Follows titles through a diff: the same heading elsewhere is a move, another one over the same body a rename. */
export function testTitles(files: readonly TestFile[]): TestTitles {
  const old = files.flatMap((file) => headingsOnlyIn(file, 'before', 'after'))
  const added = files.flatMap((file) => headingsOnlyIn(file, 'after', 'before'))
  const left = [...added]
  const missing = old.filter(({ heading }) => !taken(left, (each) => each.heading.test === heading.test))
  const asserted = new Set(files.flatMap(({ after }) => after.flatMap(newAssertions)))
  const contents = testContents()
  const renamed = new Map<string, string>()
  const merged = new Set<string>()
  const removed = missing.filter((one) => {
    const heir = taken(left, (each) => isRename(one, each, contents))
    if (heir) renamed.set(heir.heading.test, one.heading.test)
    else if (added.some((each) => isIntoTable(one, each)) || isKeptWhole(one, contents, asserted)) merged.add(one.heading.test)
    else return true
    return false
  })
  const brandNew = new Set(left.map(({ heading }) => heading.test))
  for (const { file } of added) for (const test of unchangedTitles(file)) brandNew.delete(test)
  const homes = new Map(old.map(({ file, heading }) => [heading.test, file.file.path]))
  const moved = added.filter(({ file, heading }) => (homes.get(heading.test) ?? file.file.path) !== file.file.path)
  const movedTitles = new Set(moved.map(({ heading }) => heading.test))
  const gone = new Set([...removed.map(({ heading }) => heading.test), ...merged])
  return {
    removed,
    isThroughout: (test) => !brandNew.has(test) && !gone.has(test),
    wasThere: (test) => !brandNew.has(test),
    titleBefore: (test) => renamed.get(test) ?? test,
    hasMoved: (test) => movedTitles.has(test),
  }
}

interface Heading {
  readonly file: TestFile
  readonly hunk: number
  readonly heading: TestLine
}

/** Headings that only one side has: of changed lines, and of lines that ceased to be headings because of what stood above them. */
function headingsOnlyIn(file: TestFile, side: 'before' | 'after', other: 'before' | 'after'): Heading[] {
  return file[side].flatMap((lines, hunk) => {
    const kept = new Set((file[other][hunk] ?? []).flatMap((line) => (isKeptHeading(line) ? [line.line] : [])))
    return lines.flatMap((heading) => {
      const isBoth = isKeptHeading(heading) && kept.has(heading.line)
      return heading.part === 'heading' && !isBoth ? [{ file, hunk, heading }] : []
    })
  })
}

function isKeptHeading(line: TestLine): boolean {
  return line.part === 'heading' && line.sign === ' '
}

function taken(left: Heading[], isIt: (each: Heading) => boolean): Heading | undefined {
  const index = left.findIndex(isIt)
  return index === -1 ? undefined : left.splice(index, 1)[0]
}

/** Another test of the same title that the diff leaves alone. */
function unchangedTitles({ before }: TestFile): string[] {
  return before.flat().flatMap((line) => (isKeptHeading(line) ? [line.test] : []))
}

/** How much of the title or of the body must stay for the test to be the same one. */
const SHARE_MIN = 0.5

function isRename(old: Heading, heir: Heading, contents: TestContents): boolean {
  const isNear = Math.abs(old.heading.line - heir.heading.line) <= LINES_APART_MAX
  if (old.file !== heir.file || old.hunk !== heir.hunk || !isNear) return false
  if (shareOf(wordsOf(old.heading.test), wordsOf(heir.heading.test)) >= SHARE_MIN) return true
  const bodies = [contents(old.file.before[old.hunk], old), contents(heir.file.after[heir.hunk], heir)] as const
  return shareOf(bodies[0].body, bodies[1].body) >= SHARE_MIN
}

/** Further apart is another place. */
const LINES_APART_MAX = 200

/** Several cases made into one table. */
function isIntoTable(old: Heading, heir: Heading): boolean {
  return heir.heading.isTable === true && old.file === heir.file && old.hunk === heir.hunk
}

/** All that the test asserted is still asserted in another one: only its heading is gone. */
function isKeptWhole(one: Heading, contents: TestContents, asserted: ReadonlySet<string>): boolean {
  if (one.heading.sign === ' ') return false
  const own = contents(one.file.before[one.hunk], one).assertions
  return own.length > 0 && own.every((each) => (each.isChanged ? asserted.has(each.text) : isStillRun(each.line, one)))
}

/** A line that stays where it was is still run, unless it stands now in a function that nothing new calls: `def _test_adds`. */
function isStillRun({ line }: TestLine, { file, hunk }: Heading): boolean {
  const after = file.after[hunk] ?? []
  const now = after.find((each) => each.sign === ' ' && each.line === line)?.test
  if (now === undefined || !now.startsWith('#')) return true
  const name = /(?:def|function|const|let|func|fn|sub)\s+(\w+)/.exec(now)?.[1]
  const isCall = (each: TestLine): boolean =>
    each.sign === '+' && each.text.includes(`${name}(`) && each.text.trim() !== now.slice(1)
  return name === undefined || file.after.some((lines) => lines.some(isCall))
}

interface Content {
  readonly body: string[]
  readonly assertions: Assertion[]
}

type TestContents = (lines: readonly TestLine[] | undefined, heading: Heading) => Content

/** What stands in each test of one side of a hunk, sorted once. */
function testContents(): TestContents {
  const sorted = new Map<readonly TestLine[], Map<string, Content>>()
  return (lines = [], { heading }) => {
    const known = sorted.get(lines) ?? sortedByTest(lines)
    sorted.set(lines, known)
    return known.get(heading.test) ?? { body: [], assertions: [] }
  }
}

function sortedByTest(lines: readonly TestLine[]): Map<string, Content> {
  const contents = new Map<string, Content>()
  const contentOf = (test: string): Content => {
    const known = contents.get(test) ?? { body: [], assertions: [] }
    contents.set(test, known)
    return known
  }
  for (const line of lines) {
    const text = line.text.replaceAll(/\s+/g, '')
    if (line.part === 'body' && /\w/.test(text)) contentOf(line.test).body.push(text)
  }
  for (const each of assertionsIn(lines)) contentOf(each.test).assertions.push(each)
  return contents
}

function newAssertions(lines: readonly TestLine[]): string[] {
  return assertionsIn(lines).flatMap((each) => (each.isChanged ? [each.text] : []))
}

function wordsOf(title: string): string[] {
  return isTitle(title)
    ? title
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((word) => word !== '' && word !== 'test')
    : []
}

function shareOf(before: readonly string[], after: readonly string[]): number {
  const known = new Set(after)
  const common = before.filter((each) => known.has(each)).length
  return common / Math.max(before.length, after.length, 1)
}
