import { cleanText } from '../../process/output.ts'
import { LatestReporter } from './latest-reporter.ts'
import { LineSplitter } from './line-splitter.ts'
import { eventIn, initialReading, type StreamReader, type StreamReading } from './stream-reading.ts'

/** Reads an agent's stream while it comes, and tells what the agent does now, at most five times a second. */
export class LiveReading {
  readonly #reader: StreamReader
  readonly #lines = new LineSplitter((line) => this.#read(line))
  readonly #reporter: LatestReporter
  #reading = initialReading
  #broken = 0

  constructor(reader: StreamReader, progress: (line: string) => void) {
    this.#reader = reader
    this.#reporter = new LatestReporter((line) => progress(cleanText(line)))
  }

  push(bytes: Buffer): void {
    this.#lines.push(bytes)
  }

  /** What was told in all. Nothing may be pushed afterwards. */
  end(): StreamReading {
    this.#lines.end()
    this.#reporter.end()
    return this.#reading
  }

  /** Whether its provider refuses it now, and it tries again. */
  get isRefused(): boolean {
    return this.#reading.refusal !== undefined && this.#reading.ending === undefined
  }

  /** A sentence for each kind of line that could not be read. */
  get remarks(): readonly string[] {
    return [
      ...(this.#broken === 0 ? [] : [`${lines(this.#broken)} no whole JSON and not read.`]),
      ...(this.#lines.tooLong === 0 ? [] : [`${lines(this.#lines.tooLong)} too long and not read.`]),
    ]
  }

  #read(line: string): void {
    const before = this.#reading.now
    const event = eventIn(line)
    if (event) this.#reading = this.#reader.event({ ...this.#reading, events: this.#reading.events + 1 }, event)
    else if (line.startsWith('{"')) this.#broken++
    else this.#readText(line)
    const { now } = this.#reading
    if (now !== undefined && now !== before) this.#reporter.tell(now)
  }

  /** What is no event is a warning, or the reason why there are none. */
  #readText(line: string): void {
    if (this.#reader.noise?.test(line)) return
    const before = this.#reading
    this.#reading = this.#reader.text?.(before, line) ?? before
    // What was understood is told as what the agent does, also where it is the same as before.
    if (this.#reading === before && line.length < 1000 && !line.startsWith(' ')) this.#reporter.tell(line)
  }
}

function lines(count: number): string {
  return count === 1 ? 'A line of its output was' : `${count} lines of its output were`
}
