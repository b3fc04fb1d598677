import { StringDecoder } from 'node:string_decoder'
import { cleanText } from '../../process/output.ts'
import { eventIn, initialReading, type StreamReader, type StreamReading } from './stream-reading.ts'

/** Reads an agent's stream as it comes, and reports what the agent is doing, at most five times a second. */
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

  /** The complete reading. Don't push afterwards. */
  end(): StreamReading {
    this.#lines.end()
    this.#reporter.end()
    return this.#reading
  }

  /** Whether its provider is refusing and it retries. */
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

  /** A line that isn't an event is a warning, or the reason why there are none. */
  #readText(line: string): void {
    if (this.#reader.noise?.test(line)) return
    const before = this.#reading
    this.#reading = this.#reader.text?.(before, line) ?? before
    // A line that the reader understood is reported as what the agent is doing.
    if (this.#reading === before && line.length < 1000 && !line.startsWith(' ')) this.#reporter.tell(line)
  }
}

function lines(count: number): string {
  return count === 1 ? 'A line of its output was' : `${count} lines of its output were`
}

/** Splits a byte stream into lines in bounded memory: lines that are too long are skipped and counted. */
export class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #lengthMax: number
  // A piece may end in the middle of a character. Decodes whole pieces: line by line takes ten times as long.
  readonly #decoder = new StringDecoder('utf8')
  #begun = ''
  #isPassedOver = false
  #tooLong = 0

  constructor(onLine: (line: string) => void, lengthMax = LINE_LENGTH_MAX) {
    this.#onLine = onLine
    this.#lengthMax = lengthMax
  }

  /** How many lines were too long. */
  get tooLong(): number {
    return this.#tooLong
  }

  push(bytes: Buffer): void {
    this.#add(this.#decoder.write(bytes))
  }

  /** The rest counts as a line, even without a line end. Don't push afterwards. */
  end(): void {
    this.#add(this.#decoder.end())
    this.#endLine('')
  }

  #add(text: string): void {
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#endLine(text.slice(start, end))
      start = end + 1
    }
    if (start < text.length) this.#begin(text.slice(start))
  }

  #begin(piece: string): void {
    if (this.#isPassedOver) return
    if (this.#begun.length + piece.length <= this.#lengthMax) this.#begun += piece
    else this.#passOver()
  }

  #endLine(piece: string): void {
    const length = this.#begun.length + piece.length
    if (this.#isPassedOver || length > this.#lengthMax) this.#tooLong++
    else if (length > 0) this.#hand(this.#begun === '' ? piece : this.#begun + piece)
    this.#begun = ''
    this.#isPassedOver = false
  }

  #hand(line: string): void {
    const whole = line.endsWith('\r') ? line.slice(0, -1) : line
    if (whole !== '') this.#onLine(whole)
  }

  #passOver(): void {
    this.#begun = ''
    this.#isPassedOver = true
  }
}

/** Tools answer with whole files and pictures; longer lines contain nothing that Pawl uses. */
const LINE_LENGTH_MAX = 4 * 1024 * 1024

/** Reports the newest of many lines: the first one at once, then at most one every `intervalMs`, the last one at `end`. */
class LatestReporter {
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
