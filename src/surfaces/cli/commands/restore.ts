import type { ProcessIdentity } from '../../../core/event-data.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { SealedEvent } from '../../../stores/store.ts'
import type { OtherBranch, Restoration, RestorePreview, Workspace } from '../../../workspaces/workspace.ts'
import { machineProcesses } from '../../../process/processes.ts'
import { changesWords, filesWords } from '../../../core/wording.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { openSession } from '../../../engine/session.ts'
import { requireNobodyAtWork, requireOutsideWork } from '../run-permissions.ts'
import { placedConfig } from '../../../registry/placed-workspace.ts'
import { requireFolderFree } from '../../../engine/run-in-folder.ts'
import { runView, type RunView } from '../../../present/run-view.ts'
import { snapshotLabel } from '../../../present/run-fold.ts'
import { chosenTree, type ChosenTree, lastConfig, runWorkspace } from '../run-tree.ts'
import { withKnownRun } from '../stored-run.ts'
import { confirmOnTerminal } from '../terminal.ts'

export interface RestoreOptions {
  /** Do not ask first. Needed if nobody can be asked. */
  readonly yes?: boolean
  /** How a person is asked. Default: a prompt on the terminal. */
  readonly confirm?: (question: string) => Promise<boolean>
}

/**
 * Makes the files equal to those after an iteration (0: before any work) or to a saved tree. Default: the best iteration. The
 * present files are saved first. Nothing is written to the journal: when the run continues it looks at the files itself.
 */
export async function restore(context: CliContext, run: string, which?: string, options: RestoreOptions = {}): Promise<number> {
  await requireOutsideWork(context, run, 'restored')
  return withKnownRun(context, run, async (events, store) => {
    const view = runView(events)
    const tree = chosenTree(view, which)
    const config = placedConfig(lastConfig(events), context.project.storePath)
    const workspace = await runWorkspace(context, events)
    // What cannot be looked at now is made or told by the restore itself.
    const preview = await workspace.preview?.(run, tree.snapshot).catch(() => undefined)
    const [recordedPath, path] = [lastConfig(events), config].map(({ workspace: { settings } }) => String(settings['path']))
    const place = view.config.workspace.replace(recordedPath ?? '', path ?? '')
    const own = tree.iteration === undefined ? [] : await filesNewToRun(workspace, view, preview)
    if (!(await isAgreed(context, place, tree, preview, own, options))) return EXIT.interrupted
    const session = await openSession({ store, processes: machineProcesses }, run)
    if (session.status === 'held') return reportHeld(context, run, session.holder)
    try {
      // Read again: while the person thought it over, someone may have driven the run.
      requireNobodyAtWork(runView(await store.read(run)))
      await requireFolderFree(store, run, config, 'wait for it, or pause it first')
      const { cwd } = await workspace.open(run, newest(view))
      // The person knows of the other branch, and wants it all the same.
      const restored = await workspace.restore(run, tree.snapshot, { onAnyBranch: true, ...recorded(events, tree.snapshot) })
      tell(context, run, tree, cwd, workspace, restored, preview, own)
    } finally {
      await session.close()
    }
    return EXIT.done
  })
}

/** Files that would be removed although no iteration made them: somebody added them since the run last looked. */
async function filesNewToRun(
  workspace: Workspace,
  view: RunView,
  { files = [] }: Partial<RestorePreview> = {},
): Promise<readonly string[]> {
  const removed = files.filter(({ change }) => change === 'deleted').map(({ path }) => path)
  const last = newest(view)
  const known = removed.length === 0 || last === undefined ? undefined : await workspace.filesOf?.(last).catch(() => undefined)
  return known ? removed.filter((path) => !known.files.has(path)) : []
}

/** The tree that a snapshot was when it was last kept, by the journal. */
function recorded(events: readonly SealedEvent[], snapshot: string): { readonly tree?: string } {
  const seen = events.findLast((event) => event.type === 'workspace.observed' && event.data.snapshot === snapshot)
  return seen?.type === 'workspace.observed' ? { tree: seen.data.tree } : {}
}

/** The run's state: a worktree that is gone is made again with that. */
function newest({ iterations, start }: RunView): string | undefined {
  return iterations.findLast(({ snapshot }) => snapshot !== undefined)?.snapshot ?? start?.snapshot
}

async function isAgreed(
  { terminal, isJson }: CliContext,
  place: string,
  { words }: ChosenTree,
  { files, otherBranch }: Partial<RestorePreview> = {},
  own: readonly string[],
  { yes = false, confirm = confirmOnTerminal }: RestoreOptions,
): Promise<boolean> {
  const puts = files && files.length > 0 ? ` It changes ${changesWords(files)}.` : ''
  const what = `Restore ${words}, in the workspace ${place}; the files as they are now are saved first.${puts}`
  if (!isJson) terminal.say(what)
  if (!isJson && own.length > 0) {
    const [are, them] = own.length === 1 ? ['is', 'it'] : ['are', 'them']
    terminal.warn(
      `${nameList(own)} ${are} newer than the run and will be removed too. Pawl saves ${them} and prints the command that brings ${them} back.`,
    )
  }
  if (!isJson && otherBranch) terminal.warn(branchWarning(otherBranch))
  if (yes) return true
  if (!terminal.isLive) throw new PawlError('usage.confirm', 'Restoring changes files: add --yes where nobody can be asked.')
  const isYes = await confirm('Restore?')
  if (!isYes) terminal.say('Nothing was changed.')
  return isYes
}

function branchWarning({ was, now, command }: OtherBranch): string {
  return `Another branch is checked out than when this tree was kept: ${now} now, ${was} then. What is committed on ${now} only will look changed or deleted. To go back first: ${command}`
}

function tell(
  { terminal, isJson }: CliContext,
  run: string,
  tree: ChosenTree,
  cwd: string,
  workspace: Workspace,
  { savedAs, files }: Restoration,
  { otherBranch }: Partial<RestorePreview> = {},
  own: readonly string[] = [],
): void {
  const { snapshot, iteration } = tree
  const back =
    savedAs === undefined
      ? undefined
      : { savedAs, command: `pawl restore ${run} ${snapshotLabel(savedAs)}`, byHand: workspace.howToRestore(savedAs) }
  if (isJson) {
    terminal.json({
      status: back ? 'restored' : 'unchanged',
      run,
      ...(iteration === undefined ? {} : { iteration }),
      snapshot,
      cwd,
      ...(otherBranch ? { otherBranch } : {}),
      ...back,
      ...(files ? { files } : {}),
      ...(own.length > 0 ? { newerFiles: own } : {}),
    })
  } else if (!back) terminal.say(`The files in ${cwd} are those already; nothing was changed.`)
  else {
    terminal.say(`${terminal.paint('green', 'Restored')}${files ? ` ${filesWords(files)}` : ''} in ${cwd}.`)
    terminal.say(`The files as they were are kept as ${back.savedAs}. Get them back: ${terminal.paint('cyan', back.command)}`)
    if (own.length > 0) {
      const only = workspace.howToRestore(back.savedAs, own)
      terminal.say(`Get back only ${nameList(own)}: ${terminal.paint('cyan', only)}`)
    }
    terminal.say(`By hand: ${back.byHand}`)
  }
}

/** "a.js, b.js and 3 more". */
function nameList(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMES_MAX)
  return `${shown.join(', ')}${paths.length > shown.length ? ` and ${paths.length - shown.length} more` : ''}`
}

const NAMES_MAX = 3

/** Says that another process drives the run, whose files therefore stay as they are; answers with the exit code for that. */
function reportHeld({ terminal, isJson }: CliContext, run: string, holder: ProcessIdentity): number {
  if (isJson) terminal.json({ status: 'held', run, holder })
  else
    terminal.warn(
      `Process ${holder.pid} on ${holder.host} drives run ${run} now: pause it first (Ctrl-C there), or end it with pawl abort ${run}.`,
    )
  return EXIT.held
}
