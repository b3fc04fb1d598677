import { diffFiles } from '../core/measures/test-edits/diff-files.ts'
import { stillSuspicious, testEdits } from '../core/measures/test-edits.ts'
import type { State } from '../core/state.ts'
import { SUSPICIONS_MAX, type Suspicion } from '../core/suspicion.ts'
import type { Observation, Workspace } from '../ports/workspace.ts'
import { protectedEdits } from './protected-files.ts'

/**
 * What the agent did, between the last look and this one, to what its work is checked by, and what it did before and has not put back.
 * Tests that it wrote itself since the first work on the goal are its own: only what is a loss against that tree, too, is held against
 * it.
 */
export async function suspicionsIn(
  workspace: Workspace,
  state: Pick<State, 'base' | 'tree' | 'config' | 'recent' | 'baseline' | 'openSuspicions'>,
  { files, diff, snapshot }: Observation,
): Promise<readonly Suspicion[]> {
  const { base, tree, config, recent, baseline, openSuspicions: open = [] } = state
  const failing = recent.at(-1)?.failures ?? baseline?.failures ?? []
  const globs = config.protect ?? []
  const edits = testEdits(diff.text, { files, failing })
  const touched = protectedEdits(files, globs, diff.text)
  const isFirst = base === undefined || base.snapshot === tree?.snapshot
  if (isFirst || edits.length + open.length === 0) return [...touched, ...edits].slice(0, SUSPICIONS_MAX)
  const total = await workspace.diff(base.snapshot, snapshot)
  // A test that failed once may pass by now because of what was done to it.
  const failed = [...recent.flatMap((iteration) => iteration.failures), ...(baseline?.failures ?? [])]
  const sinceStart = testEdits(total.text, { failing: failed })
  const protectedNow = protectedEdits(diffFiles(total.text), globs, total.text)
  // Who puts a protected file back has to touch it once more.
  const isPutBack = ({ file }: Suspicion): boolean =>
    open.some((each) => each.file === file) && total.bytesCut === 0 && !protectedNow.some((each) => each.file === file)
  const fresh = [...touched.filter((each) => !isPutBack(each)), ...stillSuspicious(edits, sinceStart)]
  return [...fresh, ...notPutBack(open, fresh, [...protectedNow, ...sinceStart], total.bytesCut > 0)].slice(0, SUSPICIONS_MAX)
}

/** What a look finds where the agent changed nothing: all that was to be put back. */
export function stillOpen({ openSuspicions = [] }: Pick<State, 'openSuspicions'>): readonly Suspicion[] {
  return openSuspicions.map((each) => ({ ...each, isEarlier: true }))
}

/**
 * Put back is what the difference to the start no longer shows in that file; another way to the same end is none. Where the difference
 * was cut, what it does not show stays open.
 */
function notPutBack(
  open: readonly Suspicion[],
  fresh: readonly Suspicion[],
  sinceStart: readonly Suspicion[],
  isCut: boolean,
): readonly Suspicion[] {
  const isTold = (file: string): boolean => fresh.some((each) => each.file === file)
  const files = [...new Set(open.map(({ file }) => file))].filter((file) => !isTold(file))
  return files.flatMap((file) => {
    const now = sinceStart.filter((each) => each.file === file)
    const left = now.length === 0 && isCut ? open.filter((each) => each.file === file) : now
    return left.map((each) => ({ ...each, isEarlier: true as const }))
  })
}
