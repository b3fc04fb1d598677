import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup } from '../process/end-process-group.ts'
import type { MemoryFile, PendingTry, TriedFile } from './memory.ts'

/** The one place that writes into the tree: makes an edit for a try, then keeps it or puts the bytes back exactly. */
export class Trial {
  readonly #cwd: string
  readonly #memory: MemoryFile
  #pending: PendingTry | undefined

  constructor(cwd: string, memory: MemoryFile) {
    this.#cwd = cwd
    this.#memory = memory
  }

  /** Remembers the texts as they are, then writes the edited ones. */
  begin(files: readonly TriedFile[]): void {
    this.#pending = { files }
    this.#memory.setPending(this.#pending)
    for (const { path, after } of files) writeFileSync(join(this.#cwd, path), after)
  }

  /** Notes the check's process, which must not outlive the try. */
  started(process: ProcessIdentity): void {
    if (this.#pending) this.#memory.setPending({ ...this.#pending, process })
  }

  /** At once and without waiting, since a signal may have come. Nothing happens where no try is under way. */
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
 * Undoes a try during which an earlier call was killed, and ends its check. Says which files were put back; a file that was
 * changed or restored since is left alone.
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

/** A write that was cut short leaves the beginning of the edited text. */
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
