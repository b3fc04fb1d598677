import { runRecord, type RunRecord } from '../run-record.ts'
import type { Event } from '../../core/event.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { importedFrom } from '../transcripts/turn-facts.ts'
import { LOOP_KINDS, type LoopKind, type ReplayableLoop } from './recorded-loop.ts'

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

/** A run of our own ends with the iteration that passed. A session that was imported may continue: it was solved when its tests last began to pass. */
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

/** Whether a report of tests is among the facts. */
function hasReport(events: readonly Event[]): boolean {
  return events.some(({ type }) => type === 'check.passed' || type === 'check.failed')
}

/**
 * The turns of an imported session, so that only those count as failed whose tests failed. How a turn without a report stood nobody knows:
 * it is no iteration of its own that could fail, but a part of the one that ends with the next report, and has that one's number. There
 * are as many lists as before, so that guards are still asked after each turn.
 */
function joinedTurns(turns: readonly (readonly Event[])[]): readonly (readonly Event[])[] {
  const joined: (readonly Event[])[] = []
  let iteration = turns.length
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index] ?? []
    const isReported = hasReport(turn)
    if (isReported) iteration = index + 1
    const isFirst = index === 0 || hasReport(turns[index - 1] ?? [])
    joined.push(
      turn.flatMap((event): readonly Event[] => {
        if (event.type === 'iteration.ended') return isReported ? [event] : []
        if (event.type !== 'iteration.started') return [event]
        return isFirst ? [{ ...event, data: { iteration } }] : []
      }),
    )
  }
  return joined.toReversed()
}
