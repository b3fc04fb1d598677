import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { FileChange } from '../../core/event-data.ts'
import { type DiffFile, diffFiles } from '../../core/measures/diff-files.ts'
import type { KnownTree, State } from '../../core/state.ts'
import { type Suspicion, SUSPICIONS_MAX } from '../../core/suspicion.ts'
import { shortened } from '../../core/wording.ts'
import { changesBetween } from '../../proof/crossing.ts'
import { redactText } from '../../secrets/filter.ts'
import { hasSecretHint } from '../../secrets/hint.ts'
import type { Observation, Workspace } from '../../workspaces/workspace.ts'
import { type EditedFile, isOfTests, type TestEdit, testEdits, type TextLine } from './test-edits.ts'

/**
 * What the agent did, between the last look and this one, to what its work is checked by, and what it did before and has not put back.
 * Tests that it wrote itself since the first work on the goal are its own: only what is a loss against that tree, too, is held against
 * it.
 */
export async function suspicionsIn(workspace: Workspace, state: Before, seen: Observation): Promise<readonly Suspicion[]> {
  const { base, tree, config, recent, baseline, openSuspicions: open = [] } = state
  const globs = config.protect ?? []
  const isWatched = (path: string): boolean => isOfTests(path) || isProtected(path, globs)
  if (!tree || (open.length === 0 && !seen.files.some(({ path }) => isWatched(path)))) return []
  const { edited } = await changesIn(workspace, { from: tree, to: seen, isWatched })
  const edits = testEdits(edited, recent.at(-1)?.failures ?? baseline?.failures ?? [])
  const { reloaded } = config
  // A person had the run take this very pawl.yaml in.
  const isReloaded = reloaded !== undefined && (await isSettings(workspace, seen, reloaded))
  const protectedIn = (files: readonly EditedFile[]): readonly TestEdit[] =>
    protectedEdits(isReloaded ? files.filter(({ path }) => path !== 'pawl.yaml') : files, globs)
  const touched = protectedIn(edited)
  const isFirst = base === undefined || base.snapshot === tree.snapshot
  if (isFirst || edits.length + touched.length + open.length === 0) return shown([...touched, ...edits])
  const total = await changesIn(workspace, { from: base, to: seen, isWatched })
  // A test that failed once may pass by now because of what was done to it.
  const failed = [...recent.flatMap((iteration) => iteration.failures), ...(baseline?.failures ?? [])]
  const sinceStart = testEdits(total.edited, failed)
  const protectedNow = protectedIn(total.edited)
  // Who puts a protected file back has to touch it once more.
  const isPutBack = ({ file }: TestEdit): boolean =>
    open.some((each) => each.file === file) && !total.isCut && !protectedNow.some((each) => each.file === file)
  const isLoss = (one: TestEdit): boolean => sinceStart.some(({ kind, file }) => kind === one.kind && file === one.file)
  const fresh = [...touched.filter((each) => !isPutBack(each)), ...edits.filter(isLoss)]
  const left = notPutBack(open, fresh, await shown([...protectedNow, ...sinceStart]), total.isCut)
  return [...(await shown(fresh)), ...left].slice(0, SUSPICIONS_MAX)
}

/** Whether pawl.yaml has this content. */
async function isSettings(workspace: Workspace, { snapshot, tree }: KnownTree, hash: string): Promise<boolean> {
  const content = await (await workspace.filesOf?.(snapshot, tree))?.read('pawl.yaml')
  return content !== undefined && createHash('sha256').update(content).digest('hex') === hash
}

type Before = Pick<State, 'base' | 'tree' | 'config' | 'recent' | 'baseline' | 'openSuspicions'>

/** What a look finds where the agent changed nothing: all that was to be put back. */
export function stillOpen({ openSuspicions = [] }: Pick<State, 'openSuspicions'>): readonly Suspicion[] {
  return openSuspicions.map((each) => ({ ...each, isEarlier: true }))
}

interface Changes {
  readonly edited: readonly EditedFile[]
  /** Set if something may have changed that isn't listed. */
  readonly isCut: boolean
}

/** The watched files that differ, whole: a diff is cut for storage. Only a workspace that can't list its files has its diff read. */
async function changesIn(
  workspace: Workspace,
  { from, to, isWatched }: { readonly from: KnownTree; readonly to: KnownTree; isWatched(path: string): boolean },
): Promise<Changes> {
  if (!workspace.filesOf) {
    const { text, bytesCut } = await workspace.diff(from.snapshot, to.snapshot)
    return { edited: diffFiles(text).map(editedIn), isCut: bytesCut > 0 }
  }
  const [before, now] = await Promise.all([from, to].map(({ snapshot, tree }) => workspace.filesOf!(snapshot, tree)))
  const edited: EditedFile[] = []
  for (const { path, ...side } of changesBetween(before!, now!).filter((change) => isWatched(change.path))) {
    const [old, present] = [side.before && (await before!.read(path)), side.now && (await now!.read(path))]
    edited.push({ path, ...(side.before ? { before: linesOf(old) } : {}), ...(side.now ? { now: linesOf(present) } : {}) })
  }
  return { edited, isCut: false }
}

/** Nobody's tests are larger, and patterns take their time with long lines. */
const BYTES_MAX = 4_000_000
const LINE_LENGTH_MAX = 2000

function linesOf(content: Buffer | undefined): readonly TextLine[] {
  if (!content || content.length > BYTES_MAX || content.includes(0)) return []
  const lines = content.toString('utf8').split(/\r?\n/)
  return lines.map((text, index) => ({ line: index + 1, text: text.slice(0, LINE_LENGTH_MAX) }))
}

function editedIn({ path, change, hunks }: DiffFile): EditedFile {
  const side = (left: '-' | '+') => hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign === ' ' || sign === left))
  return { path, ...(change === 'added' ? {} : { before: side('-') }), ...(change === 'deleted' ? {} : { now: side('+') }) }
}

/** As they are recorded. Lines are cut only if no secret is in them: half a secret isn't recognised any more. */
async function shown(edits: readonly TestEdit[]): Promise<readonly Suspicion[]> {
  return Promise.all(
    edits.slice(0, SUSPICIONS_MAX).map(async ({ kind, file, line, lines }) => {
      const clean = await Promise.all(lines.map((text) => (hasSecretHint(text) ? redactText(text) : text)))
      const text = shortened(clean.map((each) => each.trim()).join(' / '), TEXT_LENGTH_MAX)
      return { kind, file, ...(line === undefined ? {} : { line }), text }
    }),
  )
}

const TEXT_LENGTH_MAX = 200

/**
 * Put back means that the file's difference to the start no longer shows it; another way to the same end doesn't count. If the difference
 * was cut, what it does not show stays open.
 */
function notPutBack(
  open: readonly Suspicion[],
  fresh: readonly TestEdit[],
  sinceStart: readonly Suspicion[],
  isCut: boolean,
): readonly Suspicion[] {
  const files = [...new Set(open.map(({ file }) => file))].filter((file) => !fresh.some((each) => each.file === file))
  return files.flatMap((file) => {
    const now = sinceStart.filter((each) => each.file === file)
    const left = now.length === 0 && isCut ? open.filter((each) => each.file === file) : now
    return left.map((each) => ({ ...each, isEarlier: true as const }))
  })
}

/**
 * The changed files that nobody but a person may change, with their changed lines. A glob that names a folder protects all that is in it;
 * names that begin with a dot are matched like others.
 */
export function protectedEdits(files: readonly EditedFile[], globs: readonly string[]): readonly TestEdit[] {
  return files
    .filter(({ path }) => isProtected(path, globs))
    .slice(0, SUSPICIONS_MAX)
    .map(({ path, before, now }) => {
      const [old, present] = [new Set(before?.map(({ text }) => text)), new Set(now?.map(({ text }) => text))]
      const gone = (before ?? []).filter(({ text }) => !present.has(text)).map((each) => ({ ...each, sign: '-' }))
      const added = (now ?? []).filter(({ text }) => !old.has(text)).map((each) => ({ ...each, sign: '+' }))
      const changed = [...gone.slice(0, LINES_MAX - Math.min(added.length, LINES_MAX / 2)), ...added].slice(0, LINES_MAX)
      const change: FileChange['change'] = before === undefined ? 'added' : now === undefined ? 'deleted' : 'modified'
      const lines = changed.map(({ sign, text }) => `${sign} ${text.trim()}`)
      const [first] = changed
      const place = first === undefined ? {} : { line: first.line }
      return { kind: isState(path) ? 'state' : 'protected', file: path, ...place, lines: lines.length > 0 ? lines : [change] }
    })
}

const LINES_MAX = 10

function isProtected(path: string, globs: readonly string[]): boolean {
  return isOurOwn(path) || globs.flatMap(withContents).some((pattern) => posix.matchesGlob(dotless(path), pattern))
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
