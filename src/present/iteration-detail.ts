import type { Action } from '../core/action.ts'
import { defined } from '../core/defined.ts'
import type { CheckEnded, CheckErrored, EventData, TextRef, WorkspaceObserved } from '../core/event-data.ts'
import type { Event, Instant, Seq } from '../core/event.ts'
import type { IterationView } from './iteration-view.ts'
import { eventWords } from './log-lines.ts'
import type { DecisionView, RunFold } from './run-fold.ts'

/** A text of an agent or a check. */
export interface TextView {
  /** By which all of it can be fetched. */
  readonly sha256: string
  readonly text: string
  /** How long all of it is. */
  readonly bytes: number
  /** Set if `text` is only its beginning. */
  readonly isCut?: true
}

/** One iteration, with everything that happened in it; `Text` is a text, or where to find it. */
export interface IterationDetail<Text = TextView> {
  readonly run: string
  readonly iteration: number
  readonly startedAt: Instant
  readonly endedAt?: Instant
  /** The same as in `pawl show --json`. */
  readonly summary?: IterationView
  /** What agents did, in the order in which they began. */
  readonly works: readonly WorkView<Text>[]
  /** What checks and reviewers said, in order. */
  readonly checks: readonly CheckView[]
  readonly observed?: Pick<WorkspaceObserved, 'files' | 'filesChanged' | 'insertions' | 'deletions' | 'notes' | 'suspicions'>
  readonly decisions: readonly ExplainedDecision[]
  readonly events: readonly EventView[]
}

export interface WorkView<Text = TextView> {
  readonly key: string
  readonly role: string
  readonly seq: Seq
  readonly startedAt: Instant
  readonly endedAt?: Instant
  readonly agent?: string
  readonly model?: string
  readonly status: 'working' | 'finished' | 'failed' | 'asked' | 'abandoned'
  readonly brief: Text
  /** What the agent said; else what it printed. */
  readonly words?: Text
  /** What it says it did, or why it failed. */
  readonly summary?: string
  readonly fix?: string
  readonly costUsd?: number
  readonly tokens?: number
  readonly durationMs?: number
  /** The last tool calls; `actionsCut` came before them. */
  readonly actions: readonly Pick<Action, 'name' | 'label'>[]
  readonly actionsCut?: number
}

export interface CheckView
  extends
    Partial<
      Pick<CheckEnded, 'exitCode' | 'counts' | 'flaky' | 'output' | 'reviewer' | 'summary'> &
        Pick<CheckErrored, 'message' | 'fix'>
    >,
    Pick<CheckEnded, 'failures' | 'durationMs'> {
  readonly seq: Seq
  readonly at: Instant
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'errored' | 'approved' | 'rejected'
}

/** A decision with the events behind it and what would have changed it. */
export interface ExplainedDecision extends DecisionView {
  readonly basisEvents: readonly EventView[]
  readonly wouldChange: readonly string[]
}

/** An event in a list: what `pawl log` says of it. */
export interface EventView {
  readonly seq: Seq
  readonly at: Instant
  readonly type: string
  readonly by: string
  readonly words: string
  /** Set for what happens in every iteration and is no failure: a page folds these. */
  readonly isRoutine?: true
}

/** Reads an iteration out of its events; `others` are earlier events that its decisions rest on. */
export function iterationDetail(
  iteration: number,
  { state, iterations, decisions }: Pick<RunFold, 'state' | 'iterations' | 'decisions'>,
  events: readonly Event[],
  others: readonly Event[] = [],
): IterationDetail<TextRef> {
  const known = { iterations: iterations.slice(0, Math.max(1, iteration)) }
  const shown = new Map([...others, ...events].map((event) => [event.seq, eventView(event, known)]))
  const summary = iterations[iteration - 1]
  const observed = events.findLast((event) => event.type === 'workspace.observed' && event.by.role === 'workspace')
  return {
    run: state?.run ?? '',
    iteration,
    startedAt: events[0]?.at ?? 0,
    ...defined({ endedAt: events.findLast(({ type }) => type === 'iteration.ended')?.at, summary }),
    works: worksIn(events),
    checks: events.flatMap(checkView),
    ...(observed?.type === 'workspace.observed' ? { observed: observedView(observed.data) } : {}),
    decisions: decisions
      .filter((decision) => decision.iteration === iteration)
      .map((decision) => ({
        ...decision,
        basisEvents: decision.basis.flatMap((seq) => shown.get(seq) ?? []),
        wouldChange: [...new Set(decision.trips.map(({ hint }) => hint))],
      })),
    events: events.flatMap(({ seq }) => shown.get(seq) ?? []),
  }
}

/** Seqs that an iteration's decisions rest on and that lie before it. */
export function basisBefore(iteration: number, { decisions }: Pick<RunFold, 'decisions'>, first: Seq): readonly Seq[] {
  const seqs = decisions.filter((decision) => decision.iteration === iteration).flatMap(({ basis }) => basis)
  return [...new Set(seqs)].filter((seq) => seq < first).slice(-BASIS_MAX)
}

const BASIS_MAX = 20

function eventView(event: Event, known: Pick<RunFold, 'iterations'>): EventView {
  const { seq, at, type, by } = event
  const who = by.name === undefined || by.name === by.role ? by.role : `${by.role} ${by.name}`
  return { seq, at, type, by: who, words: eventWords(event, known), ...(ROUTINE.has(type) ? { isRoutine: true } : {}) }
}

const ROUTINE: ReadonlySet<string> = new Set<Event['type']>([
  'iteration.started',
  'iteration.ended',
  'work.started',
  'work.finished',
  'work.acted',
  'workspace.observed',
  'check.started',
  'check.passed',
  'prepare.started',
  'prepare.finished',
  'run.resumed',
  'checkpoint.created',
])

function worksIn(events: readonly Event[]): readonly WorkView<TextRef>[] {
  const works: WorkView<TextRef>[] = []
  const learn = (key: string, more: Partial<WorkView<TextRef>>): void => {
    const index = works.findLastIndex((work) => work.key === key)
    const work = works[index]
    if (work) works[index] = { ...work, ...more }
  }
  for (const event of events) {
    const { seq, at, by } = event
    if (event.type === 'work.started') {
      const { key, role, brief } = event.data
      const player = defined({ agent: by.name, model: by.model })
      works.push({ key, role, seq, startedAt: at, ...player, status: 'working', brief, actions: [] })
    } else if (event.type === 'work.acted') {
      const { key, actions, cut } = event.data
      learn(key, {
        actions: actions.map(({ name, label }) => ({ name, ...defined({ label }) })),
        ...defined({ actionsCut: cut }),
      })
    } else if (event.type in ENDS) learn((event.data as { key: string }).key, endOf(event as WorkEnd))
  }
  return works
}

type WorkEnd = Event<'work.finished' | 'work.failed' | 'work.asked' | 'work.abandoned'>

const ENDS = {
  'work.finished': 'finished',
  'work.failed': 'failed',
  'work.asked': 'asked',
  'work.abandoned': 'abandoned',
} as const

function endOf({ type, at, by, data }: WorkEnd): Partial<WorkView<TextRef>> {
  const { said, output, durationMs, costUsd, tokens, message, summary, reason, fix } = data as Partial<
    EventData['work.finished'] & EventData['work.failed'] & EventData['work.abandoned']
  >
  return {
    endedAt: at,
    status: ENDS[type],
    ...defined({
      agent: by.role === 'agent' ? by.name : undefined,
      model: by.model,
      words: said ?? output,
      summary: message ?? summary ?? (type === 'work.abandoned' ? reason : undefined),
      fix,
      durationMs,
      costUsd,
      tokens,
    }),
  }
}

const OUTCOMES = {
  'check.passed': 'passed',
  'check.failed': 'failed',
  'check.errored': 'errored',
  'review.approved': 'approved',
  'review.rejected': 'rejected',
} as const

function checkView(event: Event): readonly CheckView[] {
  if (!(event.type in OUTCOMES)) return []
  const { seq, at, type, data } = event as Event<keyof typeof OUTCOMES>
  const {
    name,
    durationMs,
    failures = [],
    exitCode,
    counts,
    flaky,
    output,
    reviewer,
    summary,
    message,
    fix,
  } = data as CheckEnded & Partial<CheckErrored>
  const more = defined({ exitCode, counts, flaky, output, reviewer, summary, message, fix })
  return [{ seq, at, name, outcome: OUTCOMES[type], durationMs, failures, ...more }]
}

function observedView({ files, filesChanged, insertions, deletions, notes, suspicions }: WorkspaceObserved) {
  return { files, filesChanged, insertions, deletions, ...defined({ notes, suspicions }) }
}
