import { storeClosed } from './sqlite-error.ts'

/** Something opened when first used and closed once. After a failure the next use tries again: a full disk may have been emptied. */
export class OpenedOnce<Opened> {
  readonly #path: string
  readonly #open: () => Promise<Opened>
  #opening: Promise<Opened> | undefined
  #opened: Opened | undefined
  #isClosed = false

  constructor(path: string, open: () => Promise<Opened>) {
    this.#path = path
    this.#open = open
  }

  /** What is open now, without waiting. */
  get present(): Opened | undefined {
    return this.#opened
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** What is open, opened now if need be. Rejects with `store.closed` after `close`. */
  async use(): Promise<Opened> {
    if (this.#isClosed) throw storeClosed(this.#path)
    if (this.#opened !== undefined) return this.#opened
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined))
    const opened = await this.#opening
    if (this.#isClosed) throw storeClosed(this.#path)
    this.#opened = opened
    return opened
  }

  /** Gives what there is to close, the first time. */
  async close(): Promise<Opened | undefined> {
    this.#isClosed = true
    const last = this.#opened ?? (await this.#opening?.catch(() => undefined))
    this.#opened = undefined
    return last
  }
}
