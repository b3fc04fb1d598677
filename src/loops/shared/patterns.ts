import {
  failingIds,
  hasSameTests,
  hidTests,
  isUntouched,
  lastAlike,
  lastWhile,
  namesOnce,
} from '../../core/measures/last-iterations.ts'
import type { IterationSummary, State } from '../../core/state.ts'
import type { Failure } from '../../core/failure.ts'
import { type Saying, sentence } from '../../core/saying.ts'
import { saying, SHARED_WORDS } from './words.ts'
import { failureFingerprint } from '../../core/measures/fingerprint.ts'
import { valueMismatch, type ValueMismatch } from '../../core/measures/value-mismatch.ts'

export type PatternKind =
  | 'format-mismatch'
  | 'agent-failed'
  | 'nothing-changed'
  | 'alternating-failures'
  | 'fixed-one-broke-another'
  | 'same-failure'
  | 'same-tests-other-message'
  | 'getting-better'
  | 'same-file-every-time'

/** What the attempts have in common, with what shows it. */
export interface Pattern {
  readonly kind: PatternKind
  /** The sentence for a person, as data. */
  readonly says: Saying
  /** One sentence or two, for a person. */
  readonly message: string
  readonly evidence: {
    readonly iterations: readonly number[]
    /** Names of the tests concerned; at most ten. */
    readonly tests: readonly string[]
    readonly files: readonly string[]
  }
}

/**
 * The most telling pattern over the attempts; `undefined` where they are too few or show none. A disagreement about a format comes
 * first if it is in the way, since it is a question only a person can answer; then what keeps any work from being done;
 * then what says most about why the work does not succeed.
 */
export function patternOf(state: State): Pattern | undefined {
  return (isAboutFormat(state) ? formatMismatch(state) : undefined) ?? workPattern(state)
}

/** The same, with no thought of what the disagreement is about: where it is not the work that ended the attempts but a limit. */
export function workPattern(state: State): Pattern | undefined {
  for (const detect of DETECTORS) {
    const pattern = detect(state)
    if (pattern) return pattern
  }
  return undefined
}

const DETECTORS: readonly ((state: State) => Pattern | undefined)[] = [
  agentFailed,
  nothingChanged,
  alternatingFailures,
  fixedOneBrokeAnother,
  sameFailureAgain,
  sameTestsOtherMessage,
  gettingBetter,
  sameFileEveryTime,
]

function seen(kind: PatternKind, says: Saying, evidence: Pattern['evidence']): Pattern {
  return { kind, says, message: sentence(SHARED_WORDS, says) ?? '', evidence }
}

/** What shows a pattern. */
function evidenceOf(
  iterations: readonly IterationSummary[],
  tests: readonly string[] = [],
  files: readonly string[] = [],
): Pattern['evidence'] {
  return {
    iterations: iterations.map(({ iteration }) => iteration),
    tests: namesOnce(tests).slice(0, TESTS_NAMED_MAX),
    files: namesOnce(files),
  }
}

const TESTS_NAMED_MAX = 10

/** "every time" or "in each of the last 3 attempts". */
function howOften(attempts: readonly unknown[], recent: readonly unknown[]): string {
  return attempts.length === recent.length ? 'every time' : `in each of the last ${attempts.length} attempts`
}

/** The agent itself failed or ran out of time, at least twice in a row. */
function agentFailed({ recent }: State): Pattern | undefined {
  const failed = lastWhile(recent, (iteration) => iteration.agentFailed === true)
  const last = failed.at(-1)
  if (!last || failed.length < 2) return undefined
  const says = saying('pattern.agent-failed', { often: howOften(failed, recent), said: last.said ?? '' })
  return seen('agent-failed', says, evidenceOf(failed))
}

/** The agent left every file as it was, at least twice in a row. */
function nothingChanged(state: State): Pattern | undefined {
  const { recent } = state
  const idle = lastWhile(recent, (iteration) => isUntouched(state, iteration))
  if (idle.length < 2) return undefined
  const says = saying('pattern.nothing-changed', { count: idle.length, isAll: idle.length === recent.length })
  return seen('nothing-changed', says, evidenceOf(idle))
}

/** What fails goes back and forth: the tests of the attempt before last fail again, those of the last one do not all. */
function alternatingFailures({ recent }: State): Pattern | undefined {
  const [first, second, third] = recent.slice(-3)
  if (!first || !second || !third || third.fingerprint === second.fingerprint) return undefined
  // Code that did not compile for once is no demand against the others.
  if (hidTests(second) !== hidTests(third)) return undefined
  if (!hasSameTests(third, first)) return undefined
  const others = onlyIn(second, third)
  // One set that holds the other is work that got better or worse, not two demands against each other.
  if (others.length === 0 || onlyIn(third, second).length === 0) return undefined
  const [one, other] = [onlyIn(third, second)[0] ?? '', others[0] ?? '']
  const says = saying('pattern.alternating-failures', { one, other })
  const evidence = evidenceOf([first, second, third], [...onlyIn(third, second), ...others], [...third.files, ...second.files])
  return seen('alternating-failures', says, evidence)
}

function onlyIn(iteration: IterationSummary, other: IterationSummary): readonly string[] {
  const ids = new Set(failingIds(other))
  return failingIds(iteration).filter((id) => !ids.has(id))
}

/** The last attempt fixed tests and broke others, without leaving fewer failures, or it was not the first to do so. */
function fixedOneBrokeAnother({ recent }: State): Pattern | undefined {
  const last = recent.at(-1)
  const before = recent.at(-2)
  if (!last || !isTrade(last, before)) return undefined
  const trades = recent.filter((iteration, index) => isTrade(iteration, recent[index - 1]))
  const isBetter = before !== undefined && last.verdict.failing < before.verdict.failing
  if (isBetter && trades.length < 2) return undefined
  const { fixed } = last.ledger
  const broken = brokenIn(last, before)
  const says = saying('pattern.fixed-one-broke-another', {
    iteration: last.iteration,
    fixed: fixed[0] ?? '',
    broken: broken[0] ?? '',
  })
  return seen('fixed-one-broke-another', says, evidenceOf(trades, [...fixed, ...broken], last.files))
}

function isTrade(iteration: IterationSummary, before: IterationSummary | undefined): boolean {
  if (before && hidTests(before) !== hidTests(iteration)) return false
  return iteration.iteration > 1 && iteration.ledger.fixed.length > 0 && brokenIn(iteration, before).length > 0
}

/** What was fixed once and fails again was broken, too, in the attempt that broke it. */
function brokenIn({ ledger }: IterationSummary, before: IterationSummary | undefined): readonly string[] {
  const failedBefore = new Set(before?.failures.map((failure) => failure.id))
  return [...ledger.broken, ...ledger.flapping.filter((id) => !failedBefore.has(id))]
}

/** The same tests failed with the same messages, at least twice in a row. */
function sameFailureAgain({ recent }: State): Pattern | undefined {
  const same = lastAlike(recent, isSameFailure)
  const last = same.at(-1)
  if (!last || same.length < 2) return undefined
  const says = saying('pattern.same-failure', { count: same.length })
  return seen('same-failure', says, evidenceOf(same, failingIds(last), filesIn(same)))
}

/** The same tests and the same messages, what differs from run to run left out. */
function isSameFailure(later: IterationSummary, earlier: IterationSummary): boolean {
  // Of whole lists the fingerprint says it at once; where messages differ, or lists were cut, the rest has to be looked at.
  if (later.fingerprint === earlier.fingerprint && later.failures.length > 0) return true
  if (!hasSameTests(later, earlier)) return false
  const ids = new Set(failingIds(earlier))
  const known = later.failures.filter((failure) => ids.has(failure.id))
  return failureFingerprint(known) === failureFingerprint(earlier.failures)
}

/** The same tests failed at least twice in a row, but not with the same messages. */
function sameTestsOtherMessage({ recent }: State): Pattern | undefined {
  const same = lastAlike(recent, hasSameTests)
  const last = same.at(-1)
  if (!last || same.length < 2) return undefined
  const ids = failingIds(last)
  const isReview = last.failures.every((failure) => failure.kind === 'review')
  const says = saying('pattern.same-tests-other-message', { count: same.length, tests: ids.length, isReview })
  return seen('same-tests-other-message', says, evidenceOf(same, ids, filesIn(same)))
}

/**
 * No attempt scored worse than the one before, and the last one better than the first, with fewer failures: a score also rises where
 * one failure took the place of another among more tests.
 */
function gettingBetter({ recent }: State): Pattern | undefined {
  const [first] = recent
  const last = recent.at(-1)
  if (!first || !last || recent.length < 2) return undefined
  const isNeverWorse = recent.every(({ verdict }, index) => verdict.score >= (recent[index - 1]?.verdict.score ?? 0))
  if (!isNeverWorse || last.verdict.score <= first.verdict.score || last.verdict.failing >= first.verdict.failing)
    return undefined
  const says = saying('pattern.getting-better', { from: first.verdict.failing, to: last.verdict.failing })
  const fixed = recent.flatMap((iteration) => iteration.ledger.fixed)
  return seen('getting-better', says, evidenceOf(recent, fixed))
}

/** One file was edited in each of the last attempts, three at least, and none of them passed: with fewer it says nothing. */
function sameFileEveryTime({ recent }: State): Pattern | undefined {
  const files = recent.at(-1)?.files ?? []
  const edited = files.map((file) => ({
    file,
    attempts: lastWhile(recent, ({ verdict, files: changed }) => !verdict.passed && changed.includes(file)),
  }))
  const most = edited.reduce<(typeof edited)[number] | undefined>(
    (best, each) => (best && best.attempts.length >= each.attempts.length ? best : each),
    undefined,
  )
  if (!most || most.attempts.length < 3) return undefined
  const says = saying('pattern.same-file-every-time', { file: most.file, count: most.attempts.length })
  return seen('same-file-every-time', says, evidenceOf(most.attempts, [], [most.file]))
}

/** A failure in which code and test disagree about a type or a format. */
export interface MismatchedFailure {
  readonly failure: Failure & { readonly expected: string; readonly received: string }
  readonly mismatch: ValueMismatch
}

/** Code and test disagree about a type or a format, in most of what fails or attempt after attempt. */
export function formatMismatch(state: State): Pattern | undefined {
  const found = mismatchedFailure(state)
  const { recent } = state
  const last = recent.at(-1)
  if (!found || !last) return undefined
  const { failure, mismatch } = found
  const { id } = failure
  const failed = recent.filter((iteration) => iteration.failures.some((each) => each.id === id))
  const says = saying('pattern.format-mismatch', { difference: mismatch.difference, test: id, message: mismatch.message })
  return seen('format-mismatch', says, evidenceOf(failed, [id], failure.file === undefined ? [] : [failure.file]))
}

/** The mismatch to mention; `undefined` if it is new and only one of many failures, or if nothing differs. */
export function mismatchedFailure({ recent }: State): MismatchedFailure | undefined {
  const failures = recent.at(-1)?.failures ?? []
  const mismatched = mismatchesIn(failures)
  const isHalf = mismatched.length * 2 >= failures.length
  const [first] = isHalf ? mismatched : mismatched.filter(({ failure }) => hasFailedBefore(recent, failure.id))
  return first
}

/**
 * Whether the mismatch is in the way: most of what fails is one, and the agent did its work. Who failed, ran out of time,
 * was denied what it needed, or changed nothing without a word would do so again, whichever side is said to be right.
 */
function isAboutFormat(state: State): boolean {
  const last = state.recent.at(-1)
  if (!last || last.agentFailed) return false
  const isIdle = isUntouched(state, last) && (last.said === undefined || last.denied !== undefined)
  return !isIdle && mismatchesIn(last.failures).length * 2 > Math.max(last.failures.length, last.verdict.failing)
}

function mismatchesIn(failures: readonly Failure[]): readonly MismatchedFailure[] {
  return failures.map(mismatchIn).filter((found) => found !== undefined)
}

function mismatchIn(failure: Failure): MismatchedFailure | undefined {
  const { expected, received } = failure
  if (expected === undefined || received === undefined) return undefined
  const mismatch = valueMismatch(expected, received)
  return mismatch && { failure: { ...failure, expected, received }, mismatch }
}

function hasFailedBefore(recent: State['recent'], id: string): boolean {
  return recent.at(-2)?.failures.some((failure) => failure.id === id) ?? false
}

/** The files that were changed in any of the iterations, each once, in the order in which they were first changed. */
export function filesIn(iterations: readonly IterationSummary[]): readonly string[] {
  const files = new Set<string>()
  for (const iteration of iterations) for (const file of iteration.files) files.add(file)
  return [...files]
}
