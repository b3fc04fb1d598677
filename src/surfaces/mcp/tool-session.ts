import { builtInFolds } from '../../loops/evolve.ts'
import type { Advance } from '../../core/advance.ts'
import type { Fact } from '../../core/event.ts'
import { isEnding } from '../../core/outcome.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { keepVisible } from '../../secrets/known-values.ts'
import { requireKeptWhole } from '../../journal/redact-facts.ts'
import { endOpenEffects } from '../../engine/end-orphans.ts'
import type { Parts } from '../../engine/parts.ts'
import { heldError, openSession, type Session, presentState as stateAfter, type TakeOptions } from '../../engine/session.ts'
import { withWorkStart } from '../../engine/work-start.ts'
import type { McpProject } from './project.ts'
import { outsideSettings } from './outside-agent.ts'

/** A session of the engine for as long as one tool call takes, with the parts of the run. */
export interface ToolSession {
  readonly run: string
  readonly parts: Parts
  /** Aborted when the caller no longer waits or the server closes. */
  readonly signal: AbortSignal
  readonly engine: Session
  state(): State
  /** With `hold` the iteration stays open, so that guards judge it when the agent asks for the next one. */
  take(facts: readonly Fact[], options?: Pick<TakeOptions, 'hold'>): Promise<Advance>
}

export interface ToolSessionRequest {
  readonly run: string
  readonly signal: AbortSignal
  /** For a run that begins. */
  readonly config?: RunConfig
  /** How long to wait for another holder. Default a second. */
  readonly waitMsMax?: number
}

/**
 * Opens a session on the run, lets `use` write to it and closes it, which the caller need not wait for. Another holder is waited for
 * briefly, then named in the error.
 */
export async function withToolSession<Result>(
  project: McpProject,
  { run, signal, config, waitMsMax = WAIT_MS_MAX }: ToolSessionRequest,
  use: (session: ToolSession) => Promise<Result>,
): Promise<Result> {
  let engine: Session | undefined
  const work = async (): Promise<Result> => {
    const known = await presentState(project, run)
    if (!known && !config) throw unknownRun(run)
    if (!known) keepVisible(run)
    const present = known?.config ?? (config as RunConfig)
    if (!known || !isEnding(known)) await requireKeptWhole(present, known?.run)
    const parts = await project.partsFor(present)
    const opened = await openSession(parts, run, { known, waitMsMax })
    if (opened.status === 'held') throw heldError(opened)
    engine = opened
    const state = engine.state()
    if (state?.current.effects.some((effect) => effect.status === 'open' && effect.process))
      await endOpenEffects(parts.processes, state)
    return use(sessionOf(parts, engine, AbortSignal.any([signal, project.closing])))
  }
  return project.inTurn(run, work, async () => {
    const state = engine?.state()
    if (state) project.seen.set(run, state)
    await engine?.close()
  })
}

const WAIT_MS_MAX = 1000

function sessionOf(parts: Parts, engine: Session, signal: AbortSignal): ToolSession {
  const { run } = engine
  return {
    run,
    parts,
    signal,
    engine,
    state: () => {
      const state = engine.state()
      if (!state) throw unknownRun(run)
      return state
    },
    take: (facts, { hold = false } = {}) => engine.take(parts.definition, facts, takeOptions(parts, hold)),
  }
}

/** The start of the agent's work is recorded with what hands it out, unless the iteration is held open. */
export function takeOptions(parts: Parts, hold: boolean): TakeOptions {
  return hold ? { hold } : { withStart: (result) => withWorkStart(parts, result) }
}

/** The state as the journal has it now; what was seen before need not be read again. */
export async function presentState({ store, seen }: McpProject, run: string): Promise<State | undefined> {
  const state = await stateAfter(store, run, seen.get(run), builtInFolds)
  if (state) seen.set(run, state)
  return state
}

/** For a run that nobody started. */
export function unknownRun(run: string): PawlError {
  const message = `There is no run "${run}": begin with iteration_start, or look at the names with run_list.`
  return new PawlError('run.unknown', message, { value: run })
}

/** The newest run of a task, where there is one, and the name that the next one would get. */
export async function runOfTask(project: McpProject, taskId: string): Promise<{ readonly state?: State; readonly free: string }> {
  const base = runName(taskId)
  const names = new Set((await project.store.runs()).map(({ run }) => run))
  let newest: State | undefined
  let number = 1
  for (; names.has(numbered(base, number)); number++) {
    const state = await presentState(project, numbered(base, number))
    if (state && outsideSettings(state)?.taskId === taskId) newest = state
  }
  return { ...(newest ? { state: newest } : {}), free: numbered(base, number) }
}

/** A task's id as the name of a run: what cannot be in one becomes a hyphen. */
function runName(taskId: string): string {
  const plain = taskId.replaceAll(/[^\w-]+/g, '-').replaceAll(/^[^a-zA-Z0-9]+|-+$/g, '')
  return plain === '' ? 'task' : plain.slice(0, NAME_LENGTH_MAX)
}

const NAME_LENGTH_MAX = 80

function numbered(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`
}
