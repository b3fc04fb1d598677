import { defined } from '../core/defined.ts'
import { attemptNumber } from '../core/unit.ts'
import type { DecisionAction } from '../core/event-data.ts'
import type { Event, Seq } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { importedFrom, isUnchecked } from '../evidence/transcripts/turn-facts.ts'
import type { Verdict } from '../core/verdict.ts'
import { counted, iterationNoun, shortened } from '../core/wording.ts'
import { iterationSpent } from './spent.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import { agentSettings, type AgentSettings, partName } from './config-view.ts'

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
  /** How many of the tests that ran at first did not run in it; absent if all did. */
  readonly notRun?: number
  /** Checks that run only before a success, and did not, since another failed. */
  readonly checksNotRun?: readonly string[]
  readonly filesChanged?: number
  readonly durationMs?: number
  /** Absent if no agent reported it. */
  readonly costUsd?: number
  /** Set when some of its work has no known cost: it cost more than `costUsd`, or nobody knows what. */
  readonly isCostPartial?: true
  /** Absent if no agent reported any. */
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

/** Takes an event in: it begins an iteration, or says more of the last one. */
export function learnIteration(found: IterationView[], event: Event, before: State | undefined, after: State): void {
  const last = found.at(-1)
  if (event.type === 'iteration.started')
    found.push({
      iteration: event.data.iteration,
      ...(after.unit ? { task: after.unit.id, attempt: attemptNumber(after.unit, event.data.iteration) } : {}),
      seq: event.seq,
      ...defined({ failingBefore: failingBefore(after, found) }),
    })
  else if (last) {
    const { said, ...silent } = last
    // What another agent said before is not what this one says.
    const known = event.type === 'work.started' || said === undefined ? silent : last
    found[found.length - 1] = {
      ...known,
      ...learnt(event, before, after),
      ...defined({ workers: workersWith(last.workers, event) }),
    }
  }
}

/** In an imported session what was seen last counts. */
function failingBefore({ recent, baseline, config }: State, found: readonly IterationView[]): number | undefined {
  const last = importedFrom(config) ? found.findLast(({ verdict }) => verdict)?.verdict : recent.at(-1)?.verdict
  return (last ?? baseline?.verdict)?.failing
}

function learnt(event: Event, before: State | undefined, after: State): Partial<IterationView> {
  switch (event.type) {
    case 'work.finished':
      return defined({ said: event.data.summary && shortened(event.data.summary, SAID_LENGTH_MAX) })
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
    return { filesChanged, snapshot, workSnapshot: snapshot, ...defined({ snapshotBefore: before?.tree?.snapshot }) }
  }
  if (!after.current.observed || after.current.ended) return {}
  return event.by.role === 'check' ? { snapshot } : { snapshot, workSnapshot: snapshot }
}

function ended(event: Event<'iteration.ended'>, after: State): Partial<IterationView> {
  const { verdict, filesChanged, durationMs } = event.data
  return {
    endedSeq: event.seq,
    ...(isUnchecked(after) ? { isUnchecked: true } : { verdict }),
    ...defined({ notRun: after.recent.at(-1)?.notRun, checksNotRun: event.data.checksNotRun }),
    filesChanged,
    durationMs,
    ...iterationSpent(event.data, after),
    ...defined({ snapshot: after.tree?.snapshot }),
  }
}

const SAID_LENGTH_MAX = 300

/** An agent that worked in an iteration, with what is known of how. */
export interface WorkerView {
  readonly agent: string
  /** The model, as the agent or its driver names it. */
  readonly model?: string
  /** The agent's own id of the session in which it worked. */
  readonly session?: string
}

/** An agent that worked from an iteration on, until another one did. */
export interface WorkerStretch extends WorkerView {
  readonly since: number
  /** How many iterations that were. */
  readonly iterations: number
}

/** The workers of an iteration with the one that an event tells of: each once, in the order in which they began. */
function workersWith(workers: IterationView['workers'], event: Event): IterationView['workers'] {
  const found = workerIn(event)
  if (!found) return workers
  return workers?.some(({ agent }) => agent === found.agent)
    ? workers.map((worker) => (worker.agent === found.agent ? { ...worker, ...found } : worker))
    : [...(workers ?? []), found]
}

const WORK: ReadonlySet<Event['type']> = new Set(['work.started', 'work.finished', 'work.failed', 'work.asked', 'work.abandoned'])

/** The agent that an event of work tells of; who only puts a question into words does none of the work. */
function workerIn(event: Event): WorkerView | undefined {
  const { type, by, data } = event
  if (!WORK.has(type) || by.role !== 'agent' || by.name === undefined) return undefined
  if ('key' in data && data.key.split('/')[1] === 'questioner') return undefined
  return { agent: by.name, ...defined({ model: by.model, session: 'session' in data ? data.session : undefined }) }
}

/** Who worked from when on; in an iteration in which several did, all of them count, in the order in which they began. */
export function workerStretches(
  iterations: readonly { readonly iteration: number; readonly workers?: readonly WorkerView[] }[],
): readonly WorkerStretch[] {
  const stretches: WorkerStretch[] = []
  for (const { iteration, workers = [] } of iterations)
    for (const worker of workers) {
      const last = stretches.at(-1)
      if (last?.agent === worker.agent) stretches[stretches.length - 1] = { ...last, ...worker, iterations: last.iterations + 1 }
      else stretches.push({ ...worker, since: iteration, iterations: 1 })
    }
  return stretches
}

/** "codex, then gemini since iteration 3"; if they took turns often, how many iterations each had. */
export function stretchWords(stretches: readonly WorkerStretch[]): string {
  if (stretches.length <= STRETCHES_TOLD_MAX)
    return stretches.map(({ agent, since }) => (since === 1 ? agent : `${agent} since iteration ${since}`)).join(', then ')
  const byAgent = Map.groupBy(stretches, ({ agent }) => agent)
  return [...byAgent]
    .map(([agent, of]) => `${agent} (${iterationNoun(of.reduce((sum, each) => sum + each.iterations, 0))})`)
    .join(', ')
    .concat(`, in ${counted(stretches.length, 'turn')}`)
}

const STRETCHES_TOLD_MAX = 4

/** The agent that worked last, or is to work if none has; the model and the session as it told them, else the model it is set to. */
export function lastWorker(config: RunConfig, events: readonly Event[]): WorkerView & Pick<AgentSettings, 'sessionMode'> {
  const told = events.flatMap((event) => workerIn(event) ?? [])
  const agent = told.at(-1)?.agent ?? partName(config.agent)
  const own = told.filter((worker) => worker.agent === agent)
  const spec = [config.agent, ...othersIn(config)].find((each) => partName(each) === agent)
  const { model: set, sessionMode } = spec ? agentSettings(spec) : {}
  const model = own.findLast((worker) => worker.model !== undefined)?.model ?? set
  const session = own.findLast((worker) => worker.session !== undefined)?.session
  return { agent, ...defined({ model, sessionMode, session }) }
}

function othersIn({ fallbacks = [], roles = {}, experts = {} }: RunConfig): readonly PartSpec[] {
  return [...fallbacks, ...Object.values(roles), ...Object.values(experts)]
}
