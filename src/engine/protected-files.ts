import { posix } from 'node:path'
import type { FileChange } from '../core/event-data.ts'
import { diffFiles, type DiffFile } from '../core/measures/test-edits/diff-files.ts'
import { SUSPICIONS_MAX, type Suspicion } from '../core/suspicion.ts'
import { shortened } from '../core/wording.ts'

/**
 * The changed files that nobody but a person may change, with their changed lines from the diff. A glob that names a folder protects
 * all that is in it; names that begin with a dot are matched like others.
 */
export function protectedEdits(files: readonly FileChange[], globs: readonly string[], diff: string): readonly Suspicion[] {
  const patterns = globs.length === 0 ? [] : globs.flatMap(withContents)
  const isProtected = (path: string): boolean =>
    isOurOwn(path) || patterns.some((pattern) => posix.matchesGlob(dotless(path), pattern))
  const touched = files.filter(({ path }) => isProtected(path))
  if (touched.length === 0) return []
  const shown = new Map(diffFiles(diff).map((file) => [file.path, file]))
  return touched.slice(0, SUSPICIONS_MAX).map((file) => edit(file, shown.get(file.path)))
}

/** Whatever the settings say: how the loop is set up, the programs its rules name, and its own state. */
function isOurOwn(path: string): boolean {
  return path === 'pawl.yaml' || path === 'pawl-validators' || path.startsWith('pawl-validators/') || isState(path)
}

function isState(path: string): boolean {
  return path === '.pawl' || path.startsWith('.pawl/')
}

function withContents(glob: string): string[] {
  const plain = dotless(glob.replace(/^\.?\//, '').replace(/\/+$/, ''))
  return [plain, `${plain}/**`]
}

/** A glob's star does not match names that begin with a dot; what is protected should not depend on that. */
function dotless(path: string): string {
  return path.replaceAll(/(^|[/{,])\.(?=[^./])/g, '$1\u2024')
}

function edit({ path, change }: FileChange, shown: DiffFile | undefined): Suspicion {
  const lines = shown?.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.sign !== ' ')) ?? []
  const [first] = lines
  const text = lines
    .slice(0, LINES_MAX)
    .map((line) => `${line.sign} ${line.text.trim()}`)
    .join(' / ')
  const kind = isState(path) ? 'state' : 'protected'
  return { kind, file: path, ...(first ? { line: first.line } : {}), text: shortened(text || change, TEXT_LENGTH_MAX) }
}

const LINES_MAX = 10
const TEXT_LENGTH_MAX = 200
