import { cleanText } from './output.ts'

/** The last non-empty lines of an output, for a message: at most `linesMax`, at most `charactersMax`. */
export function lastLines(text: string, linesMax = 5, charactersMax = 1000): string {
  const lines = text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-linesMax)
    .join('\n')
  return lines.length > charactersMax ? `…${lines.slice(-charactersMax).toWellFormed()}` : lines
}

/**
 * The last lines in which a program says why it ended, newest first, without empty lines and lines that explain nothing (stack frames,
 * the fields of a Node error, npm's epilogue).
 */
export function closingLines(text: string, linesMax: number): readonly string[] {
  const lines: string[] = []
  // Both bounds: an output that ends with a thousand stack frames isn't searched to its beginning.
  const tail = text.slice(-CHARACTERS_MAX).split('\n').slice(-SEARCHED_LINES_MAX)
  for (const line of tail.toReversed()) {
    if (lines.length >= linesMax) break
    const trimmed = line.trimEnd()
    if (trimmed !== '' && !BESIDE_THE_POINT.some((pattern) => pattern.test(trimmed)))
      lines.push(trimmed.slice(0, LINE_CHARACTERS_MAX))
  }
  return lines
}

const SEARCHED_LINES_MAX = 120
const CHARACTERS_MAX = 64 * 1024
const LINE_CHARACTERS_MAX = 2000

const BESIDE_THE_POINT: readonly RegExp[] = [
  /^\s+at /,
  /^Node\.js v\d/,
  /^Emitted 'error' event on /,
  /^\s+throw er; /,
  /^\s*\^+$/,
  // The fields that Node prints below an error, and their values.
  /^\s*(?:code|errno|syscall|address|port|path|dest|requireStack|spawnargs|url|hostname): /,
  /^\s*[[\]{}],?$/,
  /^- \//,
  // V8 below a fatal error.
  /^-+ (?:Native|JS) stack ?trace -+$/i,
  /^\s*\d+: 0x[0-9a-f]+ /,
  // What npm, yarn, pnpm and make print after a failed script.
  /^npm (?:error|ERR!)(?: (?:A complete log of this run|Lifecycle script|path|workspace|location|command|errno|syscall|code \d|\s|Exit status|This is probably not a problem|Failed at the|Test failed|.*\/_logs\/).*)?$/,
  /^error Command failed with exit code \d+\.$/,
  /^info Visit https:\/\/yarnpkg\.com/,
  /^\s*ELIFECYCLE\s/,
  // What git prints below ssh's error, and docker below its own.
  /^fatal: Could not read from remote repository\.$/,
  /^Please make sure you have the correct access rights$/,
  /^and the repository exists\.$/,
  /^(?:See|Run) 'docker[\w -]*' ?.*$/,
  /^make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+$/,
]

/**
 * Reports the newest non-empty line of a stream: the first one at once, then at most one every `intervalMs`, the last one at `end`.
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
      .slice(0, REPORTED_CHARACTERS_MAX)
      .toWellFormed()
    if (line === undefined || line === this.#reported) return
    this.#reported = line
    this.#report(line)
  }
}

const RECENT_BYTES_MAX = 2048
const REPORTED_CHARACTERS_MAX = 200

/**
 * The end of a growing text. Cuts only once the text is twice as long as `lengthMax`, and drops a cut line or key completely, because it
 * may be half a secret.
 */
export function growingEnd(text: string, lengthMax: number): string {
  if (text.length <= lengthMax * 2) return text
  const end = text.slice(-lengthMax)
  const lineBreak = end.indexOf('\n')
  const lines = lineBreak === -1 ? end.slice(placeToCut(end)).toWellFormed() : end.slice(lineBreak + 1)
  const [before = '', ...after] = lines.split(KEY_END)
  return after.length > 0 && !before.includes(KEY_BEGIN) ? after.join(KEY_END) : lines
}

/** In a single long line: after everything that may belong to a cut secret, or to the words that identify it. */
function placeToCut(line: string): number {
  const gap = line.slice(MARGIN).search(/[\s"',;]/)
  return gap === -1 ? line.length : MARGIN + gap
}

const MARGIN = 400
const KEY_BEGIN = '-----BEGIN'
const KEY_END = '-----END'
