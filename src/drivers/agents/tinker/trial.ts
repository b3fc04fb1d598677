import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessIdentity } from '../../../core/event-data.ts'
import { endProcessGroup } from '../../../process/end-process-group.ts'
import type { MemoryFile, PendingTry } from './memory.ts'

/** The one place that writes into the tree: makes an edit for a try, then keeps it or puts the bytes back exactly. */
export class Trial {
  readonly #cwd: string
  readonly #memory: MemoryFile
  #pending: PendingTry | undefined

  constructor(cwd: string, memory: MemoryFile) {
    this.#cwd = cwd
    this.#memory = memory
  }

  /** Remembers the text as it is, then writes the edited one. */
  begin(path: string, before: string, after: string): void {
    this.#pending = { path, before, after }
    this.#memory.setPending(this.#pending)
    writeFileSync(join(this.#cwd, path), after)
  }

  /** Notes the check's process, which must not outlive the try. */
  started(process: ProcessIdentity): void {
    if (this.#pending) this.#memory.setPending({ ...this.#pending, process })
  }

  /** At once and without waiting, since a signal may have come. Nothing happens where no try is under way. */
  putBack(): void {
    if (!this.#pending) return
    writeFileSync(join(this.#cwd, this.#pending.path), this.#pending.before)
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
 * Undoes a try during which an earlier call was killed, and ends its check. Says which file was put back; a file that was
 * changed or restored since is left alone.
 */
export async function undoCutShortTry(cwd: string, memory: MemoryFile): Promise<string | undefined> {
  const { pending } = memory.load()
  if (!pending) return undefined
  if (pending.process) await endProcessGroup(pending.process, { graceMs: 200 })
  const present = readTextIfThere(join(cwd, pending.path))
  // A write that was cut short leaves the beginning of the edited text.
  const isOurs = present !== undefined && present !== pending.before && pending.after.startsWith(present)
  if (isOurs) writeFileSync(join(cwd, pending.path), pending.before)
  memory.setPending(undefined)
  return isOurs ? pending.path : undefined
}

function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
