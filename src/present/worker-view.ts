import type { Event } from '../core/event.ts'
import { counted, iterationNoun } from '../core/wording.ts'

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
export function workersWith(workers: readonly WorkerView[], event: Event): readonly WorkerView[] {
  const found = workerIn(event)
  if (!found) return workers
  const isKnown = workers.some(({ agent }) => agent === found.agent)
  return isKnown
    ? workers.map((worker) => (worker.agent === found.agent ? { ...worker, ...found } : worker))
    : [...workers, found]
}

const WORK: ReadonlySet<Event['type']> = new Set(['work.started', 'work.finished', 'work.failed', 'work.asked', 'work.abandoned'])

/** The agent that an event of work tells of; who only puts a question into words does none of the work. */
export function workerIn(event: Event): WorkerView | undefined {
  const { type, by, data } = event
  if (!WORK.has(type) || by.role !== 'agent' || by.name === undefined) return undefined
  if ('key' in data && data.key.split('/')[1] === 'questioner') return undefined
  const session = 'session' in data ? data.session : undefined
  return {
    agent: by.name,
    ...(by.model === undefined ? {} : { model: by.model }),
    ...(session === undefined ? {} : { session }),
  }
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

/** "codex, then gemini since iteration 3"; where they took turns often, how many iterations each had. */
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
