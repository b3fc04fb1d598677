import { PROOF_LEVELS, type ProofLevel } from '../core/proof.ts'
import { defined } from '../core/defined.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { Failure } from '../core/failure.ts'
import { optionChosen, type Question } from '../core/question.ts'
import { isLimitTrip, type Trip, tripNames } from '../core/trip.ts'
import type { GuardSpec, RunConfig } from '../core/run-config.ts'
import { importedFrom } from './transcripts/turn-facts.ts'

/** What one run says about its guards, in a few numbers. */
export interface RunRecord {
  readonly run: string
  readonly startedAt: Instant
  /**
   * `accepted` is a person's word where the checks did not pass, `partial` research that ended without all of its criteria, `imported` a
   * session that was not Pawl's and of which nobody knows how it ended.
   */
  readonly ending: 'succeeded' | 'partial' | 'accepted' | 'stopped' | 'aborted' | 'open' | 'imported'
  readonly iterations: number
  readonly costUsd: number
  readonly durationMs: number
  /** How far its success is proven: of several tasks the least. Absent if no proof was made. */
  readonly proof?: ProofLevel
  /** What failed before any work, where that was looked at. */
  readonly failingAtStart?: number
  /** The guards it has, by the names of their trips, and whether they can be in a file. */
  readonly guards: readonly { readonly guard: string; readonly isBuiltIn: boolean }[]
  /** Every trip, also one that was waived or did not decide. */
  readonly trips: readonly string[]
  readonly nudges: readonly { readonly guard: string; readonly iteration: number }[]
  readonly waived: readonly string[]
  readonly disputed: readonly string[]
  readonly alarms: readonly Alarm[]
  /** Tests that passed and failed on the same files, each once. Absent if there are none. */
  readonly flaky?: readonly string[]
  /** What failed when the run last stood still without a pass. Absent if it never did. */
  readonly blocked?: Blocked
  /** Set when a guard that is no limit ended it, so far: nobody let it continue. */
  readonly saved?: Saving & { readonly guard: string }
}

/** What stood in a run's way. */
export interface Blocked {
  /** Names of failing tests, and of checks that name none. */
  readonly tests: readonly string[]
  /** Files with failures. */
  readonly files: readonly string[]
  /** Codes of the patterns seen over the attempts. */
  readonly patterns: readonly string[]
}

/** Whether a run came to an end that is known. */
export function isOver(ending: RunRecord['ending']): boolean {
  return ending !== 'open' && ending !== 'imported'
}

/** Reads one journal, event by event, and keeps no event. Nothing for one that does not begin. */
export function runRecord(events: Iterable<Event>): RunRecord | undefined {
  let reading: Reading | undefined
  for (const event of events) {
    if (event.type === 'run.started') reading = begun(event)
    else if (reading) take(reading, event)
  }
  return reading && finished(reading)
}

/** What is known while the journal is read; changed in place, since a journal may have thousands of events. */
interface Reading {
  readonly run: string
  readonly startedAt: Instant
  config: RunConfig
  ending: RunRecord['ending']
  iteration: number
  itemBegan: number
  costUsd: number
  durationMs: number
  ended: number
  /** Whether the last iteration that ended passed. */
  isPassing: boolean
  failingAtStart?: number
  /** The proof of the iteration under way, and whether a review approved it. */
  proof?: ProofLevel | undefined
  isApproved: boolean
  /** What the tasks that are done, or the run, are proven by. */
  readonly proofs: ProofLevel[]
  readonly guards: Map<string, boolean>
  readonly trips: string[]
  readonly nudges: { guard: string; iteration: number }[]
  readonly waived: string[]
  readonly disputed: string[]
  readonly stops: Stop[]
  readonly flaky: Set<string>
  /** What fails in the iteration under way, or failed in the last one. */
  failing: readonly Failure[]
  blocked?: Blocked
}

interface Stop {
  readonly seq: Seq
  readonly question: Question
  readonly trips: readonly Trip[]
  readonly config: RunConfig
  readonly spent: Spent
  readonly iteration: number
  readonly disputed: Set<string>
  wentOn: boolean
  /** The checks passed then: there was nothing left to save iterations of. */
  readonly isPassing: boolean
  /** A person took the work as it was. */
  isAccepted: boolean
  /** Another task of the plan began since: what comes now says nothing about it. */
  isOver: boolean
  /** A person told the agent something, or put another one to work. */
  isHelped: boolean
  succeededAt?: number
}

function begun({ run, at, data }: Event<'run.started'>): Reading {
  const counts = { iteration: 0, itemBegan: 0, costUsd: 0, durationMs: 0, ended: 0, isPassing: false, isApproved: false }
  const lists = { proofs: [], trips: [], nudges: [], waived: [], disputed: [], stops: [], flaky: new Set<string>(), failing: [] }
  const ending = unended(data.config)
  const reading: Reading = { run, startedAt: at, config: data.config, ending, ...counts, guards: new Map(), ...lists }
  noteGuards(reading)
  return reading
}

function noteGuards({ config, guards }: Reading): void {
  for (const spec of config.guards)
    for (const name of tripNames(spec)) guards.set(name, !['custom', 'anyOf', 'allOf', 'not'].includes(spec.name))
}

function take(reading: Reading, event: Event): void {
  switch (event.type) {
    case 'run.reconfigured':
      reading.config = event.data.config
      return noteGuards(reading)
    case 'item.started':
      reading.itemBegan = reading.iteration
      for (const stop of reading.stops) stop.isOver = true
      return
    case 'iteration.started':
      return iterationBegan(reading, event.data.iteration)
    case 'iteration.ended':
      reading.ended++
      reading.isPassing = event.data.verdict.passed
      reading.costUsd += event.data.costUsd
      reading.durationMs += event.data.durationMs
      return
    case 'check.failed':
    case 'check.passed':
      if (reading.iteration === 0) reading.failingAtStart = (reading.failingAtStart ?? 0) + failingOf(event)
      for (const test of event.data.flaky ?? []) reading.flaky.add(test)
      return noteFailing(reading, event)
    case 'review.rejected':
      noteFailing(reading, event)
      return takeJudgement(reading, event)
    default:
      return takeJudgement(reading, event)
  }
}

function noteFailing(reading: Reading, { data }: Event<'check.failed' | 'check.passed' | 'review.rejected'>): void {
  reading.failing = [...reading.failing, ...data.failures.filter(({ isFlaky }) => !isFlaky)]
}

function takeJudgement(reading: Reading, event: Event): void {
  switch (event.type) {
    case 'proof.made':
      for (const { tests } of event.data.flaky ?? []) for (const test of tests) reading.flaky.add(test)
      return void (reading.proof = event.data.level)
    case 'decision.made':
      return noteLevel(reading, event.data)
    case 'review.approved':
    case 'review.rejected':
      return void (reading.isApproved = event.type === 'review.approved')
    case 'guard.tripped':
      return void reading.trips.push(event.data.guard)
    case 'guard.nudged':
    case 'budget.warned':
      return void reading.nudges.push({ guard: event.data.guard, iteration: reading.iteration })
    case 'guard.waived':
      if (event.data.note !== undefined) help(reading)
      return void reading.waived.push(event.data.guard)
    case 'guard.disputed':
      reading.disputed.push(event.data.guard)
      return void reading.stops.at(-1)?.disputed.add(event.data.guard)
    case 'escalation.raised':
    case 'run.stopped':
      return stopped(reading, event)
    case 'escalation.answered':
      return answered(reading, event)
    default:
      return takeEnd(reading, event)
  }
}

function takeEnd(reading: Reading, event: Event): void {
  if (event.type === 'item.finished' || event.type === 'run.completed') noteProof(reading)
  if (event.type === 'run.imported') reading.ending = importedEnding(event.data.passed)
  const isAccepted = event.because !== undefined
  const isPartial = reading.config.loop.name === 'research' && !reading.isPassing
  if (event.type === 'run.aborted') reading.ending = 'aborted'
  else if (event.type === 'run.completed') reading.ending = isAccepted ? 'accepted' : isPartial ? 'partial' : 'succeeded'
  if ((event.type !== 'run.completed' && event.type !== 'item.finished') || isAccepted || isPartial) return
  for (const stop of reading.stops) if (stop.wentOn && !stop.isOver) stop.succeededAt ??= reading.iteration
}

/** A success says its level: an approval may be older than the iteration. */
function noteLevel(reading: Reading, { action, says }: Event<'decision.made'>['data']): void {
  const level = PROOF_LEVELS.find((each) => each === says?.values?.['level'])
  if (action === 'proceed' && level !== undefined) reading.proof = level
}

/** A review makes up for what tests cannot tell. */
function noteProof(reading: Reading): void {
  const { proof, isApproved, proofs } = reading
  if (proof !== undefined) proofs.push(proof === 'unproven' && isApproved ? 'reviewed' : proof)
  reading.proof = undefined
}

/** A record of what happened elsewhere never continues. */
function unended(config: RunConfig): RunRecord['ending'] {
  return importedFrom(config) ? 'imported' : 'open'
}

/** How a session ended that was not Pawl's, only a report of its tests can say. */
function importedEnding(passed: boolean | undefined): RunRecord['ending'] {
  if (passed === undefined) return 'imported'
  return passed ? 'succeeded' : 'stopped'
}

function failingOf({ data: { counts, failures } }: Event<'check.failed' | 'check.passed'>): number {
  return Math.max(counts?.failed ?? 0, failures.length)
}

function iterationBegan(reading: Reading, iteration: number): void {
  reading.iteration = iteration
  reading.failing = []
  reading.proof = undefined
  reading.isApproved = false
  reading.ending = unended(reading.config)
  const last = reading.stops.at(-1)
  if (last && !last.isOver) last.wentOn = true
}

function stopped(reading: Reading, { seq, type, data }: Event<'escalation.raised' | 'run.stopped'>): void {
  const { config, iteration, itemBegan, costUsd, durationMs, ended, isPassing } = reading
  if (type === 'run.stopped') reading.ending = 'stopped'
  const spent = { iterations: ended, attempts: iteration - itemBegan, costUsd, durationMs }
  const { question, trips } = data
  if (!isPassing && reading.failing.length > 0) reading.blocked = blockedBy(reading.failing, question)
  const rest = { disputed: new Set<string>(), wentOn: false, isAccepted: false, isOver: false, isHelped: false }
  reading.stops.push({ seq, question, trips, config, spent, iteration, isPassing, ...rest })
}

function blockedBy(failing: readonly Failure[], { says }: Question): Blocked {
  return {
    tests: [...new Set(failing.map(({ id }) => id))],
    files: [...new Set(failing.flatMap(({ file }) => file ?? []))],
    patterns: (says?.pattern ?? []).map(({ code }) => code.replace(/^pattern\./, '')),
  }
}

function answered(reading: Reading, { data: { choice, note } }: Event<'escalation.answered'>): void {
  const stop = reading.stops.at(-1)
  const consequence = stop && optionChosen(stop.question, choice)?.consequence
  if (stop && consequence?.kind === 'accept') stop.isAccepted = true
  if (consequence?.kind !== 'continue') return
  reading.waived.push(...(consequence.waives ?? []))
  if (note !== undefined || consequence.guidance !== undefined || consequence.agent !== undefined) help(reading)
}

function help({ stops }: Reading): void {
  const last = stops.at(-1)
  if (last) last.isHelped = true
}

function finished(reading: Reading): RunRecord {
  const { run, startedAt, ending, ended, costUsd, durationMs, failingAtStart, trips, nudges, waived, disputed } = reading
  return {
    run,
    startedAt,
    ending,
    iterations: ended,
    costUsd,
    durationMs,
    ...defined({ failingAtStart, proof: PROOF_LEVELS.findLast((level) => reading.proofs.includes(level)) }),
    guards: [...reading.guards].map(([guard, isBuiltIn]) => ({ guard, isBuiltIn })),
    trips,
    nudges,
    waived,
    disputed,
    alarms: reading.stops.flatMap((stop) => stop.trips.map((trip) => alarmOf(reading, stop, trip))),
    ...(reading.flaky.size > 0 ? { flaky: [...reading.flaky] } : {}),
    ...defined({ blocked: reading.blocked, saved: savedBy(reading.stops.at(-1)) }),
  }
}

/**
 * A run that nobody let continue after a guard stopped it saved what its limits still allowed. One that a limit stopped saved nothing, nor
 * did one whose checks passed or whose work a person took: that was done.
 */
function savedBy(last: Stop | undefined): RunRecord['saved'] {
  const [first] = last?.trips ?? []
  if (!last || !first || last.wentOn || last.isOver || last.isPassing || last.isAccepted || last.trips.some(isLimitTrip))
    return undefined
  const saving = savingOf(last.config, last.spent)
  return saving && { ...saving, guard: first.guard }
}

function alarmOf({ run, ending, costUsd, ended }: Reading, stop: Stop, trip: Trip): Alarm {
  const { succeededAt } = stop
  return {
    run,
    guard: trip.guard,
    seq: stop.seq,
    iteration: stop.iteration,
    ...defined({ threshold: thresholdOf(trip) }),
    ...(trip.evidence.measures['patience'] === undefined ? {} : { isLadder: true as const }),
    judgement: judgementOf(stop, trip, ending),
    ...(succeededAt === undefined ? {} : { iterationsToSuccess: succeededAt - stop.iteration }),
    ...defined({ iterationsLeft: iterationsLeft(stop.config, stop.spent.attempts) }),
    costUsdEach: ended === 0 ? 0 : costUsd / ended,
  }
}

function judgementOf(stop: Stop, trip: Trip, ending: RunRecord['ending']): Judgement {
  const { disputed, succeededAt, isHelped, isAccepted } = stop
  // Whoever accepts a pass that a guard did not believe says that the guard was wrong.
  if (disputed.has(trip.guard) || (isAccepted && trip.disputesPass)) return 'false'
  if (succeededAt !== undefined) return isHelped ? 'true' : 'false'
  return isOver(ending) ? 'true' : 'open'
}

/** What an early stop left unspent, as an estimate: the iterations the run's own limits still allowed, at the run's own average. */
export interface Saving {
  readonly iterations: number
  readonly costUsd: number
  readonly durationMs: number
}

/** What was used up to the stop. */
export interface Spent {
  readonly iterations: number
  /** Attempts at the present task of a plan; the same as `iterations` where there is none. */
  readonly attempts: number
  readonly costUsd: number
  readonly durationMs: number
}

/** The estimate; nothing where no limit says how far the run could have gone. */
function savingOf(config: RunConfig, spent: Spent): Saving | undefined {
  if (spent.iterations === 0) return undefined
  const costUsdEach = spent.costUsd / spent.iterations
  const durationMsEach = spent.durationMs / spent.iterations
  const allowed = [
    iterationsLeft(config, spent.attempts),
    affordable(limitOf(config, 'costUsdMax'), spent.costUsd, costUsdEach),
    affordable(limitOf(config, 'durationMsMax'), spent.durationMs, durationMsEach),
  ].filter((count) => count !== undefined)
  if (allowed.length === 0) return undefined
  const iterations = Math.max(0, Math.min(...allowed))
  return { iterations, costUsd: iterations * costUsdEach, durationMs: iterations * durationMsEach }
}

/** How many more the maximum allows; absent where there is no maximum. */
function iterationsLeft({ guards }: RunConfig, attempts: number): number | undefined {
  const max = deciding(guards).find((spec) => spec.name === 'maxIterations')?.settings['iterationsMax']
  return typeof max === 'number' ? max - attempts : undefined
}

/** A limit inside `anyOf` ends a run as well as one that is alone. */
function deciding(guards: readonly GuardSpec[]): readonly GuardSpec[] {
  return guards
    .filter((spec) => spec.severity === 'trip')
    .flatMap((spec) => (spec.name === 'anyOf' ? deciding(spec.parts ?? []) : [spec]))
}

function limitOf({ guards }: RunConfig, setting: string): number | undefined {
  const max = deciding(guards).find((spec) => spec.name === 'budget')?.settings[setting]
  return typeof max === 'number' && max > 0 ? max : undefined
}

function affordable(max: number | undefined, used: number, each: number): number | undefined {
  return max === undefined || each <= 0 ? undefined : Math.floor((max - used) / each)
}

/** A trip that stood in a run's way, and what became of it. */
export interface Alarm {
  readonly run: string
  readonly guard: string
  /** The `escalation.raised` or `run.stopped` it led to. */
  readonly seq: Seq
  readonly iteration: number
  readonly threshold?: Threshold
  /** Set for a guard that had warned first. */
  readonly isLadder?: true
  readonly judgement: Judgement
  /** Iterations it took from there to a verified success. */
  readonly iterationsToSuccess?: number
  /** Iterations that the run's maximum still allowed; absent where there is none. */
  readonly iterationsLeft?: number
  /** What an iteration of the run cost, on average. */
  readonly costUsdEach: number
}

/**
 * `false`: a person said so, or let the run continue without a word of help, and it succeeded. `true`: the run did not succeed, or only
 * with help. `open`: not known yet.
 */
export type Judgement = 'false' | 'true' | 'open'

/** What a guard counted, and the setting it compared that with. */
export interface Threshold {
  readonly setting: string
  readonly is: number
  readonly counted: number
}

/** The threshold of a trip, where raising a number would have let the run continue: `repeatsMin` is what `repeats` is compared with. */
function thresholdOf({ raise, evidence }: Trip): Threshold | undefined {
  if (!raise) return undefined
  const { setting } = raise
  const is = evidence.measures[setting]
  const counted = evidence.measures[setting.replace(/(?:Min|Max)$/, '')]
  return typeof is === 'number' && typeof counted === 'number' ? { setting, is, counted } : undefined
}

/** Fewer stops than this prove nothing. */
const KNOWN_MIN = 4

/** The stops of a guard that are known to have been right or wrong; nothing unless there are enough and at least half were wrong. */
export function knownAlarms(
  alarms: readonly Alarm[],
): { readonly known: readonly Alarm[]; readonly wrong: readonly Alarm[]; readonly right: readonly Alarm[] } | undefined {
  const known = alarms.filter(({ judgement }) => judgement !== 'open')
  const wrong = known.filter(({ judgement }) => judgement === 'false')
  const right = known.filter(({ judgement }) => judgement === 'true')
  return known.length < KNOWN_MIN || wrong.length < known.length / 2 ? undefined : { known, wrong, right }
}

/** A cost where one is known; runs of agents that tell none add up to 0, which is no price. */
export function knownCost(costUsd: number): { readonly costUsd?: number } {
  return costUsd === 0 ? {} : { costUsd }
}
