import type { PawlError } from '../core/pawl-error.ts'

/** Opens when first used and closes once. After a failure the next use tries again: a full disk may have space by then. */
export class OpenOnce<Opened> {
  readonly #open: () => Promise<Opened>
  readonly #closed: () => PawlError
  #opening: Promise<Opened> | undefined
  #opened: Opened | undefined
  #isClosed = false

  /** `closed` is what a use after the end reports. */
  constructor(open: () => Promise<Opened>, closed: () => PawlError) {
    this.#open = open
    this.#closed = closed
  }

  /** The opened value without waiting, if it is open. */
  get present(): Opened | undefined {
    return this.#opened
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Opens if necessary. Rejects with `store.closed` after `close`. */
  async use(): Promise<Opened> {
    if (this.#isClosed) throw this.#closed()
    if (this.#opened !== undefined) return this.#opened
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined))
    const opened = await this.#opening
    if (this.#isClosed) throw this.#closed()
    this.#opened = opened
    return opened
  }

  /** Returns what the caller must close, the first time. */
  async close(): Promise<Opened | undefined> {
    this.#isClosed = true
    const last = this.#opened ?? (await this.#opening?.catch(() => undefined))
    this.#opened = undefined
    return last
  }
}
