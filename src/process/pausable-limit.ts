/** A time limit that stands still while somebody else is waited for. */
export class PausableLimit {
  readonly reached: Promise<void>
  #resolve: () => void = () => undefined
  #leftMs: number
  #runningSince: number | undefined
  #pauses = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number) {
    this.#leftMs = Math.min(limitMs, TIMER_MS_MAX)
    this.reached = new Promise((resolve) => (this.#resolve = resolve))
    this.#run()
  }

  /** Time counts again once every pause has been ended by the function it returned. */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#halt()
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      if (--this.#pauses === 0) this.#run()
    }
  }

  /** It is never reached any more. */
  stop(): void {
    this.#pauses++
    this.#halt()
  }

  #run(): void {
    this.#runningSince = performance.now()
    this.#timer = setTimeout(() => this.#resolve(), this.#leftMs)
  }

  #halt(): void {
    clearTimeout(this.#timer)
    if (this.#runningSince !== undefined) this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#runningSince))
    this.#runningSince = undefined
  }
}

/** Longer timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1
