import type { ReportBuilder } from './report-builder.ts'

/** One error of rustc or clippy. */
export interface RustError {
  readonly code?: string | undefined
  readonly message: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  /** The error with the code it points to, as rustc shows it. */
  readonly rendered?: string | undefined
}

/** Takes the compiler's errors, each once: cargo compiles a crate for itself and again for its tests. */
export class CargoErrors {
  readonly #builder: ReportBuilder
  readonly #seen = new Set<string>()
  #open: { code: string | undefined; message: string; lines: string[] } | undefined
  #unexplained: string | undefined
  count = 0

  constructor(builder: ReportBuilder) {
    this.#builder = builder
  }

  add({ code, message, file, line, rendered }: RustError): void {
    const key = `${file}:${line}:${code}:${message}`
    if (this.#seen.has(key)) return
    if (this.#seen.size < SEEN_MAX) this.#seen.add(key)
    this.count += 1
    const words = code === undefined ? message : `${code} > ${message}`
    this.#builder.fail(file === undefined ? words : `${file} > ${words}`, () => ({
      kind: code?.startsWith('clippy::') === true ? 'lint' : 'compile',
      message: rendered ?? message,
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    }))
  }

  /** A line of the text that rustc prints for people. */
  line(line: string): void {
    if (this.#open === undefined && !line.startsWith('error')) return
    const [, code, message] = /^error(?:\[([\w:]+)\])?: (.+)$/.exec(line) ?? []
    if (message !== undefined || line.trim() === '') this.#close()
    if (message === undefined) {
      if (this.#open !== undefined && this.#open.lines.length < LINES_MAX) this.#open.lines.push(line)
    } else if (message.startsWith('could not compile `')) this.#unexplained ??= message
    else if (!CARGO_OWN.test(message)) this.#open = { code, message, lines: [line] }
  }

  /** There is no more. A crate that could not be compiled without a word why is an error by itself. */
  end(): void {
    this.#close()
    if (this.count === 0 && this.#unexplained !== undefined) this.add({ message: this.#unexplained })
  }

  #close(): void {
    const { code, message, lines } = this.#open ?? {}
    this.#open = undefined
    if (message === undefined || lines === undefined) return
    const [, file, line] = lines.map((each) => /^ *--> (.+):(\d+):\d+$/.exec(each)).find((match) => match !== null) ?? []
    // rustc points to a place; what has none is cargo's own summary.
    if (file !== undefined) this.add({ code, message, file, line: Number(line), rendered: lines.join('\n') })
  }
}

const SEEN_MAX = 10_000
const LINES_MAX = 15
const CARGO_OWN = /^(?:aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed|build failed)/
