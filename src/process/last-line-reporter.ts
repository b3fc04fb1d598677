import { cleanText } from './clean-text.ts'

/**
 * Hands on the newest non-empty line of a stream: the first one at once, then at most every `intervalMs`, the last one at
 * `end`.
 */
export class LastLineReporter {
  readonly #report: (line: string) => void
  readonly #intervalMs: number
  #recent: Buffer = Buffer.alloc(0)
  #reported: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(report: (line: string) => void, intervalMs = 200) {
    this.#report = report
    this.#intervalMs = intervalMs
  }

  push(chunk: Buffer): void {
    this.#recent = Buffer.concat([this.#recent, chunk.subarray(-RECENT_BYTES_MAX)]).subarray(-RECENT_BYTES_MAX)
    if (this.#timer !== undefined) return
    this.#reportNow()
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#reportNow()
    }, this.#intervalMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#reportNow()
  }

  #reportNow(): void {
    const line = cleanText(this.#recent)
      .split('\n')
      .findLast((each) => each.trim() !== '')
      ?.trim()
      .slice(0, LINE_CHARACTERS_MAX)
      .toWellFormed()
    if (line === undefined || line === this.#reported) return
    this.#reported = line
    this.#report(line)
  }
}

const RECENT_BYTES_MAX = 2048
const LINE_CHARACTERS_MAX = 200
