import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Event } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import { filesWords } from '../core/wording.ts'
import type { Store } from '../stores/store.ts'
import type { Performance } from './performance.ts'

/**
 * Throws `workspace.changed-since` if undoing the half-done work of a crashed run would also undo what another run or a person did since
 * the crash. Nothing is changed then.
 */
export async function requireOnlyOwnChanges({ parts, state, cwd }: Performance, snapshot: string): Promise<void> {
  if (state.workspace !== 'restore' || parts.mayUndo === true) return
  const { run } = state
  const { files = [] } = (await parts.workspace.preview?.(run, snapshot)) ?? {}
  if (files.length === 0) return
  const lastSeenAt = aliveUntil(await parts.store.read(run), state.workspaceCause)
  const other = await runSince(parts.store, state, lastSeenAt)
  const changed = []
  for (const file of files) if ((await changedAt(cwd, file.path)) > lastSeenAt + UNSEEN_MS_MAX) changed.push(file)
  if (other === undefined && changed.length === 0) return
  const what = filesWords(changed.length === 0 ? files : changed)
  const who = other === undefined ? `${what} changed` : `run ${other} changed ${what}`
  throw new PawlError(
    'workspace.changed-since',
    `Since run ${run} was interrupted, ${who}. Resuming it undoes that, so nothing was changed yet.\n  Undo   pawl resume ${run} --undo-changes  (the files are saved first)\n  Keep   pawl abort ${run}, then start a new run`,
    { value: run },
  )
}

/** A driver renews its claim every 10 seconds: what changed shortly after it was last seen may be its own agent's. */
const UNSEEN_MS_MAX = 15_000

/** When the run's driver was last known to be there, before the event that found its work abandoned. */
function aliveUntil(events: readonly Event[], cause: number): number {
  const before = events.slice(0, cause)
  const resumed = before.findLastIndex(({ type }) => type === 'run.resumed')
  const event = before[resumed]
  const isFoundThen = event?.type === 'run.resumed' && !before.slice(resumed).some(({ type }) => type === 'work.started')
  if (!isFoundThen) return before.at(-1)?.at ?? 0
  return Math.max(event.data.drivenUntil ?? 0, before[resumed - 1]?.at ?? 0)
}

/** Another run of this project that changed files in the same folder after that. */
async function runSince(store: Store, { run, config }: State, since: number): Promise<string | undefined> {
  const { path, worktree } = config.workspace.settings
  if (worktree === true) return undefined
  for (const entry of await store.runs()) {
    if (entry.run === run || entry.updatedAt <= since) continue
    const events = await store.read(entry.run)
    const settings = events.findLast((event) => event.type === 'run.started' || event.type === 'run.reconfigured')?.data.config
      .workspace.settings
    if (settings?.['path'] !== path || settings?.['worktree'] === true) continue
    if (events.some((event) => event.type === 'workspace.observed' && event.at > since && event.data.filesChanged > 0))
      return entry.run
  }
  return undefined
}

/** When a file was last changed, or, if it is gone, the nearest folder that is left. */
async function changedAt(cwd: string, path: string): Promise<number> {
  for (let place = path; ; place = dirname(place)) {
    const found = await lstat(join(cwd, place)).catch(() => undefined)
    if (found) return found.mtimeMs
    if (place === '.' || place === '/') return 0
  }
}
