import { isOver } from '../../../core/outcome.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { resolve } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import type { Store } from '../../../stores/store.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { loadState, openSession } from '../../../engine/session.ts'
import { knownState } from '../../../engine/person-facts.ts'
import type { CliContext } from '../cli-context.ts'
import { listWorktrees, removeLeftovers, removeWorktree, worktreeLosses } from '../../../registry/workspace-tools.ts'
import { removeRunSessions, runsWithSessions } from '../../../registry/agent-tools.ts'
import { placedConfig } from '../../../registry/placed-workspace.ts'
import { EXIT } from '../exit-codes.ts'
import { requireNobodyAtWork, requireOutsideWork, requireUnbound } from '../run-permissions.ts'
import { lossWords } from '../../../present/workspace-lines.ts'
import { runView } from '../../../present/run-view.ts'
import { requireStore, withExistingStore } from '../stored-run.ts'
import { confirmOnTerminal } from '../terminal.ts'

export interface CleanOptions {
  /** Don't ask, even if something would be lost. Needed if nobody can be asked. */
  readonly yes?: boolean
  /** How a person is asked. Default: a prompt on the terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
}

/**
 * Removes the worktrees of runs that are over, or of the named runs, whatever their state, if nobody drives them. The journal and all
 * snapshots stay, and the present files are kept as one first, so that nothing but what is in no snapshot can be lost: then it asks.
 */
export async function clean(context: CliContext, runs: readonly string[], options: CleanOptions = {}): Promise<number> {
  for (const run of runs) {
    requireStore(context, run)
    await requireOutsideWork(context, run, 'cleaned')
  }
  const code = await withExistingStore(context, async (store) => {
    await removeLeftovers(context.project.root)
    const found = runs.length > 0 ? await wantedRuns(context, store, runs) : await over(context, store)
    if (!(await isAgreed(context, found.wanted, options))) return EXIT.interrupted
    const done = await removed(store, found)
    tell(context, { ...done, sessions: await removeSessions(context, store, runs) })
    return runs.length > 0 && done.isInUse ? EXIT.held : EXIT.done
  })
  if (code === undefined) tell(context, { removed: [], left: [], sessions: [] })
  return code ?? EXIT.done
}

interface Found {
  readonly wanted: readonly Wanted[]
  readonly left: readonly Left[]
}

interface Wanted {
  readonly run: string
  /** The folder in which the worktree is. */
  readonly path: string
  /** What is in no snapshot, in words. */
  readonly lost: readonly string[]
}

interface Left {
  readonly run: string
  readonly reason: string
}

async function wantedRuns(context: CliContext, store: Store, runs: readonly string[]): Promise<Found> {
  const found: (Wanted | Left)[] = []
  for (const run of new Set(runs)) {
    const state = await knownState(store, run)
    requireUnbound(state)
    found.push((await wantedOf(context, state)) ?? { run, reason: 'it has no worktree' })
  }
  return sorted(found)
}

async function over(context: CliContext, store: Store): Promise<Found> {
  const found: (Wanted | Left)[] = []
  for (const run of await listWorktrees(context.project.root)) {
    const state = await loadState(store, run, builtInFolds)
    // One that is not over is not even looked at: its agent may be at work there.
    if (state && !isOver(state))
      found.push({ run, reason: `it is not over (${state.status}); to remove it all the same: pawl clean ${run}` })
    else found.push((state && (await wantedOf(context, state))) ?? { run, reason: 'it is no run of this project' })
  }
  return sorted(found)
}

function sorted(found: readonly (Wanted | Left)[]): Found {
  return {
    wanted: found.filter((each): each is Wanted => 'path' in each),
    left: found.filter((each): each is Left => 'reason' in each),
  }
}

async function wantedOf({ project }: CliContext, { run, config }: State): Promise<Wanted | undefined> {
  const { path = '.', worktree } = placedConfig(config, project.storePath).workspace.settings
  if (worktree !== true) return undefined
  const folder = resolve(project.root, String(path))
  const losses = await worktreeLosses(folder, run)
  return losses && { run, path: folder, lost: lossWords(losses) }
}

async function isAgreed(
  { terminal, isJson }: CliContext,
  wanted: readonly Wanted[],
  { yes = false, confirm = confirmOnTerminal }: CleanOptions,
): Promise<boolean> {
  const lost = wanted.flatMap((each) => each.lost.map((words) => `${each.run}: ${words}`))
  if (lost.length === 0) return true
  if (!isJson) for (const words of lost) terminal.warn(`In no snapshot, and gone with the worktree of ${words}`)
  if (yes) return true
  if (!terminal.isLive)
    throw new PawlError(
      'usage.confirm',
      `This would remove what is in no snapshot (${lost.join('; ')}): add --yes if nobody can be asked.`,
    )
  const isYes = await confirm('Remove?')
  if (!isYes) terminal.say('Nothing was removed.')
  return isYes
}

interface Done {
  readonly removed: readonly { readonly run: string; readonly folder: string; readonly keptAs: string }[]
  readonly left: readonly Left[]
  /** Set when one stayed because somebody works in it. */
  readonly isInUse?: boolean
}

async function removed(store: Store, { wanted, left }: Found): Promise<Done> {
  const done: { run: string; folder: string; keptAs: string }[] = []
  const inUse: Left[] = []
  for (const { run, path } of wanted) {
    const session = await openSession({ store, processes: machineProcesses }, run)
    if (session.status === 'held') {
      inUse.push({ run, reason: `process ${session.holder.pid} on ${session.holder.host} drives it now` })
      continue
    }
    try {
      requireNobodyAtWork(runView(await store.read(run)))
      done.push({ run, ...(await removeWorktree(path, run)) })
    } catch (error) {
      if (!(error instanceof PawlError) || error.code !== 'run.at-work') throw error
      inUse.push({ run, reason: error.message })
    } finally {
      await session.close()
    }
  }
  return { removed: done, left: [...left, ...inUse], isInUse: inUse.length > 0 }
}

/** Session files of runs that are over, or that are named and that nobody drives. */
async function removeSessions({ project }: CliContext, store: Store, runs: readonly string[]): Promise<readonly string[]> {
  const gone: string[] = []
  for (const run of await runsWithSessions(project.storePath)) {
    if (runs.length > 0 && !runs.includes(run)) continue
    const state = await loadState(store, run, builtInFolds)
    const isFree = !state || isOver(state) || (runs.length > 0 && (await store.holder(run)) === undefined)
    if (!isFree) continue
    await removeRunSessions(project.storePath, run)
    gone.push(run)
  }
  return gone
}

function tell(
  { terminal, isJson }: CliContext,
  { removed: done, left, sessions }: Done & { readonly sessions: readonly string[] },
): void {
  if (isJson) return terminal.json({ removed: done, left, sessions })
  for (const run of sessions) terminal.say(`${terminal.paint('green', 'Removed')} the agents' session files of ${run}.`)
  for (const { folder, keptAs } of done)
    terminal.say(`${terminal.paint('green', 'Removed')} ${folder}; its files are kept as ${keptAs}.`)
  for (const { run, reason } of left) terminal.say(`Left ${run}: ${reason}`)
  if (done.length + left.length + sessions.length === 0) terminal.say('There are no worktrees of runs.')
}
