import type { SealedEvent } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { CliContext } from './cli-context.ts'
import { workspaceFrom } from '../../registry/parts-from.ts'
import { placedWorkspace } from '../../registry/placed-workspace.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { bestWords } from '../../present/card.ts'
import { type RunView } from '../../present/run-view.ts'
import { snapshotLabel } from '../../present/run-fold.ts'

/** The workspace of a run's last configuration, in the project as it is now. A relative path starts at the project's folder. */
export function runWorkspace({ project }: CliContext, events: readonly SealedEvent[]): Promise<Workspace> {
  return workspaceFrom(placedWorkspace(lastConfig(events), project.storePath))
}

/** A run's last configuration. */
export function lastConfig(events: readonly SealedEvent[]): RunConfig {
  const event = events.findLast((each) => each.type === 'run.started' || each.type === 'run.reconfigured')
  return (event as SealedEvent & { readonly data: { readonly config: RunConfig } }).data.config
}

/** The snapshot that a person asked for. */
export interface ChosenTree {
  readonly snapshot: string
  /** "iteration 3", "the state before any work", "the saved tree saved-1". */
  readonly words: string
  /** Absent for a saved tree. */
  readonly iteration?: number
}

/** The tree of iteration `which` (0 is the state before any work), or one that was saved (`saved-1`). Default: the best one, else the last. */
export function chosenTree(view: RunView, which?: string): ChosenTree {
  const { best, start } = view
  if (which === undefined && best)
    return { snapshot: best.snapshot, words: `the best so far, ${bestWords(best)}`, iteration: best.iteration }
  if (which !== undefined && !/^\d+$/.test(which)) return savedTree(view, which)
  const last = view.iterations.findLast((iteration) => iteration.snapshot !== undefined)
  const iteration = which === undefined ? (last?.iteration ?? 0) : Number(which)
  const snapshot = iteration === 0 ? start?.snapshot : view.iterations[iteration - 1]?.snapshot
  if (snapshot === undefined) throw missing(view, iteration)
  return { snapshot, words: iteration === 0 ? 'the state before any work' : `iteration ${iteration}`, iteration }
}

/** Trees saved by hand are not in the journal, so the name is made from that of a tree that is; the workspace refuses one that is not there. */
function savedTree({ run, start }: RunView, which: string): ChosenTree {
  const label = start === undefined ? undefined : /^(?:.*\/)?(saved-\d+)$/.exec(which)?.[1]
  if (start === undefined || label === undefined) {
    throw new PawlError(
      'usage.iteration',
      `"${which}" is neither an iteration of run ${run} nor a saved tree: give a number from 0, or a name like saved-1.`,
      { value: which },
    )
  }
  return { snapshot: start.snapshot.slice(0, -snapshotLabel(start.snapshot).length) + label, words: `the saved tree ${label}` }
}

function missing({ run, iterations, start }: RunView, iteration: number): PawlError {
  const kept = iterations.filter(({ snapshot }) => snapshot !== undefined).map((each) => each.iteration)
  const has =
    kept.length > 0
      ? `it has those of 0 to ${kept.at(-1)}`
      : start
        ? 'it has that of the state before any work (0) only'
        : 'it has none yet'
  return new PawlError('usage.iteration', `Run ${run} has no tree of iteration ${iteration}: ${has}.`, { value: iteration })
}
