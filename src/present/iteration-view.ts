import type { DecisionAction } from '../core/event-data.ts'
import type { Event, Seq } from '../core/event.ts'
import { attemptNumber, currentItem } from '../core/plan.ts'
import type { State } from '../core/state.ts'
import { importedFrom } from '../evidence/transcripts/imported-config.ts'
import { isUnchecked } from '../evidence/transcripts/is-unchecked.ts'
import type { Verdict } from '../core/verdict.ts'
import { shortened } from '../core/wording.ts'
import { iterationSpent } from './iteration-spent.ts'
import { type WorkerView, workersWith } from './worker-view.ts'

/** One pass of a run. What is not known yet is not there. */
export interface IterationView {
  readonly iteration: number
  /** The task it was for, by its name, and which attempt at it; absent in a run without tasks. */
  readonly task?: string
  readonly attempt?: number
  /** Where it began. */
  readonly seq: Seq
  /** Where it ended and was measured. */
  readonly endedSeq?: Seq
  readonly verdict?: Verdict
  /** Set for a turn of an imported session that ended without a report: there is no verdict then. */
  readonly isUnchecked?: true
  /** The agents that worked in it, in the order in which they began. */
  readonly workers?: readonly WorkerView[]
  /** Failing tests before it: those of the iteration before, or of the look before any work. */
  readonly failingBefore?: number
  /** How many of the tests that ran at first did not run in it; absent where all did. */
  readonly notRun?: number
  readonly filesChanged?: number
  readonly durationMs?: number
  /** Absent where no agent told it. */
  readonly costUsd?: number
  /** Set when some of its work has no known cost: it cost more than `costUsd`, or nobody knows what. */
  readonly isCostPartial?: true
  /** Absent where no agent told any. */
  readonly tokens?: number
  /** Set when the tokens of some of its work are not known: it took more than `tokens`, or nobody knows how many. */
  readonly areTokensPartial?: true
  /** What the agent said it did, or why it failed, shortened. */
  readonly said?: string
  readonly action?: DecisionAction
  /** The tree before the agent's work, and the one that was checked after it. */
  readonly snapshotBefore?: string
  /** The files as the work left them, before the checks wrote theirs. */
  readonly workSnapshot?: string
  readonly snapshot?: string
}

/** Gathers iterations from a journal, event by event. */
export interface IterationViews {
  take(event: Event, before: State | undefined, after: State): void
  readonly found: readonly IterationView[]
}

/** None yet. */
export function iterationViews(): IterationViews {
  const found: IterationView[] = []
  const learn = (more: Partial<IterationView>, isNewWork: boolean): void => {
    const last = found.at(-1)
    if (!last) return
    const { said: _ofAnother, ...silent } = last
    found[found.length - 1] = { ...(isNewWork ? silent : last), ...more }
  }
  return {
    found,
    take(event, before, after) {
      if (event.type === 'iteration.started')
        found.push({ iteration: event.data.iteration, ...taskOf(event, after), seq: event.seq, ...failingBefore(after, found) })
      else learn({ ...learnt(event, before, after), ...workersOf(event, found.at(-1)) }, event.type === 'work.started')
    },
  }
}

function taskOf({ data }: Event<'iteration.started'>, { plan }: State): Pick<IterationView, 'task' | 'attempt'> {
  const item = currentItem(plan)
  return item ? { task: item.id, attempt: attemptNumber(plan, data.iteration) } : {}
}

function workersOf(event: Event, { workers: known = [] }: Partial<IterationView> = {}): Pick<IterationView, 'workers'> {
  const workers = workersWith(known, event)
  return workers === known ? {} : { workers }
}

/** In an imported session what was seen last counts. */
function failingBefore(
  { recent, baseline, config }: State,
  found: readonly IterationView[],
): Pick<IterationView, 'failingBefore'> {
  const last = importedFrom(config) ? found.findLast(({ verdict }) => verdict)?.verdict : recent.at(-1)?.verdict
  const verdict = last ?? baseline?.verdict
  return verdict === undefined ? {} : { failingBefore: verdict.failing }
}

function learnt(event: Event, before: State | undefined, after: State): Partial<IterationView> {
  switch (event.type) {
    case 'work.finished':
      return event.data.summary === undefined ? {} : { said: shortened(event.data.summary, SAID_LENGTH_MAX) }
    case 'work.failed':
      return { said: shortened(event.data.message, SAID_LENGTH_MAX) }
    case 'workspace.observed':
      return observed(event, before, after)
    case 'iteration.ended':
      return ended(event, after)
    case 'decision.made':
      return { action: event.data.action }
    default:
      return {}
  }
}

/** A person's edits belong to an iteration only while its own work is on record and not yet judged. */
function observed(event: Event<'workspace.observed'>, before: State | undefined, after: State): Partial<IterationView> {
  const { snapshot, filesChanged } = event.data
  if (event.by.role === 'workspace') {
    const from = before?.tree === undefined ? {} : { snapshotBefore: before.tree.snapshot }
    return { filesChanged, snapshot, workSnapshot: snapshot, ...from }
  }
  if (!after.current.observed || after.current.ended) return {}
  return event.by.role === 'check' ? { snapshot } : { snapshot, workSnapshot: snapshot }
}

function ended(event: Event<'iteration.ended'>, after: State): Partial<IterationView> {
  const { verdict, filesChanged, durationMs } = event.data
  const snapshot = after.tree === undefined ? {} : { snapshot: after.tree.snapshot }
  const known = isUnchecked(after) ? ({ isUnchecked: true } as const) : { verdict }
  const notRun = after.recent.at(-1)?.notRun
  const unseen = notRun === undefined ? {} : { notRun }
  return { endedSeq: event.seq, ...known, ...unseen, filesChanged, durationMs, ...iterationSpent(event.data, after), ...snapshot }
}

const SAID_LENGTH_MAX = 300
