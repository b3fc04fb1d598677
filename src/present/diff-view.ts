import { type DiffFile, diffFiles } from '../core/measures/diff-files.ts'
import type { FileChange } from '../core/event-data.ts'

/** The files that an iteration changed: counts first, the lines of one file on demand. */
export interface DiffView {
  readonly run: string
  readonly iteration: number
  readonly files: readonly DiffFileView[]
  /** How many files changed in all; more than `files` where not all are on record. */
  readonly filesChanged: number
  readonly insertions: number
  readonly deletions: number
  /** Set if the journal has only a part of the patch: `command` shows all of it. */
  readonly isCut?: true
  readonly command: string
}

export interface DiffFileView extends FileChange {
  readonly renamedFrom?: string
  /** As far as the patch is on record; absent for a file of which only the name is. */
  readonly insertions?: number
  readonly deletions?: number
  /** Set for a file that nobody reads line by line, such as a lock file, and for one with very many changes. */
  readonly isFolded?: true
  /** Set if only a part of its lines is on record. */
  readonly isCut?: true
}

/** The changed lines of one file. */
export interface FilePatch {
  readonly run: string
  readonly iteration: number
  readonly path: string
  readonly hunks: DiffFile['hunks']
  /** How many lines were left out here, or were never on record. */
  readonly isCut?: true
}

/** What a patch changes, file by file; `named` are the files that changed by the journal. */
export function diffFileViews(patch: string, named: readonly FileChange[]): readonly DiffFileView[] {
  const inPatch = diffFiles(patch)
  const seen = new Set(inPatch.map(({ path }) => path))
  return [
    ...inPatch.map(({ path, change, renamedFrom, hunks, isCut }) => {
      const lines = hunks.flatMap((hunk) => hunk.lines)
      const insertions = lines.filter(({ sign }) => sign === '+').length
      const deletions = lines.filter(({ sign }) => sign === '-').length
      const isFolded = LOCK_FILE.test(path) || insertions + deletions > LINES_OPEN_MAX
      return {
        path,
        change,
        ...(renamedFrom === undefined ? {} : { renamedFrom }),
        insertions,
        deletions,
        ...(isFolded ? { isFolded: true as const } : {}),
        ...(isCut ? { isCut } : {}),
      }
    }),
    ...named.filter(({ path }) => !seen.has(path)),
  ]
}

const LINES_OPEN_MAX = 400
const LOCK_FILE =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|[^/]+\.lock|[^/]+-lock\.(?:json|yaml)|go\.sum|[^/]+\.min\.(?:js|css))$/

/** One file's hunks, at most `linesMax` lines of them; `undefined` if the patch has none of it. */
export function fileHunks(patch: string, path: string, linesMax: number): Pick<FilePatch, 'hunks' | 'isCut'> | undefined {
  const file = diffFiles(patch).find((each) => each.path === path)
  if (!file) return undefined
  let left = linesMax
  const hunks = file.hunks.flatMap(({ lines }) => {
    const kept = lines.slice(0, left)
    left -= kept.length
    return kept.length === 0 ? [] : [{ lines: kept }]
  })
  const count = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  return { hunks, ...(file.isCut || count > linesMax ? { isCut: true } : {}) }
}
