import { PawlError } from '../../../core/pawl-error.ts'
import { thousands } from '../../../core/wording.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { patchLines } from '../../../present/workspace-lines.ts'
import { runView, type RunView } from '../../../present/run-view.ts'
import { chosenTree, runWorkspace } from '../run-tree.ts'
import { withKnownRun } from '../stored-run.ts'

export interface DiffOptions {
  /** Against the beginning of the run instead of the iteration's own. */
  readonly total?: boolean
}

/** What an iteration changed, as a patch. Default: the best iteration, else the last one; in total, up to the newest work. */
export async function diff(
  context: CliContext,
  run: string,
  which?: string,
  { total = false }: DiffOptions = {},
): Promise<number> {
  const { terminal, isJson } = context
  const { view, workspace } = await withKnownRun(context, run, async (events) => ({
    view: runView(events),
    workspace: await runWorkspace(context, events),
  }))
  const { iteration, from, to } = twoTrees(view, which, total)
  const { text, bytesCut } = from === to ? { text: '', bytesCut: 0 } : await workspace.diff(from, to)
  if (isJson) {
    terminal.json({ run, iteration, from, to, patch: text, bytesCut })
    return EXIT.done
  }
  // Piped into `git apply` it must be exact.
  for (const line of patchLines(text, terminal)) terminal.exact(line)
  const what = total ? `Run ${run} up to iteration ${iteration}` : `Iteration ${iteration} of run ${run}`
  const all = total ? '' : ` The whole run: pawl diff ${run} --total`
  if (text === '' && bytesCut === 0) terminal.warn(`${what} changed nothing.${all}`)
  if (bytesCut === 0) return EXIT.done
  // A patch with holes must not look like success to who pipes it into another program.
  const whole = workspace.spec.name === 'git' ? `; the whole of it: git diff ${from} ${to}` : ''
  terminal.warn(`The patch is not whole: ${thousands(bytesCut)} bytes were left out as too much${whole}`)
  return EXIT.error
}

/** The state before any work changed nothing itself, so if that is the best, the last iteration is meant. */
function twoTrees(
  view: RunView,
  which: string | undefined,
  isTotal: boolean,
): { readonly iteration: number; readonly from: string; readonly to: string } {
  const last = view.iterations.findLast(({ snapshot }) => snapshot !== undefined)?.iteration
  const isBestUseful = view.best !== undefined && view.best.iteration > 0
  // Whoever reviews wants what is there now, not what was best before.
  const isNewest = last !== undefined && (isTotal || !isBestUseful)
  const { iteration, snapshot } = chosenTree(view, which ?? (isNewest ? String(last) : undefined))
  if (iteration === undefined || iteration === 0) {
    throw new PawlError(
      'usage.iteration',
      `Run ${view.run} has no changes of an iteration to show${which === undefined ? ' yet' : ` as "${which}"`}: give the number of an iteration from 1.`,
      { value: which },
    )
  }
  const shown = view.iterations[iteration - 1]
  // What the checks of an iteration wrote is not what it changed.
  const to = isTotal ? snapshot : (shown?.workSnapshot ?? snapshot)
  const from = isTotal ? view.start?.snapshot : shown?.snapshotBefore
  return { iteration, from: from ?? to, to }
}
