import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from '../../agents/agent.ts'
import type { Effect } from '../../core/effect.ts'
import type { Author, Fact } from '../../core/event.ts'
import { outcomeOf } from '../../core/outcome.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { drive, type DriveResult } from '../../engine/drive.ts'
import type { Parts } from '../../engine/parts.ts'
import type { OwnPerformance } from '../../engine/performance.ts'
import { leasePorts } from '../../engine/ports.ts'
import { loadState, withSession } from '../../engine/session.ts'
import { builtInFolds } from '../evolve.ts'
import type {
  ChildEffect,
  ChildProgress,
  ChildResult,
  ChildStart,
  LandEffect,
  QueueEffect,
  StopEffect,
  TakeEffect,
} from './events.ts'
import { mayLeaveTests, progressOf } from './fold.ts'
import { childConfig } from './child-config.ts'
import { resultBranch, settingsIn, type ParallelChild, type ParallelSettings } from './settings.ts'

/** Performs the effects of the parallel loop. */
export const parallelPerformers = {
  queue: performQueue,
  child: performChild,
  take: performTake,
  'stop-losers': performStop,
  land: performLand,
}

const RUNNER: Author = { role: 'runner' }

/** Everything begins with your files as they are, in the parent's own worktree. */
async function performQueue({ key }: QueueEffect, performance: OwnPerformance): Promise<void> {
  const { parts, state, post } = performance
  const { workspace, clock } = parts
  await withBranch({ key } as Effect, performance, async () => {
    const { tree } = await workspace.observe(state.run, 'begin')
    const branch = resultBranch(state.run)
    const made = await workspace.commit?.(state.run, {
      key: 'begin',
      branch,
      message: 'Changes that were uncommitted before the run',
    })
    await post([
      {
        type: 'queue.opened',
        at: clock.now(),
        by: RUNNER,
        data: {
          key,
          tree,
          branch,
          ...(made?.tip === undefined ? {} : { tip: made.tip }),
          ...(made?.commit === undefined ? {} : { isDirty: true as const }),
        },
      },
    ])
  })
}

/** Puts a proven tree into the parent's worktree and commits it to the run's branch. */
async function performTake({ key, child }: TakeEffect, performance: OwnPerformance): Promise<void> {
  const { state } = performance
  const { tip, children } = progressOf(state)
  const { result, stage } = knownChild(children[child], child)
  const { goal } = childIn(state, child)
  await withBranch({ key } as Effect, performance, () =>
    takeTree(performance, {
      key,
      child,
      tree: result?.tree ?? '',
      how: stage === 'merge' ? 'merged' : 'as-is',
      message: goal,
      tip,
    }),
  )
}

interface Taken {
  readonly key: string
  readonly child: string
  readonly tree: string
  readonly how: 'as-is' | 'merged' | 'contained'
  readonly message: string
  readonly tip: string | undefined
}

async function takeTree({ parts, state, post }: OwnPerformance, { key, child, tree, how, message, tip }: Taken): Promise<void> {
  const { workspace, clock } = parts
  await workspace.restore(state.run, `refs/pawl/${state.run}/start`, { tree })
  const after = tip === undefined ? {} : { after: tip }
  const made = await workspace.commit?.(state.run, { key: `take ${child}`, branch: resultBranch(state.run), message, ...after })
  await post([{ type: 'child.merged', at: clock.now(), by: RUNNER, data: { key, child, tree, how, ...made } }])
}

/** A branch that can't be written is a problem for a person; what was proven stays. */
async function withBranch({ key }: Effect, { parts, post }: OwnPerformance, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof PawlError) || !error.code.startsWith('workspace.')) throw error
    const by = { role: 'workspace', name: parts.workspace.spec.name } as const
    const data = { key, reason: 'failed', fault: 'environment', message: error.message, durationMs: 0 } as const
    await post([{ type: 'work.failed', at: parts.clock.now(), by, data }])
  }
}

/** Drives a child's run until it is over. While it waits for an answer, it is looked at now and then. */
async function performChild(effect: ChildEffect, performance: OwnPerformance): Promise<void> {
  const { parts, state } = performance
  const { child, key } = effect
  const started = effect.start ? await startChild(effect, performance) : knownChild(progressOf(state).children[child], child)
  if (!started) return
  const { run } = started
  const { partsOf } = parts
  if (!partsOf) throw new PawlError('run.no-children', 'This program can drive no run with children.', { value: state.run })
  const { winner } = progressOf(state)
  if (winner && winner.child !== child) return endLoser({ key, child, run }, performance, winner.child)
  const config = (await loadState(parts.store, run))?.given ?? configOf(state, started)
  const stop = new AbortController()
  const name = `${state.run}/${child}`
  stopping.set(name, stop)
  const lease = await leasePorts(run)
  try {
    const built = await partsOf(config, lease.variables)
    const childParts = started.merged === undefined ? built : { ...built, agent: mergingAgent(built, started) }
    await driveChild({ key, child, run, childParts, stop: stop.signal }, performance)
  } finally {
    stopping.delete(name)
    lease.release()
  }
}

/** Stops the losers of a race that are driven here. */
const stopping = new Map<string, AbortController>()

interface Driven {
  readonly key: string
  readonly child: string
  readonly run: string
  readonly childParts: Parts
  readonly stop: AbortSignal
}

async function driveChild({ key, child, run, childParts, stop }: Driven, performance: OwnPerformance): Promise<void> {
  const { parts, post, progress, state } = performance
  const { store, clock } = parts
  const signal = AbortSignal.any([performance.signal, stop])
  const onProgress = ({ line }: { readonly line: string }): void => progress(`${child}: ${line}`)
  let hasAsked = false
  while (!signal.aborted) {
    const outcome = await drive(childParts, run, { signal, onProgress }).catch(
      (error: unknown): DriveResult | Error => error as Error,
    )
    if (signal.aborted) break
    const seq = (await loadState(store, run))?.seq ?? 0
    const status = outcome instanceof Error ? 'error' : outcome.status
    if (status === 'completed' || status === 'aborted') return post([await finished({ key, child, run }, performance, status)])
    if (status !== 'held') {
      await post([{ type: 'child.asked', at: clock.now(), by: RUNNER, data: { key, child, run, text: asked(outcome) } }])
      hasAsked = true
      await untilChanged(store, run, seq, signal)
    } else await sleep(HELD_LOOK_MS, undefined, { signal }).catch(() => undefined)
    if (hasAsked && !signal.aborted) {
      hasAsked = false
      await post([{ type: 'child.continued', at: clock.now(), by: RUNNER, data: { key, child, run } }])
    }
  }
  // What was interrupted says nothing: it continues with the parent.
  if (stop.aborted && !performance.signal.aborted)
    await endLoser({ key, child, run }, performance, (await winnerNow(parts, state.run)) ?? 'another agent')
}

const HELD_LOOK_MS = 500

async function winnerNow({ store }: Parts, run: string): Promise<string | undefined> {
  const state = await loadState(store, run, builtInFolds)
  return state && progressOf(state).winner?.child
}

function asked(outcome: DriveResult | Error): string {
  if (outcome instanceof Error) return outcome.message
  if (outcome.status === 'held') return ''
  return outcome.question?.text ?? outcome.message
}

/** Resolves once somebody else wrote to the run: an answer, for the most part. */
async function untilChanged({ watch }: Parts['store'], run: string, seq: number, signal: AbortSignal): Promise<void> {
  for await (const _events of watch(run, seq, signal)) return
}

/** Puts on record which run begins, with what. What a merge comes to is decided before, by git alone. */
async function startChild({ key, child, start }: ChildEffect, performance: OwnPerformance): Promise<ChildStart | undefined> {
  const { parts, state, post } = performance
  const { merging } = parts.workspace
  if (!start || !merging) throw new PawlError('workspace.no-branches', 'Parallel runs need git.')
  const { children, tip } = progressOf(state)
  const before = children[child]
  const { stage, base, run } = start
  if (stage === 'work') {
    await merging.begin(run, state.run, base)
    const begun = { child, ...start }
    await post([{ type: 'child.started', at: parts.clock.now(), by: RUNNER, data: { key, ...begun } }])
    return begun
  }
  const { result, base: from } = knownChild(before, child)
  const { tree, conflicts } = await merging.merge(run, { base: from, ours: base, theirs: result?.tree ?? '' })
  const isClean = (progressOf(state).failing ?? 0) === 0 || mayLeaveTests(settingsOf(state).children, child, progressOf(state))
  if (tree === base && isClean) {
    await takeTree(performance, { key, child, tree, how: 'contained', message: childIn(state, child).goal, tip })
    return undefined
  }
  await merging.begin(run, state.run, base)
  const begun = {
    child,
    ...start,
    merged: tree,
    ...(conflicts.length === 0 ? {} : { conflicts: conflicts.slice(0, CONFLICTS_MAX) }),
  }
  await post([{ type: 'child.started', at: parts.clock.now(), by: RUNNER, data: { key, ...begun } }])
  return begun
}

const CONFLICTS_MAX = 20

/**
 * The agent of a run that merges: the first work is to lay the merged files into the worktree. That needs no agent if nothing is in
 * conflict; what the checks then say is feedback for the agent like any other.
 */
function mergingAgent({ agent, workspace }: Parts, { run, merged = '', conflicts = [] }: ChildStart): Agent {
  const lay = () => workspace.restore(run, `refs/pawl/${run}/start`, { tree: merged })
  const work: Agent['work'] = async (request, context) => {
    if (request.iteration !== 1 || request.role !== 'coder') return agent.work(request, context)
    if (conflicts.length === 0) {
      await context.started()
      await lay()
      return { status: 'finished', summary: 'Merged with the other tasks, without a conflict.', costUsd: 0, tokens: 0 }
    }
    const brief = `${request.brief}\n\n# Conflicts\nYour work is in the files, merged with that of the other tasks. Git couldn't merge all of it:\n${conflicts.map((line) => `- ${line}`).join('\n')}\nResolve every conflict and remove git's marks (<<<<<<<, =======, >>>>>>>). Keep what both sides were for.\n`
    return agent.work(
      { ...request, brief },
      {
        ...context,
        started: async (...words) => {
          await context.started(...words)
          await lay()
        },
      },
    )
  }
  return Object.assign(Object.create(agent) as Agent, { work })
}

/** What a child's run came to, from its own journal. */
async function finished(
  { key, child, run }: Pick<Driven, 'key' | 'child' | 'run'>,
  { parts }: OwnPerformance,
  status: 'completed' | 'aborted' | 'stopped',
  message?: string,
): Promise<Fact> {
  const state = await loadState(parts.store, run, builtInFolds)
  const failed = state?.current.checks.filter(({ passed }) => !passed) ?? []
  const told = state && outcomeOf(state)
  const result: ChildResult = {
    status: status === 'completed' ? 'proven' : status === 'stopped' ? 'stopped' : 'failed',
    message: message ?? told?.message ?? '',
    ...(state?.tree ? { tree: state.tree.tree } : {}),
    ...(state?.current.proof ? { level: state.current.proof.level } : {}),
    failing: failed.reduce((sum, { counts, failures }) => sum + (counts?.failed ?? failures.length), 0),
    lines: state ? await changedLines(parts, state) : 0,
    iterations: told?.iterations ?? 0,
    costUsd: state?.totals.costUsd ?? 0,
    tokens: state?.totals.tokens ?? 0,
    ...((state?.totals.unpriced ?? 0) > 0 ? { isCostPartial: true as const } : {}),
  }
  return { type: 'child.finished', at: parts.clock.now(), by: RUNNER, data: { key, child, run, ...result } }
}

/** Added and removed lines since the run began. */
async function changedLines({ workspace }: Parts, { base, tree }: State): Promise<number> {
  if (!base || !tree) return 0
  const { text, bytesCut } = await workspace.diff(base.snapshot, tree.snapshot)
  const lines = text.split('\n').filter((line) => /^[+-](?![+-]{2} )/.test(line)).length
  return lines + Math.ceil(bytesCut / BYTES_PER_LINE)
}

const BYTES_PER_LINE = 40

/** Another one won: the run is over, and says where its half-done work is. */
async function endLoser(
  loser: Pick<Driven, 'key' | 'child' | 'run'>,
  performance: OwnPerformance,
  winner: string,
): Promise<void> {
  const { parts, post } = performance
  const { run } = loser
  const at = parts.clock.now()
  await withSession(
    parts,
    run,
    ({ record }) =>
      record((known) =>
        known && known.status !== 'completed' && known.status !== 'aborted'
          ? [{ type: 'run.aborted', at, by: RUNNER, data: { reason: `${winner} won the race.` } }]
          : [],
      ),
    { waitMsMax: SESSION_WAIT_MS_MAX },
  )
  const events = await parts.store.read(run)
  const saved = events.findLast((event) => event.type === 'workspace.restored' && event.data.savedAs !== undefined)
  const label = saved?.type === 'workspace.restored' ? saved.data.savedAs?.split('/').at(-1) : undefined
  const kept = label === undefined ? `its files: pawl diff ${run} --total` : `its half-done work: pawl restore ${run} ${label}`
  await post([await finished(loser, performance, 'stopped', `Stopped because ${winner} won. Kept, ${kept}`)])
}

const SESSION_WAIT_MS_MAX = 10_000

/** Those that are driven here stop; each says itself what became of it. */
async function performStop({ key, children }: StopEffect, { parts, state, post }: OwnPerformance): Promise<void> {
  for (const child of children) stopping.get(`${state.run}/${child}`)?.abort()
  await post([{ type: 'losers.stopped', at: parts.clock.now(), by: RUNNER, data: { key, children } }])
}

/** Moves the branch that was asked for, and only forward. */
async function performLand({ key, branch }: LandEffect, { parts, state, post }: OwnPerformance): Promise<void> {
  const { tip } = progressOf(state)
  const result = tip === undefined ? 'done' : ((await parts.workspace.merging?.land(branch, tip)) ?? 'no-branch')
  await post([{ type: 'result.landed', at: parts.clock.now(), by: RUNNER, data: { key, branch, result } }])
}

function knownChild(child: ChildProgress | undefined, id: string): ChildProgress {
  if (child) return child
  throw new PawlError('loop.no-child', `Nothing is known of ${id}; this is a defect of Pawl.`)
}

function settingsOf({ config }: State): ParallelSettings {
  const settings = settingsIn(config.loop)
  if (settings) return settings
  throw new PawlError('loop.no-settings', 'The run is no parallel run; this is a defect of Pawl.')
}

function childIn(state: State, id: string): ParallelChild {
  const child = settingsOf(state).children.find((each) => each.id === id)
  if (child) return child
  throw new PawlError('loop.no-child', `The run has no child ${id}; this is a defect of Pawl.`)
}

function configOf(state: State, started: ChildStart): RunConfig {
  const progress = progressOf(state)
  return childConfig(settingsOf(state), childIn(state, started.child), started, {
    parent: state.run,
    merged: progress.merged,
    spent: state.totals,
  })
}
