import { runRecord, type RunRecord } from '../analytics/run-record.ts'
import type { Event } from '../../core/event.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { importedFrom } from '../transcripts/imported-config.ts'
import { hasReport, joinedTurns } from './joined-turns.ts'
import { LOOP_KINDS, type LoopKind } from './recorded-loop.ts'
import type { ReplayableLoop } from './replayable-loop.ts'

/**
 * A run of one's own store as a loop to try policies on: its journal as it is, cut after each iteration. Nothing for one that did no
 * iteration, nor for an imported session in which no tests were seen: how that ended nobody knows. A run that is not over, or waits for
 * an answer, counts neither as a failure nor as a success. What would have come after a stop nobody knows: the run ends where it ended.
 */
export function storedLoop(events: readonly Event[]): ReplayableLoop | undefined {
  const [first] = events
  const record = runRecord(events)
  const iterations = cutAfterIterations(events)
  if (first?.type !== 'run.started' || !record || iterations.length === 0 || isUnreported(events)) return undefined
  const { config } = first.data
  const outcome = OUTCOMES[record.ending]
  const costsUsd = iterations.map((each) => each.reduce((sum, event) => sum + costOf(event), 0))
  return {
    dataset: `pawl ${config.loop.name}`,
    id: record.run,
    task: goalOf(config) ?? record.run,
    kind: kindOf(config),
    ...(outcome ? { outcome } : {}),
    ...(outcome === 'solved' ? { solvedAt: solvedAt(config, iterations) } : {}),
    ...(costsUsd.some((cost) => cost > 0) ? { costsUsd } : {}),
    iterations: importedFrom(config) ? joinedTurns(iterations) : iterations,
  }
}

/** Whether a run is an imported session in which no tests were seen. */
export function isUnreported(events: readonly Event[]): boolean {
  const [first] = events
  return first?.type === 'run.started' && importedFrom(first.data.config) !== undefined && !hasReport(events)
}

/** Work that a person took although the checks did not pass is what they wanted. */
const OUTCOMES: Readonly<Record<RunRecord['ending'], ReplayableLoop['outcome']>> = {
  succeeded: 'solved',
  accepted: 'solved',
  partial: undefined,
  stopped: 'failed',
  aborted: 'failed',
  open: undefined,
  imported: undefined,
}

/** A run of our own ends with the iteration that passed. A session that was imported may go on: it was solved when its tests last began to pass. */
function solvedAt(config: RunConfig, iterations: readonly (readonly Event[])[]): number {
  if (!importedFrom(config)) return iterations.length
  const lastFailed = iterations.findLastIndex((events) => events.some(({ type }) => type === 'check.failed'))
  const passed = iterations.findIndex(
    (events, index) => index >= lastFailed && events.some(({ type }) => type === 'check.passed'),
  )
  return passed === -1 ? iterations.length : passed + 1
}

function cutAfterIterations(events: readonly Event[]): readonly (readonly Event[])[] {
  const ends = events.flatMap(({ type }, index) => (type === 'iteration.ended' ? [index + 1] : []))
  return ends.map((end, index) => events.slice(ends[index - 1] ?? 0, end))
}

function costOf(event: Event): number {
  return event.type === 'iteration.ended' ? event.data.costUsd : 0
}

/** Runs at the same goal are runs at the same task. */
function goalOf({ loop }: RunConfig): string | undefined {
  const { goal } = loop.settings
  return typeof goal === 'string' && goal !== '' ? goal : undefined
}

/** What was imported may say what its iterations are; our own loops try the whole task each time. */
function kindOf({ loop }: RunConfig): LoopKind {
  return LOOP_KINDS.find((kind) => kind === loop.settings['kind']) ?? 'attempts'
}
