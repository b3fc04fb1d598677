import { PawlError } from '../core/pawl-error.ts'

/** A snapshot's name taken apart: `refs/pawl/RUN/LABEL`. */
export interface SnapshotName {
  readonly run: string
  readonly label: string
}

/** Label of the tree as it was before the run. */
export const START_LABEL = 'start'

/** Label of the whole repository's tree that a run's own worktree began with. */
export const WORKTREE_LABEL = 'worktree'

/** The name under which the tree of `run` with this label is kept. */
export function snapshotName(run: string, label: string): string {
  return `refs/pawl/${requireName('run id', run)}/${requireName('label', label)}`
}

/** The label of the `count`-th tree that was saved before a restore. */
export function savedLabel(count: number): string {
  return `saved-${count}`
}

/** Takes a name apart; refuses one that no workspace gave out. */
export function parseSnapshotName(name: string): SnapshotName {
  const [refs, pawl, run, label, ...rest] = name.split('/')
  if (refs === 'refs' && pawl === 'pawl' && run !== undefined && label !== undefined && rest.length === 0) {
    return { run: requireName('run id', run), label: requireName('label', label) }
  }
  throw new PawlError('workspace.name-invalid', `"${name}" is not a snapshot; they are named like refs/pawl/RUN/3.`, {
    value: name,
  })
}

/** A label the caller may use: not one of those a workspace gives out itself. */
export function requireOwnLabel(label: string): string {
  if (label === START_LABEL || label === WORKTREE_LABEL || label.startsWith('saved-')) {
    throw new PawlError('workspace.name-invalid', `The label "${label}" is given out by the workspace itself; use another.`, {
      value: label,
    })
  }
  return requireName('label', label)
}

/** Refuses a name that cannot be both a folder and part of a git ref on every system. */
export function requireName(what: string, name: string): string {
  if (/^[\w-][\w.-]*$/.test(name) && name.length <= 200 && !name.includes('..') && !/(\.|\.lock)$/.test(name)) return name
  throw new PawlError(
    'workspace.name-invalid',
    `The ${what} "${name}" cannot name a snapshot: use up to 200 letters, digits, "-", "_" and single "." inside.`,
    { value: name },
  )
}

/** What is missing and what there is, as one sentence. */
export function snapshotMissing(name: string, labels: readonly string[]): PawlError {
  const { run } = parseSnapshotName(name)
  const there = labels.length === 0 ? 'no snapshots at all' : labels.toSorted(byNumber).join(', ')
  return new PawlError('workspace.snapshot-missing', `There is no snapshot ${name}; run "${run}" has ${there}.`, { value: name })
}

const byNumber = new Intl.Collator('en', { numeric: true }).compare
