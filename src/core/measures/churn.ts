import type { Seq } from '../event.ts'

/** In how many iterations each file was changed since the checks last passed or the score was last better than ever before. */
export interface Churn {
  readonly files: Readonly<Record<string, FileChurn>>
}

export interface FileChurn {
  readonly count: number
  /** The iteration it was first changed in. */
  readonly since: number
  /** Ends of the iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
}

const FILES_MAX = 200
const FACTS_MAX = 10

/** Nothing was changed yet. */
export const initialChurn: Churn = { files: {} }

/** Counts the files of one iteration; one that passed, or scored better than ever before, starts the count anew. */
export function churnWith(churn: Churn, files: readonly string[], iteration: number, isGood: boolean, seq: Seq): Churn {
  if (isGood) return initialChurn
  if (files.length === 0) return churn
  const counted: Record<string, FileChurn> = { ...churn.files }
  for (const path of new Set(files)) {
    const known = Object.hasOwn(counted, path) ? counted[path] : undefined
    counted[path] = {
      count: (known?.count ?? 0) + 1,
      since: known?.since ?? iteration,
      facts: [...(known?.facts ?? []), seq].slice(-FACTS_MAX),
    }
  }
  return { files: bounded(counted) }
}

/** Of too many files those changed most often are remembered. */
function bounded(files: Record<string, FileChurn>): Churn['files'] {
  if (Object.keys(files).length <= FILES_MAX) return files
  return Object.fromEntries(
    Object.entries(files)
      .toSorted(([, one], [, other]) => other.count - one.count)
      .slice(0, FILES_MAX),
  )
}
