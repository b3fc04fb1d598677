/** Hands on the newest of many lines: the first one at once, then at most every `intervalMs`, the last one at `end`. */
export class LatestReporter {
  readonly #report: (line: string) => void
  readonly #intervalMs: number
  #latest: string | undefined
  #reported: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(report: (line: string) => void, intervalMs = 200) {
    this.#report = report
    this.#intervalMs = intervalMs
  }

  tell(line: string): void {
    this.#latest = line
    if (this.#timer === undefined) this.#reportNow()
  }

  end(): void {
    this.#reportNow()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #reportNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#latest === undefined || this.#latest === this.#reported) return
    this.#reported = this.#latest
    this.#report(this.#latest)
    this.#timer = setTimeout(() => this.#reportNow(), this.#intervalMs)
  }
}
