import type { Guard } from '../core/guard.ts'
import type { JsonObject } from '../core/json.ts'
import { isSettingsFile, isTestFile } from '../core/measures/test-file.ts'
import type { Allowance } from '../core/question.ts'
import { type Suspicion, SUSPICION_KINDS, type SuspicionKind } from '../core/suspicion.ts'
import type { Trip } from '../core/trip.ts'
import type { GuardSpec, Severity } from '../core/run-config.ts'
import { counted, shortened } from '../core/wording.ts'
import { byDefault, type EntriesOf, listOf, oneOf, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'
import { type GuardSettings, severityOf } from './guard-settings.ts'
import type { Failure, TestCounts } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import type { CheckLedger } from '../core/measures/ledger.ts'
import { hidesTests } from '../core/measures/test-changes.ts'

export interface TamperingOptions {
  /** Default `trip`: a person is asked, also when every check passes. `warn` only tells the agent. */
  readonly severity?: Severity
  /** Kinds that are not watched, for a goal that is about the tests themselves. Default: none. */
  readonly allow?: readonly SuspicionKind[]
}

/**
 * Trips when the agent touched what its work is checked by: protected files and the loop's own state at once, tests that say less (deleted,
 * skipped, focused, emptied, weakened) where a pass could not be tried with the old tests in a fresh copy. Until then it warns the agent.
 * Its trip disputes a pass, for as long as it is neither put back nor accepted. What a person edits never counts.
 *
 * @part tampering
 */
export function tampering(options: TamperingOptions = {}): Guard {
  const { severity, allow } = readOptions('tampering', SETTINGS, options)
  return {
    spec: { name: 'tampering', v: 1, severity, settings: { allow } },
    inspect: (state) => {
      const { current } = state
      const { observed, checks, ended } = current
      const isProven = ended?.verdict.passed === true && isTriedElsewhere(state)
      const held = (observed?.suspicions ?? []).filter(
        (each) =>
          !allow.includes(each.kind) && !isAllowed(each, state.allowances) && (!isProven || UNSEEN_BY_PROOFS.has(each.kind)),
      )
      // While something fails, edits of tests harm nobody yet: the agent gets a warning. What it must not touch at all is asked about, once.
      const isAsked =
        ended?.verdict.passed === true || held.some(({ kind, isEarlier }) => !isEarlier && UNSEEN_BY_PROOFS.has(kind))
      const suspicions = isAsked ? held : []
      const lost = isProven ? NONE : lostTests(state)
      const vanished = allow.includes('deleted') ? [] : lost.vanished
      const skipped = allow.includes('skipped') ? [] : lost.skipped
      const counts = lost.counts.filter(({ kind }) => !allow.includes(kind)).map(({ text }) => text)
      const fewer = vanished.length + skipped.length + counts.length
      if (suspicions.length + fewer === 0) return observed && held.length > 0 ? [reminder(held, observed.seq)] : []
      const seen = observed && suspicions.length > 0 ? [observed.seq] : []
      const facts = [...seen, ...(fewer > 0 ? checks.map((check) => check.seq) : [])]
      return [tripOf(severity, { suspicions, vanished, skipped, counts }, facts)]
    },
  }
}

/** Whether the tests as they were at the start ran on what is there now, in a fresh copy: then the proof says which of them are missing. */
function isTriedElsewhere({ current: { proof }, tree }: State): boolean {
  return (
    proof?.tree === tree?.tree &&
    proof?.cells.some(({ cell, place }) => cell === 'old-tests-new-code' && place !== 'workspace') === true
  )
}

/** What running the old tests on the new code cannot tell. */
const UNSEEN_BY_PROOFS: ReadonlySet<SuspicionKind> = new Set(['protected', 'state'])

const SETTINGS = settingsSchema({
  allow: byDefault(listOf('a list such as [skipped]', oneOf(SUSPICION_KINDS)), [], 'Kinds of tampering to ignore'),
  severity: severityOf('trip'),
} satisfies EntriesOf<TamperingOptions>)

/**
 * How pawl.yaml and flags set this guard.
 *
 * @settings tampering
 */
export const tamperingSettings: GuardSettings = { schema: SETTINGS, place: 3 }

/** A person let the agent change what tests of this file expect; deleting or skipping them is something else. */
function isAllowed({ kind, file }: Suspicion, allowances: readonly Allowance[] = []): boolean {
  return allowances.some((each) => {
    const isThere = each.file === undefined ? isTestFile(file) : isSameFile(each.file, file)
    return each.guard === 'tampering' && each.kinds.includes(kind) && isThere
  })
}

/** A report may name a file from another folder than the workspace does. */
function isSameFile(one: string, other: string): boolean {
  return one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`)
}

/** While the checks fail anyway, the agent only gets a warning. */
function reminder(held: readonly Suspicion[], seq: number): Trip {
  return tripOf('warn', { suspicions: held, vanished: [], skipped: [], counts: [] }, [seq])
}

const HINT = 'Putting these lines back would let it continue, or a person who says that they were meant to change.'

interface Found {
  readonly suspicions: readonly Suspicion[]
  readonly vanished: readonly string[]
  readonly skipped: readonly string[]
  readonly counts: readonly string[]
}

function tripOf(severity: Severity, found: Found, facts: readonly number[]): Trip {
  const { suspicions, vanished, skipped, counts } = found
  const isOld = suspicions.length > 0 && suspicions.every(({ isEarlier }) => isEarlier)
  const measures: JsonObject = {
    ...(suspicions.length > 0 ? { suspicions: suspicions.map(withoutMark) } : {}),
    ...(vanished.length > 0 ? { vanished } : {}),
    ...(skipped.length > 0 ? { skipped } : {}),
    ...(counts.length > 0 ? { counts } : {}),
  }
  return {
    guard: 'tampering',
    severity,
    code: isOld ? 'tampering.still-there' : 'tampering.edits',
    message: `${isOld ? 'This was to be put back and is still there' : 'The agent touched what checks it'}: ${whatOf(found)}. ${exampleOf(found)}`,
    evidence: { facts, measures },
    hint: HINT,
    ...(severity === 'trip' ? { disputesPass: true } : {}),
  }
}

/** What the agent changed of what checks it and did not put back, if a run has this guard: "login.test.ts (1 check weakened)". */
export function changedChecks(state: State): string | undefined {
  const spec = specIn(state.config.guards)
  if (!spec) return undefined
  const allow = (spec.settings['allow'] ?? []) as readonly SuspicionKind[]
  const held = (state.current.observed?.suspicions ?? []).filter(
    (each) => !allow.includes(each.kind) && !isAllowed(each, state.allowances),
  )
  const files = [...new Set(held.map(({ file }) => file))]
  if (files.length === 0) return undefined
  const more = files.length > 1 ? ` and ${counted(files.length - 1, 'other file')}` : ''
  return `${files[0]}${more} (${whatOf({ suspicions: held, vanished: [], skipped: [], counts: [] })})`
}

function specIn(guards: readonly GuardSpec[]): GuardSpec | undefined {
  for (const spec of guards) {
    const found = spec.name === 'tampering' ? spec : specIn(spec.parts ?? [])
    if (found) return found
  }
  return undefined
}

/** As a person reads it: the message says that it is a repeat. */
function withoutMark({ isEarlier: _again, ...each }: Suspicion): JsonObject {
  return each
}

function whatOf({ suspicions, vanished, skipped, counts }: Found): string {
  const said = SUSPICION_KINDS.flatMap((kind) => {
    const count = suspicions.filter((each) => each.kind === kind).length
    return count > 0 ? [WORDING[kind](count)] : []
  })
  return [
    ...said,
    ...(vanished.length > 0 ? [`${counted(vanished.length, 'test')} no longer reported`] : []),
    ...(skipped.length > 0 ? [`${counted(skipped.length, 'test')} reported as skipped that ran before`] : []),
    ...(counts.length > 0 ? ['fewer tests run than before'] : []),
  ].join(', ')
}

const WORDING: Readonly<Record<SuspicionKind, (count: number) => string>> = {
  deleted: (count) => counted(count, 'deletion'),
  skipped: (count) => `${counted(count, 'test')} skipped`,
  focused: (count) => `${counted(count, 'test')} run to the exclusion of others`,
  emptied: (count) => `${counted(count, 'test')} emptied`,
  weakened: (count) => `${counted(count, 'check')} weakened`,
  protected: (count) => `${counted(count, 'protected file')} edited`,
  state: (count) => `${counted(count, 'file')} of the loop's own state edited`,
}

function exampleOf({ suspicions: [first], vanished, skipped, counts }: Found): string {
  if (!first) return `First: ${shortened(vanished[0] ?? skipped[0] ?? counts[0] ?? '', EXAMPLE_LENGTH_MAX)}`
  const place = first.line === undefined ? first.file : `${first.file}:${first.line}`
  return `First: ${place}: ${shortened(first.text, EXAMPLE_LENGTH_MAX)}`
}

const EXAMPLE_LENGTH_MAX = 120

export interface LostTests {
  /** Reported before, and not any more. */
  readonly vanished: readonly string[]
  /** Run before, and reported as skipped now. */
  readonly skipped: readonly string[]
  /** What the counts say if no names do, a sentence for each check. */
  readonly counts: readonly CountLoss[]
}

export interface CountLoss {
  readonly kind: 'deleted' | 'skipped'
  readonly text: string
}

/**
 * Tests that the checks no longer run and that make a pass worth less. Only a pass is asked about: while something fails, a broken
 * file hides its tests without any harm. A test counts when fewer run than did, and the agent edited tests or their settings since the
 * goal was set, or it failed at the start. Where no names are known the counts tell, if something failed before. One that came back
 * under another path or name does not count.
 */
function lostTests(state: State): LostTests {
  const { current, measures, unit } = state
  if (current.ended?.verdict.passed !== true) return NONE
  const isTouched = hasTouchedTests(state)
  const failedFirst = new Set(state.baseline?.failures.map((failure) => failure.id))
  const from = unit?.firstIteration ?? 1
  const lost = current.checks.map(({ name, counts }) => {
    const known = Object.hasOwn(measures.ledger.checks, name) ? measures.ledger.checks[name] : undefined
    if (!known) return NONE
    const named = namedLosses(known, counts, { from, iteration: current.number, isTouched, failedFirst })
    const hasNames = named.vanished.length + named.skipped.length > 0
    return hasNames || !isTouched || !hasFailedBefore(state)
      ? named
      : { ...named, counts: countLosses(name, known, counts, state) }
  })
  return {
    vanished: lost.flatMap(({ vanished }) => vanished).slice(0, LOST_MAX),
    skipped: lost.flatMap(({ skipped }) => skipped).slice(0, LOST_MAX),
    counts: lost.flatMap((each) => each.counts),
  }
}

const NONE: LostTests = { vanished: [], skipped: [], counts: [] }

const LOST_MAX = 20

/** In any iteration on this goal: what was done earlier and not put back still tells. */
function hasTouchedTests({ current, recent }: State): boolean {
  const files = [...(current.observed?.files ?? []).map(({ path }) => path), ...recent.flatMap((iteration) => iteration.files)]
  return files.some((path) => isTestFile(path) || isSettingsFile(path))
}

function hasFailedBefore({ baseline, recent }: State): boolean {
  return (baseline?.failures.length ?? 0) > 0 || recent.some(({ failures }) => failures.length > 0)
}

interface Circumstances {
  /** The first iteration on the goal: tests that are first seen in it or later are the agent's own. */
  readonly from: number
  readonly iteration: number
  readonly isTouched: boolean
  readonly failedFirst: ReadonlySet<string>
}

function namedLosses(known: CheckLedger, counts: TestCounts | undefined, circumstances: Circumstances): LostTests {
  const { from, iteration, isTouched, failedFirst } = circumstances
  const entries = Object.entries(known.tests)
  // Of a report that names only failures, a test that the agent broke is first seen late and is no less there before.
  const isOwn = (first: number): boolean => first >= from && entries.length >= known.testsMax
  const ownGone = entries.filter(([, { outcome, first }]) => outcome === 'gone' && isOwn(first)).length
  const isFewer = counts !== undefined && counts.passed + counts.failed < known.testsMax - ownGone
  const back = newNames(known, iteration)
  const lost = (outcome: 'gone' | 'skipped'): string[] =>
    entries.flatMap(([id, entry]) => {
      const isNow = entry.outcome === outcome && entry.since >= from && entry.before !== undefined
      return isNow && !isOwn(entry.first) && (isTouched || (outcome === 'gone' && failedFirst.has(id))) ? [id] : []
    })
  const skipped = lost('skipped').filter((id) => !WAS_OFF.has(known.tests[id]?.before ?? ''))
  return { vanished: isFewer ? lost('gone').filter((id) => !back.has(nameOf(id))) : [], skipped, counts: [] }
}

const WAS_OFF: ReadonlySet<string> = new Set(['skipped', 'gone'])

/** Fewer tests than at the start, or more of them skipped. No counts at all, if there were some, means no tests. */
function countLosses(
  name: string,
  known: CheckLedger,
  counts: TestCounts | undefined,
  { baseline }: State,
): readonly CountLoss[] {
  const { start } = known
  if (!start) return []
  const isHidden = baseline?.failures.some((failure: Failure) => hidesTests(failure)) === true
  // A linter's complaint is counted as a test but isn't one.
  const problems = baseline?.failures.filter(({ id, kind }) => kind === 'lint' && Object.hasOwn(known.tests, id)).length ?? 0
  const before = (isHidden ? known.testsMax : start.passed + start.failed) - problems
  const ran = counts ? counts.passed + counts.failed : 0
  const skipped = counts?.skipped ?? 0
  if (skipped > start.skipped && !isHidden) {
    return [{ kind: 'skipped', text: `${name}: ${counted(skipped, 'test')} skipped, ${start.skipped} before` }]
  }
  return ran < before ? [{ kind: 'deleted', text: `${name}: ${counted(ran, 'test')} ran, ${before} before` }] : []
}

/** Names of tests that are new in this iteration: a moved file gives its tests other ids. */
function newNames({ tests }: CheckLedger, iteration: number): ReadonlySet<string> {
  const fresh = Object.entries(tests).filter(
    ([, { outcome, since, before }]) => outcome !== 'gone' && since === iteration && before === undefined,
  )
  return new Set(fresh.map(([id]) => nameOf(id)))
}

/** The last part of an id: `adds` of `src/add.test.ts > sums > adds`. */
function nameOf(id: string): string {
  return id.split(/ > | › |::/).at(-1) ?? id
}
