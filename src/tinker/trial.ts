import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup } from '../process/end-process-group.ts'
import type { Edit, TriedFile } from './edit.ts'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { PawlError } from '../core/pawl-error.ts'
import type { TryEffect } from './check.ts'

/** The only place that writes to the tree: makes an edit for a try, then keeps it or restores the exact bytes. */
export class Trial {
  readonly #cwd: string
  readonly #memory: MemoryFile
  #pending: PendingTry | undefined

  constructor(cwd: string, memory: MemoryFile) {
    this.#cwd = cwd
    this.#memory = memory
  }

  /** Records the texts as they are, then writes the edited ones. */
  begin(files: readonly TriedFile[]): void {
    this.#pending = { files }
    this.#memory.setPending(this.#pending)
    for (const { path, after } of files) writeFileSync(join(this.#cwd, path), after)
  }

  /** Records the check's process, which must not outlive the try. */
  started(process: ProcessIdentity): void {
    if (this.#pending) this.#memory.setPending({ ...this.#pending, process })
  }

  /** Synchronous, because a signal may have come. Does nothing if no try is in progress. */
  putBack(): void {
    if (!this.#pending) return
    for (const { path, before } of this.#pending.files) writeFileSync(join(this.#cwd, path), before)
    this.#settle()
  }

  keep(): void {
    this.#settle()
  }

  #settle(): void {
    this.#pending = undefined
    this.#memory.setPending(undefined)
  }
}

/**
 * Undoes a try during which an earlier call was killed, and ends its check. Returns the restored files; a file that has changed
 * since is left alone.
 */
export async function undoCutShortTry(cwd: string, memory: MemoryFile): Promise<string | undefined> {
  const { pending } = memory.load()
  if (!pending) return undefined
  if (pending.process) await endProcessGroup(pending.process, { graceMs: 200 })
  const ours = pending.files.filter((file) => isOurs(file, readTextIfThere(join(cwd, file.path))))
  for (const { path, before } of ours) writeFileSync(join(cwd, path), before)
  memory.setPending(undefined)
  return ours.length === 0 ? undefined : ours.map(({ path }) => path).join(' and ')
}

/** An interrupted write leaves the start of the edited text. */
function isOurs({ before, after }: TriedFile, present: string | undefined): boolean {
  return present !== undefined && present !== before && after.startsWith(present)
}

function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A kept edit with the text it replaced. Its offsets are those of the text it was made in. */
export interface KeptEdit extends Pick<Edit, 'start' | 'end' | 'replacement'> {
  readonly path: string
  readonly replaced: string
}

/**
 * Removes one kept edit from the current text of its file and leaves the later ones in place. Returns the text and the other
 * edits as if that one had never been made; `undefined` if a later edit overlaps it.
 */
export function takeBack<Kept extends KeptEdit>(
  text: string,
  kept: readonly Kept[],
  index: number,
): { text: string; kept: Kept[] } | undefined {
  const edit = kept[index]!
  const growth = edit.replacement.length - edit.replaced.length
  const others = kept.slice(0, index)
  let start = edit.start
  for (const later of kept.slice(index + 1)) {
    const isBefore = later.end <= start
    const isBehind = later.start >= start + edit.replacement.length
    if (later.path !== edit.path) others.push(later)
    else if (isBefore) {
      others.push(later)
      start += later.replacement.length - later.replaced.length
    } else if (isBehind) others.push({ ...later, start: later.start - growth, end: later.end - growth })
    else return undefined
  }
  const end = start + edit.replacement.length
  return { text: text.slice(0, start) + edit.replaced + text.slice(end), kept: others }
}

/** Edits that are in the tree only for a try. */
export interface PendingTry {
  readonly files: readonly TriedFile[]
  readonly process?: ProcessIdentity
}

/** What survives a call: the candidates tried on each tree, and an interrupted try. */
export interface Memory {
  /** For each tree, the candidates that didn't help. */
  readonly trees: Readonly<Record<string, Readonly<Record<string, TryEffect>>>>
  readonly pending?: PendingTry
}

/** One small file for each run and working folder, in a temporary folder that only this user can access. */
export class MemoryFile {
  readonly path: string
  #memory: Memory = { trees: {} }

  constructor(run: string, cwd: string, folder = join(tmpdir(), `pawl-tinker-${process.getuid?.() ?? 'user'}`)) {
    makePrivateFolder(folder)
    this.path = join(folder, `${hash(`${FORM}\n${run}\n${resolve(cwd)}`)}.json`)
  }

  /** Reads what an earlier call left, or nothing if it can't be read. */
  load(): Memory {
    try {
      this.#memory = JSON.parse(readFileSync(this.path, 'utf8')) as Memory
    } catch {
      // The only cost is to repeat some tries.
      this.#memory = { trees: {} }
    }
    return this.#memory
  }

  /** Starts over but keeps a pending try. */
  forgetTries(): void {
    this.#write({ ...this.#memory, trees: {} })
  }

  triedOn(tree: string): ReadonlyMap<string, TryEffect> {
    return new Map(Object.entries(this.#memory.trees[tree] ?? {}))
  }

  addTry(tree: string, candidate: string, effect: TryEffect): void {
    const { pending: _, trees } = this.#memory
    const kept = Object.entries(trees)
      .filter(([key]) => key !== tree)
      .slice(1 - TREES_MAX)
    this.#write({ trees: { ...Object.fromEntries(kept), [tree]: { ...trees[tree], [candidate]: effect } } })
  }

  setPending(pending: PendingTry | undefined): void {
    const { trees } = this.#memory
    this.#write(pending ? { trees, pending } : { trees })
  }

  /** Once the check passes there is nothing to remember. */
  remove(): void {
    this.#memory = { trees: {} }
    rmSync(this.path, { force: true })
  }

  #write(memory: Memory): void {
    this.#memory = memory
    writeFileSync(`${this.path}.new`, JSON.stringify(memory), { mode: 0o600 })
    renameSync(`${this.path}.new`, this.path)
  }
}

const TREES_MAX = 20

/** The version of the file's format; other versions aren't read. */
const FORM = 2

/** A short content hash. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Its content is written back into the tree, so nobody else may be able to write here. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const entry = lstatSync(folder)
  const { mode, uid } = entry
  const isPrivate = entry.isDirectory() && (mode & 0o022) === 0 && uid === (process.getuid?.() ?? uid)
  if (!isPrivate) {
    throw new PawlError(
      'tinker.memory.folder',
      `${folder} belongs to someone else or is open to others: remove it, or set TMPDIR to another folder.`,
      {
        value: folder,
      },
    )
  }
}
