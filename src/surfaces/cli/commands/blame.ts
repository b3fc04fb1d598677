import { isAbsolute, relative, resolve, sep } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { blameLines, type LineView, type TreeStep, treeSteps } from '../../../present/workspace-lines.ts'
import { counted } from '../../../core/wording.ts'
import type { SealedEvent, Store } from '../../../stores/store.ts'
import type { BlamedFile, Workspace } from '../../../workspaces/workspace.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { readUndamaged, withExistingStore, withKnownRun } from '../stored-run.ts'
import { lastConfig, runWorkspace } from '../run-tree.ts'
import { placedWorkspace } from '../../../registry/placed-workspace.ts'

/**
 * Names for every line of a file the iteration, agent, model and verdict it comes from. With a run: the file as the run left it. Without
 * one: the file as it is now, over all runs that worked in this folder, in the order they began in.
 */
export async function blame(context: CliContext, file: string, run?: string): Promise<number> {
  const { terminal, isJson } = context
  const history = run === undefined ? await historyOfAll(context) : await historyOf(context, run)
  const path = pathIn(file, history.folder)
  const steps = history.runs.flatMap(treeSteps)
  const blamed = await traceLines(history.workspace, path, steps, run)
  const lines = blamed.lines.map(({ text, index, path: old }, place): LineView => {
    const step = index === undefined ? undefined : steps[index]
    return { line: place + 1, text, ...(old === undefined ? {} : { path: old }), ...originOf(step, steps) }
  })
  const runs = [...new Set(steps.map((step) => step.run))]
  if (isJson) terminal.json({ file: path, runs, missing: blamed.missing, lines })
  else for (const each of blameLines(lines, { isOneRun: runs.length === 1 })) terminal.say(each)
  for (const each of history.damaged)
    terminal.warn(`Run ${each} is left out: its journal cannot be read. See: pawl verify ${each}`)
  if (blamed.missing.length > 0)
    terminal.warn(`Gone: ${counted(blamed.missing.length, 'snapshot')}. Lines from there are attributed to the next one.`)
  return EXIT.done
}

interface History {
  readonly workspace: Workspace
  /** The folder whose files it is about. */
  readonly folder: string
  /** The events of each run, the oldest run first. */
  readonly runs: readonly (readonly SealedEvent[])[]
  /** Runs whose journal cannot be read. */
  readonly damaged: readonly string[]
}

async function historyOf(context: CliContext, run: string): Promise<History> {
  const events = await withKnownRun(context, run, async (known) => known)
  return { workspace: await runWorkspace(context, events), folder: folderOf(context, events), runs: [events], damaged: [] }
}

/** Runs in their own worktree worked on other files: you have to name those. */
async function historyOfAll(context: CliContext): Promise<History> {
  const { all, damaged } = (await withExistingStore(context, allEvents)) ?? { all: [], damaged: [] }
  const { root } = context.project
  const here = all.filter((events) => {
    const { settings } = lastConfig(events).workspace
    return folderOf(context, events) === root && settings['worktree'] !== true
  })
  const last = here.at(-1)
  if (!last) throw new PawlError('run.unknown', `No run has worked in ${root} itself: name one, such as: pawl blame FILE RUN`)
  // A folder that became a repository has other snapshots since then.
  const kind = lastConfig(last).workspace.name
  const runs = here.filter((events) => lastConfig(events).workspace.name === kind)
  return { workspace: await runWorkspace(context, last), folder: root, runs, damaged }
}

async function allEvents(store: Store): Promise<{ readonly all: History['runs']; readonly damaged: readonly string[] }> {
  const all: (readonly SealedEvent[])[] = []
  const damaged: string[] = []
  for (const { run } of (await store.runs()).toSorted((one, other) => one.startedAt - other.startedAt)) {
    const events = await readUndamaged(store, run)
    if (!events) damaged.push(run)
    else if (events.some(({ type }) => type === 'workspace.observed')) all.push(events)
  }
  return { all, damaged }
}

function folderOf({ project }: CliContext, events: readonly SealedEvent[]): string {
  return resolve(project.root, String(placedWorkspace(lastConfig(events), project.storePath).settings['path'] ?? '.'))
}

/** Relative to the current folder if that is inside, else to the run's folder. */
function pathIn(file: string, folder: string): string {
  const here = relative(folder, process.cwd())
  const isInside = !here.startsWith('..') && !isAbsolute(here)
  const path = relative(folder, isInside ? resolve(file) : resolve(folder, file))
  if (path === '' || path.startsWith('..') || isAbsolute(path))
    throw new PawlError('usage.file', `${file} does not lie in ${folder}, which these runs worked in.`, { value: file })
  return path.split(sep).join('/')
}

async function traceLines(
  workspace: Workspace,
  path: string,
  steps: readonly TreeStep[],
  run: string | undefined,
): Promise<BlamedFile> {
  if (!workspace.blame)
    throw new PawlError('usage.blame', `The workspace "${workspace.spec.name}" can't trace where lines come from.`)
  const snapshots = steps.map(({ snapshot }) => snapshot)
  const blamed = await workspace.blame({ path, snapshots, isPresent: run === undefined })
  if (blamed) return blamed
  const where = run === undefined ? 'There is no file of that name here now' : `Run ${run} left no file of that name`
  throw new PawlError('usage.file', `${where}: ${path}. (What git ignores is in no snapshot.)`, { value: path })
}

function originOf(step: TreeStep | undefined, steps: readonly TreeStep[]): Omit<LineView, 'line' | 'text'> {
  if (!step) return { by: 'since' }
  const { by, run, iteration, item, seq, at, role, agent, model, verdict } = step
  // A line that was there when a later run began, but in no run before it, was changed by somebody in between.
  const who = by === 'before' && step !== steps[0] ? 'between' : by
  return {
    by: who,
    run,
    seq,
    at,
    ...(by === 'before' ? {} : { iteration }),
    ...(item === undefined ? {} : { item }),
    ...(role === undefined ? {} : { role }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(verdict === undefined ? {} : { verdict: verdict.word, verdictSeq: verdict.seq }),
  }
}
