import { PROOF_LEVELS, type ProofLevel } from '../core/proof.ts'
import { isLimit } from '../core/trip.ts'
import { isOver, knownCost, type RunRecord, type Saving } from './run-record.ts'
import { type Proposal, proposals } from './proposals.ts'
import type { Instant } from '../core/event.ts'

/** What many runs say about their guards. */
export interface Statistics {
  readonly runs: RunCounts
  readonly iterations: number
  /** By early stops, as an estimate: see `savingOf`. */
  readonly saved: SavedByStops
  /** The one that tripped most first. */
  readonly guards: readonly GuardStatistics[]
  /** By the week in which the runs began, the oldest first. */
  readonly weeks: readonly WeekStatistics[]
  readonly sizes: readonly SizeStatistics[]
  /** Tests that passed and failed on the same files, in most runs first. */
  readonly flaky: readonly RunsWith[]
  /** What stood in the way of runs that stood still without a pass, in most runs first. */
  readonly blocking: BlockingStatistics
  readonly proposals: readonly Proposal[]
}

/** In how many runs something was seen. */
export interface RunsWith {
  readonly name: string
  readonly runs: number
}

export interface BlockingStatistics {
  /** How many runs stood still without a pass. */
  readonly runs: number
  readonly tests: readonly RunsWith[]
  readonly files: readonly RunsWith[]
  /** Patterns over the attempts, by their codes. */
  readonly patterns: readonly RunsWith[]
}

export interface RunCounts {
  readonly count: number
  readonly succeeded: number
  /** Research that ended without all of its criteria: over, and no success. */
  readonly partial: number
  readonly accepted: number
  readonly stopped: number
  readonly aborted: number
  readonly open: number
  /** Those that succeeded, by how far that is proven; runs without a proof are in none of these. */
  readonly proofs: Readonly<Record<ProofLevel, number>>
  /** Sessions that were not Pawl's and of which no report of tests says how they ended; the others count by what theirs says. */
  readonly imported: number
  /** Of those that are over; absent where none is. */
  readonly successRate?: number
}

export interface SavedByStops extends Omit<Saving, 'costUsd'> {
  /** Absent where no cost is known. */
  readonly costUsd?: number
  readonly runs: number
}

export interface GuardStatistics {
  readonly guard: string
  readonly isLimit: boolean
  readonly trips: number
  readonly nudges: number
  /** How often it stood in a run's way. */
  readonly stops: number
  readonly waived: number
  readonly disputed: number
  /** Of its stops, those that are known to have been wrong and right. */
  readonly falseAlarms: number
  readonly trueAlarms: number
  readonly saved: SavedByStops
}

export interface WeekStatistics {
  /** Its Monday. */
  readonly week: string
  readonly runs: number
  readonly succeeded: number
  readonly over: number
  readonly trips: number
  readonly disputed: number
  readonly saved: SavedByStops
}

/** Adds up records of runs; with `guard` only what that guard did, while runs are counted all the same. */
export function statistics(all: readonly RunRecord[], guard?: string): Statistics {
  const sorted = all.toSorted((one, other) => one.startedAt - other.startedAt)
  const records = guard === undefined ? sorted : sorted.map((record) => about(record, guard))
  return {
    runs: countsOf(records),
    iterations: sum(records, (record) => record.iterations),
    saved: savedIn(records),
    guards: guardRows(records),
    weeks: weekRows(records),
    sizes: sizeStatistics(records),
    flaky: runsWith(records.map(({ flaky = [] }) => flaky)),
    blocking: blockingIn(records),
    proposals: proposals(records),
  }
}

function blockingIn(records: readonly RunRecord[]): BlockingStatistics {
  const blocked = records.flatMap(({ blocked: each }) => each ?? [])
  return {
    runs: blocked.length,
    tests: runsWith(blocked.map(({ tests }) => tests)),
    files: runsWith(blocked.map(({ files }) => files)),
    patterns: runsWith(blocked.map(({ patterns }) => patterns)),
  }
}

function runsWith(lists: readonly (readonly string[])[]): readonly RunsWith[] {
  const counts = new Map<string, number>()
  for (const names of lists) for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const rows = [...counts].map(([name, runs]) => ({ name, runs }))
  return rows.toSorted((one, other) => other.runs - one.runs).slice(0, NAMES_MAX)
}

/** How many names of a kind are listed. */
const NAMES_MAX = 100

function about(record: RunRecord, guard: string): RunRecord {
  const { saved, ...rest } = record
  const isIt = (name: string): boolean => name === guard
  return {
    ...rest,
    guards: record.guards.filter((each) => isIt(each.guard)),
    trips: record.trips.filter(isIt),
    nudges: record.nudges.filter((nudge) => isIt(nudge.guard)),
    waived: record.waived.filter(isIt),
    disputed: record.disputed.filter(isIt),
    alarms: record.alarms.filter((alarm) => isIt(alarm.guard)),
    ...(saved && isIt(saved.guard) ? { saved } : {}),
  }
}

function countsOf(records: readonly RunRecord[]): RunCounts {
  const of = (ending: RunRecord['ending']): number => records.filter((record) => record.ending === ending).length
  const endings = { partial: of('partial'), accepted: of('accepted'), stopped: of('stopped'), aborted: of('aborted') }
  const counts = { succeeded: of('succeeded'), ...endings }
  const over = counts.succeeded + counts.partial + counts.accepted + counts.stopped + counts.aborted
  const rate = over === 0 ? {} : { successRate: counts.succeeded / over }
  const proven = (level: ProofLevel): number =>
    records.filter(({ ending, proof }) => ending === 'succeeded' && proof === level).length
  const proofs = Object.fromEntries(PROOF_LEVELS.map((level) => [level, proven(level)])) as RunCounts['proofs']
  return { count: records.length, ...counts, open: of('open'), proofs, imported: of('imported'), ...rate }
}

function savedIn(records: readonly RunRecord[], guard?: string): SavedByStops {
  const savings = records.flatMap(({ saved }) => (saved && (guard === undefined || saved.guard === guard) ? [saved] : []))
  return {
    runs: savings.length,
    iterations: sum(savings, (saved) => saved.iterations),
    ...knownCost(sum(savings, (saved) => saved.costUsd)),
    durationMs: sum(savings, (saved) => saved.durationMs),
  }
}

function guardRows(records: readonly RunRecord[]): readonly GuardStatistics[] {
  const names = new Set(records.flatMap(({ guards, trips }) => [...guards.map(({ guard }) => guard), ...trips]))
  return [...names]
    .map((guard) => guardRow(guard, records))
    .toSorted((one, other) => other.trips - one.trips || other.nudges - one.nudges || (one.guard < other.guard ? -1 : 1))
}

function guardRow(guard: string, records: readonly RunRecord[]): GuardStatistics {
  const times = (names: (record: RunRecord) => readonly string[]): number =>
    sum(records, (record) => names(record).filter((name) => name === guard).length)
  const alarms = records.flatMap((record) => record.alarms.filter((alarm) => alarm.guard === guard))
  return {
    guard,
    isLimit: isLimit(guard),
    trips: times(({ trips }) => trips),
    nudges: times(({ nudges }) => nudges.map((nudge) => nudge.guard)),
    stops: alarms.length,
    waived: times(({ waived }) => waived),
    disputed: times(({ disputed }) => disputed),
    falseAlarms: alarms.filter(({ judgement }) => judgement === 'false').length,
    trueAlarms: alarms.filter(({ judgement }) => judgement === 'true').length,
    saved: savedIn(records, guard),
  }
}

function weekRows(records: readonly RunRecord[]): readonly WeekStatistics[] {
  return [...Map.groupBy(records, ({ startedAt }) => weekOf(startedAt))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([week, runs]) => {
      const { count, succeeded } = countsOf(runs)
      const over = runs.filter(({ ending }) => isOver(ending)).length
      const trips = sum(runs, (record) => record.trips.length)
      const disputed = sum(runs, (record) => record.disputed.length)
      return { week, runs: count, succeeded, over, trips, disputed, saved: savedIn(runs) }
    })
}

function sum<Each>(items: readonly Each[], amount: (item: Each) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}

/** How runs went by how much failed before any work: what a maximum of iterations can be chosen by. */
export interface SizeStatistics {
  /** "1", "2 to 5", "6 and more". */
  readonly failingAtStart: string
  readonly runs: number
  readonly succeeded: number
  /** The iterations within which nine of ten of its successes came; absent where there is none. */
  readonly iterationsNineOfTen?: number
}

/** Runs that are over and whose beginning was looked at, by size. */
function sizeStatistics(records: readonly RunRecord[]): readonly SizeStatistics[] {
  return SIZES.flatMap(({ name, min, max }) => {
    const runs = records.filter(
      ({ ending, failingAtStart = 0 }) => isOver(ending) && failingAtStart >= min && failingAtStart <= max,
    )
    if (runs.length === 0) return []
    const successes = runs.filter(({ ending }) => ending === 'succeeded').map(({ iterations }) => iterations)
    const nine = nineOfTen(successes)
    const within = nine === undefined ? {} : { iterationsNineOfTen: nine }
    return [{ failingAtStart: name, runs: runs.length, succeeded: successes.length, ...within }]
  })
}

const SIZES = [
  { name: '1', min: 1, max: 1 },
  { name: '2 to 5', min: 2, max: 5 },
  { name: '6 and more', min: 6, max: Infinity },
] as const

/** The smallest of the values that nine of ten do not exceed. */
function nineOfTen(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * 0.9) - 1]
}

/** The Monday of the week that an instant lies in, on the clock of Greenwich: "2026-11-09". */
export function weekOf(at: Instant): string {
  const day = Math.floor(at / DAY_MS)
  // The first day of 1970 was a Thursday.
  const monday = day - ((((day + 3) % 7) + 7) % 7)
  return new Date(monday * DAY_MS).toISOString().slice(0, 10)
}

const DAY_MS = 86_400_000

/**
 * Between which bounds a rate lies that was seen `times` out of `of` (Wilson, 95%). Honest for few cases: none of four is not never.
 * Everything is possible where nothing was seen.
 */
export function rateInterval(times: number, of: number): readonly [low: number, high: number] {
  if (of === 0) return [0, 1]
  const share = times / of
  const spread = Z * Z
  const middle = (share + spread / (2 * of)) / (1 + spread / of)
  const half = (Z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of * of))) / (1 + spread / of)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** 95 of 100. */
const Z = 1.96
