import { isLimit } from '../../core/limits.ts'
import { knownCost } from './known-cost.ts'
import { proposals, type Proposal } from './proposals.ts'
import { isOver, type RunRecord } from './run-record.ts'
import type { Saving } from './saving.ts'
import { type SizeStatistics, sizeStatistics } from './size-statistics.ts'
import { weekOf } from './week-of.ts'

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
  readonly proposals: readonly Proposal[]
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
    proposals: proposals(records),
  }
}

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
  return { count: records.length, ...counts, open: of('open'), imported: of('imported'), ...rate }
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
