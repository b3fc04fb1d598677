import { dirname } from 'node:path'
import { rm as removeFile } from 'node:fs/promises'
import { boundNow } from '../../../core/outcome.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { byteWords, counted, shellWord } from '../../../core/wording.ts'
import { forgetSession } from '../../../engine/bound-sessions.ts'
import { heldError } from '../../../engine/session.ts'
import { currentProcessIdentity } from '../../../process/process-identity.ts'
import { runView } from '../../../present/run-view.ts'
import type { Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { activityPath } from '../../../process/activity.ts'
import { detachedLog } from '../detach.ts'
import { EXIT } from '../exit-codes.ts'
import { requireNobodyAtWork, requireOutsideWork } from '../run-permissions.ts'
import { readableState, snapshotPlaces } from '../run-space.ts'
import { readUndamaged, requireStore, withExistingStore } from '../stored-run.ts'
import { confirmOnTerminal } from '../terminal.ts'
import { sinceInstant } from '../time-flags.ts'

export interface RmOptions {
  /** Don't ask first. Needed if nobody can be asked, and to remove a named run that waits for an answer. */
  readonly yes?: boolean
  /** Only say what would be removed. */
  readonly dryRun?: boolean
  /** Asks the person. Default: at the terminal, where Enter alone means no. */
  readonly confirm?: (message: string, isYes: boolean) => Promise<boolean>
}

/** Removes runs for good: journal, texts, snapshots and worktree. The files of the project stay as they are. */
export async function rm(context: CliContext, runs: readonly string[], options: RmOptions = {}): Promise<number> {
  for (const run of runs) {
    requireStore(context, run)
    await requireOutsideWork(context, run, 'removed')
  }
  const code = await withExistingStore(context, async (store) => {
    const known = new Set((await store.runs()).map(({ run }) => run))
    const unknown = runs.find((run) => !known.has(run))
    if (unknown !== undefined)
      throw new PawlError('run.unknown', `There is no run "${unknown}": pawl ls lists them.`, { value: unknown })
    for (const run of new Set(runs)) await requireFree(store, run)
    if (!options.yes && !options.dryRun) for (const run of new Set(runs)) await requireNoQuestion(store, run)
    return removeRuns(context, store, { runs: [...new Set(runs)], left: [] }, options)
  })
  return code ?? EXIT.done
}

export interface PruneOptions extends RmOptions {
  readonly olderThan?: string
  /** Runs that wait for an answer as well. */
  readonly waiting?: boolean
}

/** Removes the runs that nothing happened in for a while, but none that is at work, bound to a session or waiting for an answer. */
export async function prune(context: CliContext, options: PruneOptions): Promise<number> {
  const { olderThan = '30d', waiting = false } = options
  const before = sinceInstant(olderThan, Date.now(), '--older-than')
  const code = await withExistingStore(context, async (store) => {
    const old = (await store.runs()).filter(({ updatedAt }) => updatedAt < before)
    const found: Found = { runs: [], left: [] }
    for (const { run } of old) {
      const reason = await reasonToKeep(store, run, waiting)
      if (reason === undefined) found.runs.push(run)
      else found.left.push({ run, reason })
    }
    return removeRuns(context, store, found, options)
  })
  if (code === undefined) tell(context, { removed: [], left: [], bytesFreed: 0, snapshotBytes: 0 }, options)
  return code ?? EXIT.done
}

interface Found {
  readonly runs: string[]
  readonly left: { readonly run: string; readonly reason: string }[]
}

async function reasonToKeep(store: Store, run: string, withWaiting: boolean): Promise<string | undefined> {
  try {
    await requireFree(store, run)
  } catch (error) {
    if (error instanceof PawlError && error.code.startsWith('run.')) return error.message
    throw error
  }
  const state = await readableState(store, run)
  const bound = state && boundNow(state)
  if (bound) return `it belongs to a session of ${bound.agent}`
  const isWaiting = state?.status === 'escalated' || state?.status === 'waiting'
  return isWaiting && !withWaiting
    ? `it waits for ${state.status === 'waiting' ? 'its time' : 'your answer'}; --waiting removes it too`
    : undefined
}

/** Throws while somebody drives the run, or its agent is still at work. */
async function requireFree(store: Store, run: string): Promise<void> {
  const holder = await store.holder(run)
  if (holder) throw heldError({ status: 'held', run, holder })
  const events = await readUndamaged(store, run)
  if (events && events.length > 0) requireNobodyAtWork(runView(events))
}

/** Throws if the run waits for an answer. */
async function requireNoQuestion(store: Store, run: string): Promise<void> {
  if ((await readableState(store, run))?.status !== 'escalated') return
  throw new PawlError(
    'usage.confirm',
    `${run} waits for your answer (pawl show ${run}). Add --yes to remove it for good: pawl rm ${run} --yes`,
  )
}

interface Removed {
  readonly removed: readonly string[]
  readonly left: Found['left']
  readonly bytesFreed: number
  /** What git frees when it cleans up. */
  readonly snapshotBytes: number
  /** Set if the store's file could not be made smaller, because a run is at work. */
  readonly isFileKept?: true
}

async function removeRuns(context: CliContext, store: Store, { runs, left }: Found, options: RmOptions): Promise<number> {
  const { terminal, isJson, project } = context
  const { confirm = confirmOnTerminal } = options
  const sizes = new Map((await store.sizes()).runs.map((size) => [size.run, size]))
  const spaces = await snapshotPlaces(context, store, runs)
  const storeBytes = runs.reduce((sum, run) => sum + (sizes.get(run)?.eventBytes ?? 0) + (sizes.get(run)?.textBytes ?? 0), 0)
  let [snapshotBytes, worktreeBytes] = [0, 0]
  for (const { space, runs: own } of spaces) {
    snapshotBytes += (await space.bytesOf(own).catch(() => 0)) ?? 0
    for (const run of own) worktreeBytes += await space.worktreeBytes(run)
  }
  const isLater = spaces.some(({ space }) => space.isFreedLater)
  const expected = {
    bytesFreed: storeBytes + worktreeBytes + (isLater ? 0 : snapshotBytes),
    snapshotBytes: isLater ? snapshotBytes : 0,
  }
  if (runs.length === 0 || options.dryRun) {
    tell(context, { removed: runs, left, ...expected }, options)
    return EXIT.done
  }
  if (!options.yes) {
    if (!terminal.isLive || isJson)
      throw new PawlError(
        'usage.confirm',
        `This removes ${counted(runs.length, 'run')} for good: add --yes if nobody can be asked.`,
      )
    terminal.say(`${counted(runs.length, 'run')} with journal, texts and snapshots: ${runs.join(', ')}`)
    if (!(await confirm('Remove for good?', false))) {
      terminal.say('Nothing was removed.')
      return EXIT.interrupted
    }
  }
  for (const { space, runs: own } of spaces)
    for (const run of own) {
      const state = await readableState(store, run)
      const claimed = await store.claim(run, currentProcessIdentity())
      if (claimed.status === 'held') throw heldError({ status: 'held', run, holder: claimed.holder })
      // The journal last: a removal that is killed can be repeated.
      await space.drop(run)
      if (state?.bound) forgetSession(dirname(project.storePath), state.bound)
      for (const path of [detachedLog(project, run), activityPath(project, run)]) await removeFile(path, { force: true })
      await store.remove(claimed.claim)
    }
  const compacted = await store.compact()
  tell(context, { removed: runs, left, ...expected, ...(compacted ? {} : { isFileKept: true }) }, options)
  return EXIT.done
}

function tell({ terminal, isJson, project }: CliContext, done: Removed, { dryRun = false }: RmOptions): void {
  if (isJson) return terminal.json({ ...done, dryRun })
  const { removed, left, bytesFreed, snapshotBytes, isFileKept } = done
  for (const { run, reason } of left) terminal.say(terminal.paint('dim', `Kept ${run}: ${reason}`))
  if (removed.length === 0) return terminal.say('Nothing to remove.')
  const names = removed.length > NAMES_MAX ? `${removed.slice(0, NAMES_MAX).join(', ')}, …` : removed.join(', ')
  terminal.say(`${dryRun ? 'Would remove' : terminal.paint('green', 'Removed')} ${counted(removed.length, 'run')}: ${names}`)
  terminal.say(`  Frees  ${byteWords(bytesFreed)}${isFileKept ? ', once no run is at work and you prune again' : ''}`)
  if (snapshotBytes === 0) return
  terminal.say(`         ${byteWords(snapshotBytes)} of snapshots when git cleans up:`)
  terminal.say(`         git -C ${shellWord(project.root)} gc --prune=now`)
}

const NAMES_MAX = 8
