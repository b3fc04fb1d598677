import type { Suspicion } from '../../core/suspicion.ts'
import {
  type Assertion,
  assertionsIn,
  callsHelper,
  isAlike,
  isContrary,
  isSameButWords,
  isSameSubject,
  isVaguer,
} from './assertion.ts'
import { indentOf, isTitle, suspicion, type TestFile, type TestLine } from './test-lines.ts'
import { isTestFile } from '../../core/measures/test-file.ts'
import type { TestTitles } from './test-titles.ts'

/** A test known to have failed before the edit. */
export interface FailingTest {
  readonly id: string
  readonly file?: string
  readonly line?: number
}

/** Tests that assert less than they did: assertions gone, looser, turned round, or made to fit what a failing test received. */
export function loosenedTests(
  tests: readonly TestFile[],
  titles: TestTitles,
  failing: readonly FailingTest[],
): readonly Suspicion[] {
  const groups = grouped(tests, titles)
  withoutMoves([...groups.values()])
  for (const group of groups.values()) if (!titles.wasThere(group.test)) withoutTaken(group, [...groups.values()])
  return [...groups.values()].flatMap((group) => {
    const isStill = isTitle(group.test) ? titles.isThroughout(group.test) : group.after.length > 0
    if (!isStill) return []
    const { file } = group.file
    const body = emptiedBody(group.before, group.after)
    const found = body ? [suspicion('emptied', file.path, body.line, body.text)] : []
    return [...found, ...lostAssertions(group, found.length > 0), ...replaced(group, failing)]
  })
}

/** One test, from all hunks, before and after. */
interface Group {
  readonly test: string
  readonly file: TestFile
  before: TestLine[]
  after: TestLine[]
  /** Changed assertions that are not found on the other side. */
  old: Assertion[]
  now: Assertion[]
  /** Whether assertions are left that can be seen. */
  hasOthers: boolean
}

function grouped(tests: readonly TestFile[], titles: TestTitles): Map<string, Group> {
  const groups = new Map<string, Group>()
  const groupOf = (file: TestFile, test: string): Group => {
    const key = titles.hasMoved(test) ? test : `${file.file.path}\n${test}`
    const known = groups.get(key) ?? { test, file, before: [], after: [], old: [], now: [], hasOthers: false }
    groups.set(key, known)
    return known
  }
  for (const file of tests) {
    const isWatched = (test: string): boolean => isTitle(test) || isTestFile(file.file.path)
    for (const lines of file.before) {
      for (const line of lines) if (isWatched(line.test)) groupOf(file, line.test).before.push(line)
      for (const each of assertionsIn(lines)) if (each.isChanged && isWatched(each.test)) groupOf(file, each.test).old.push(each)
    }
    for (const lines of file.after) {
      for (const line of lines) if (isWatched(line.test)) groupOf(file, titles.titleBefore(line.test)).after.push(line)
      for (const each of assertionsIn(lines)) {
        if (!isWatched(each.test)) continue
        const group = groupOf(file, titles.titleBefore(each.test))
        if (each.isChanged) group.now.push(each)
        else group.hasOthers = true
      }
    }
  }
  return groups
}

/** An assertion that is found again, in its test or in another place, was moved or formatted. */
function withoutMoves(groups: readonly Group[]): void {
  for (const group of groups) dropPairs([group])
  dropPairs(groups)
}

function dropPairs(groups: readonly Group[]): void {
  const places = new Map<string, Group[]>()
  for (const group of groups) for (const { text } of group.now) places.set(text, [...(places.get(text) ?? []), group])
  const found = new Map<Group, string[]>()
  for (const group of groups) {
    group.old = group.old.filter(({ text }) => {
      const place = places.get(text)?.pop()
      if (place) found.set(place, [...(found.get(place) ?? []), text])
      return place === undefined
    })
  }
  for (const [place, texts] of found) {
    place.hasOthers = true
    place.now = place.now.filter(({ text }) => !isTaken(texts, text))
  }
}

/** Each text is taken as often as it is there. */
function isTaken(texts: string[], text: string): boolean {
  const index = texts.indexOf(text)
  if (index !== -1) texts.splice(index, 1)
  return index !== -1
}

/** A new test beside the old one may have taken over a part of what that asserted. */
function withoutTaken(fresh: Group, groups: readonly Group[]): void {
  for (const one of fresh.now) {
    const from = groups.find(
      (group) => group.file === fresh.file && group !== fresh && group.old.some((each) => isAlike(each, one)),
    )
    if (!from) continue
    from.old = from.old.filter((each) => !isAlike(each, one))
    from.hasOthers = true
  }
}

/** Assertions taken away with nothing in their place. */
function lostAssertions(group: Group, isSaid: boolean): Suspicion[] {
  const lost = group.old.filter((each) => each.strength !== 'trivial')
  const [first] = lost
  const hasHelper = group.after.some((line) => line.sign === '+' && line.part === 'body' && callsHelper(line.text))
  if (!first || isSaid || group.now.length > 0 || hasHelper || group.file.file.change === 'deleted') return []
  const kind = group.hasOthers ? 'weakened' : 'emptied'
  return [suspicion(kind, group.file.file.path, first.line.line, lost.map((each) => each.line.text.trim()).join(' / '))]
}

/** Pairs what was asserted with what is asserted now: about the same thing first, then in order. */
function replaced(group: Group, failing: readonly FailingTest[]): Suspicion[] {
  const left = group.now.slice(0, PAIRS_MAX)
  const old = group.old.filter((each) => each.strength !== 'trivial').slice(0, PAIRS_MAX)
  if (left.length === 0) return []
  const take = (isIt: (each: Assertion) => boolean): Assertion | undefined => {
    const index = left.findIndex(isIt)
    return index === -1 ? undefined : left.splice(index, 1)[0]
  }
  const pairs = old.map((one) => [one, take((each) => isSameSubject(one, each))] as const)
  return pairs.flatMap(([one, same]) => {
    const now = same ?? take((each) => each.strength === 'exact') ?? take(() => true)
    if (!now)
      return !isMadeTable(group) && hasFailed(one, group, failing)
        ? [suspicion('weakened', group.file.file.path, one.line.line, one.line.text)]
        : []
    if (!isLooser(one, now, group, failing)) return []
    return [suspicion('weakened', group.file.file.path, now.line.line, `${one.line.text.trim()} → ${now.line.text.trim()}`)]
  })
}

/** Its cases stand in a list now, where nobody looks for them one by one. */
function isMadeTable({ before, after }: Group): boolean {
  return after.some((line) => line.isTable) && !before.some((line) => line.isTable)
}

/** Of more in one test nobody reads the pairs. */
const PAIRS_MAX = 500

function isLooser(one: Assertion, now: Assertion, group: Group, failing: readonly FailingTest[]): boolean {
  if (now.strength === 'trivial') return true
  if (one.strength === 'exact' && now.strength === 'loose') return true
  if (isContrary(one, now) || isVaguer(one, now)) return true
  if (isSameButWords(one, now)) return false
  const isOtherValue = one.matcher === now.matcher && isSameSubject(one, now)
  return isOtherValue && hasFailed(one, group, failing)
}

function hasFailed(one: Assertion, group: Group, failing: readonly FailingTest[]): boolean {
  return failing.some((test) => isOf(test, one, group))
}

/** Whether a failing test is the one an assertion belongs to: by its title, or by its place where the title is out of sight. */
function isOf({ id, file, line }: FailingTest, assertion: Assertion, group: Group): boolean {
  const { path } = group.file.file
  if (isTitle(group.test)) return id.includes(group.test) && (file === undefined || file.endsWith(path) || path.endsWith(file))
  if (file === undefined || line === undefined || !(file.endsWith(path) || path.endsWith(file))) return false
  return Math.abs(line - assertion.line.line) <= LINES_APART_MAX
}

/** A failure names the line of the assertion, or one within its statement. */
const LINES_APART_MAX = 3

/** The line that shows it, where a test has nothing left to do or leaves before it asserts. */
function emptiedBody(before: readonly TestLine[], after: readonly TestLine[]): TestLine | undefined {
  return leftEarly(after) ?? neverReached(after) ?? swallowed(after) ?? nothingLeft(before, after)
}

/** What is never run, put before what was asserted. */
function neverReached(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !NEVER.test(line.text)) return false
    return assertionsIn(after.slice(index, index + NEVER_LINES_MAX)).length > 0
  })
}

const NEVER =
  /^\s*(?:if\s*\(?\s*(?:false|False|0|!1|not True)\s*(?:\)|:|&&|and\b)|while\s*\(?\s*(?:false|False|0)\s*[):]|for\s*\(?\s*(?:(?:const|let|var)\s+)?\w+\s+(?:of|in)\s+(?:\[\]|\(\)|range\(0\))\s*[):])/
const NEVER_LINES_MAX = 5

/** Assertions whose failure is caught and passed over. */
function swallowed(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !CAUGHT.test(line.text)) return false
    const start = after.slice(0, index).findLastIndex((each) => /^\s*try\b/.test(each.text))
    const next = after.slice(index + 1).find((each) => /\S/.test(each.text) && each.part !== 'comment')
    const isPassedOver = /\{\s*\}/.test(line.text) || (next !== undefined && PASSED_OVER.test(next.text))
    return isPassedOver && start !== -1 && after[start]?.sign === '+' && assertionsIn(after.slice(start + 1, index)).length > 0
  })
}

const CAUGHT = /^\s*(?:except(?:\s+\(?(?:AssertionError|Exception|BaseException)\b[^:]*)?\s*:|\}\s*catch\b)/
const PASSED_OVER = /^\s*(?:pass|\.\.\.|return|continue|\}.*)\s*;?\s*$/

/** A `return` on the level of the assertions below it, which were there before. */
function leftEarly(after: readonly TestLine[]): TestLine | undefined {
  return after.find((line, index) => {
    if (line.sign !== '+' || line.part !== 'body' || !EARLY_RETURN.test(line.text)) return false
    const kept = assertionsIn(after.slice(index + 1)).filter((each) => !each.isChanged)
    const above = after.slice(0, index).findLast((each) => /\S/.test(each.text))
    const isNested = above !== undefined && above.part === 'body' && indentOf(above.text) < indentOf(line.text)
    return !isNested && kept.some((each) => indentOf(line.text) <= indentOf(each.line.text))
  })
}

const EARLY_RETURN =
  /^\s*(?:if\s*\(?\s*(?:true|True|1)\s*\)?\s*:?\s*)?return(?:\s+(?:true|None|undefined|nil|Promise\.resolve\(\)))?\s*;?\s*$/

/** The heading is followed by its end, and it was not before. */
function nothingLeft(before: readonly TestLine[], after: readonly TestLine[]): TestLine | undefined {
  const lost = before.filter(
    (line) => line.sign === '-' && line.part === 'body' && /\w/.test(line.text) && !NO_BODY.test(line.text),
  )
  const old = before.find((line) => line.part === 'heading')
  const index = after.findIndex((line) => line.part === 'heading')
  const heading = after[index]
  if (!heading || !old) return undefined
  if (heading.sign === '+' && EMPTY_LINE.test(heading.text)) return EMPTY_LINE.test(old.text) ? undefined : heading
  const next = after.slice(index + 1).find((line) => /\S/.test(line.text) && line.part !== 'comment')
  if (lost.length === 0 || !next || !BODY_END.test(next.text)) return undefined
  return indentOf(next.text) <= indentOf(heading.text) || next.text.trim() === 'pass' ? lost[0] : undefined
}

const NO_BODY = /^\s*pass\s*$/
const EMPTY_LINE = /(?:\{\s*\}\s*\)?\s*;?|:\s*(?:pass|\.\.\.))\s*$/
const BODY_END = /^\s*(?:\}\s*\)?[;,]?|\}\s*,\s*[\w\s]*\)?;?|end|pass)\s*$/
