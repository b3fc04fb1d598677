import { type DiffFile, diffFiles } from '../../core/measures/diff-files.ts'
import { stillSuspicious, testEdits } from './test-edits.ts'
import type { State } from '../../core/state.ts'
import { type Suspicion, SUSPICIONS_MAX } from '../../core/suspicion.ts'
import { redactText } from '../../secrets/filter.ts'
import { hasSecretHint } from '../../secrets/hint.ts'
import type { Captured } from '../../process/output.ts'
import type { Observation, Workspace } from '../../workspaces/workspace.ts'
import { posix } from 'node:path'
import type { FileChange } from '../../core/event-data.ts'
import { shortened } from '../../core/wording.ts'

/**
 * What the agent did, between the last look and this one, to what its work is checked by, and what it did before and has not put back.
 * Tests that it wrote itself since the first work on the goal are its own: only what is a loss against that tree, too, is held against
 * it.
 */
export async function suspicionsIn(
  workspace: Workspace,
  state: Before,
  { files, diff, snapshot }: Observation,
): Promise<readonly Suspicion[]> {
  const { base, tree, openSuspicions: open = [] } = state
  const edits = testEdits(diff.text, { files, failing: failingBefore(state) })
  const isFirst = base === undefined || base.snapshot === tree?.snapshot
  const total = isFirst || edits.length + open.length === 0 ? undefined : await workspace.diff(base.snapshot, snapshot)
  const found = suspicionsOf(state, { files, diff, total }, edits)
  if (!found.some(({ text }) => text.endsWith('…'))) return found
  const clean = { files, diff: await cleanLines(diff), total: total && (await cleanLines(total)) }
  if (clean.diff.text === diff.text && clean.total?.text === total?.text) return found
  return withTextsOf(found, suspicionsOf(state, clean, testEdits(clean.diff.text, { files, failing: failingBefore(state) })))
}

type Before = Pick<State, 'base' | 'tree' | 'config' | 'recent' | 'baseline' | 'openSuspicions'>

function failingBefore({ recent, baseline }: Before) {
  return recent.at(-1)?.failures ?? baseline?.failures ?? []
}

interface Differences extends Pick<Observation, 'files' | 'diff'> {
  /** To the start, where that matters. */
  readonly total: Captured | undefined
}

function suspicionsOf(state: Before, { files, diff, total }: Differences, edits: readonly Suspicion[]): readonly Suspicion[] {
  const { config, recent, baseline, openSuspicions: open = [] } = state
  const globs = config.protect ?? []
  const touched = protectedEdits(files, globs, diff.text)
  if (!total) return [...touched, ...edits].slice(0, SUSPICIONS_MAX)
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

/**
 * The lines of suspicions are cut, and half a secret is not known for one any more: they are shown as they read where there are no secrets.
 * What is held against the agent stays what it did.
 */
function withTextsOf(found: readonly Suspicion[], clean: readonly Suspicion[]): readonly Suspicion[] {
  return found.map((each, index) => {
    const isSame = (other: Suspicion | undefined): boolean =>
      other?.kind === each.kind && other.file === each.file && other.line === each.line
    const same = isSame(clean[index]) ? clean[index] : clean.find(isSame)
    return { ...each, text: same?.text ?? TEXT_WITHHELD }
  })
}

const TEXT_WITHHELD = '(not shown: there is a secret near it)'

/** A difference of the same lines, without secrets in them. */
async function cleanLines({ text, bytesCut }: Captured): Promise<Captured> {
  const lines: string[] = []
  for (const line of text.split('\n'))
    lines.push(/^[-+ ]/.test(line) && hasSecretHint(line) ? `${line.charAt(0)}${await redactText(line.slice(1))}` : line)
  return { text: lines.join('\n'), bytesCut }
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
