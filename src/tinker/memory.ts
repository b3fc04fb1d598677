import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { TryEffect } from './pick-next.ts'

/** A file that is changed only for a try, with what puts it back. */
export interface TriedFile {
  readonly path: string
  readonly before: string
  readonly after: string
}

/** Edits that are in the tree only to be tried. */
export interface PendingTry {
  readonly files: readonly TriedFile[]
  readonly process?: ProcessIdentity
}

/** What outlives a call: which candidates were tried on which tree, and a try that was cut short. */
export interface Memory {
  /** For each tree the candidates that did not help on it. */
  readonly trees: Readonly<Record<string, Readonly<Record<string, TryEffect>>>>
  readonly pending?: PendingTry
}

/** One small file for each run and working folder, in a folder of the system's temporary folder that only this user may enter. */
export class MemoryFile {
  readonly path: string
  #memory: Memory = { trees: {} }

  constructor(run: string, cwd: string, folder = join(tmpdir(), `pawl-tinker-${process.getuid?.() ?? 'user'}`)) {
    makePrivateFolder(folder)
    this.path = join(folder, `${hash(`${FORM}\n${run}\n${resolve(cwd)}`)}.json`)
  }

  /** Reads what an earlier call left; nothing where there is none, or where it cannot be read. */
  load(): Memory {
    try {
      this.#memory = JSON.parse(readFileSync(this.path, 'utf8')) as Memory
    } catch {
      // Forgetting costs some tries a second time and nothing else.
      this.#memory = { trees: {} }
    }
    return this.#memory
  }

  /** Begins anew; a pending try stays known. */
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

/** Counts the forms that the file has had: one of another form is not read. */
const FORM = 2

/** A name for what was read: the same for the same texts. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** What lies in it is written back into the tree, so nobody else may have put it there. */
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
