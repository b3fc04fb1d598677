import type { Spinning } from '../core/event-data.ts'
import { shortened } from '../core/wording.ts'
import type { WorkDetails } from '../agents/agent.ts'
import type { Captured } from '../process/output.ts'
import { redactSaid } from '../secrets/filter.ts'

/**
 * Whether a text ends in the same words again and again: a unit of up to 16 words, or the same lines or sentences. Code, tables, lists,
 * progress bars and the output of tests are no prose and never count. Only the last 16,000 characters are looked at.
 */
export function spinningIn(text: string): Spinning | undefined {
  const prose = proseOf(text.slice(-TAIL_LENGTH_MAX))
  const sentences = prose.flatMap((line) => line.split(SENTENCE_END)).filter((sentence) => sentence !== '')
  return repeated(sentences, ' ', enoughSentences) ?? repeated(wordsOf(prose), '', enoughWords)
}

const TAIL_LENGTH_MAX = 16_000
const PERIOD_MAX = 16

/** After a full stop, a question or an exclamation, and the space behind it. */
const SENTENCE_END = /(?<=[.!?…。！？])\s+/u

/** Words, single signs, and single characters of scripts that are written without spaces. */
function wordsOf(prose: readonly string[]): readonly string[] {
  const words = prose.join('\n').match(WORD) ?? []
  return words.slice(-WORDS_MAX)
}

const WORD = /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_'’-]+|\S)/gu
const WORDS_MAX = 1200

/** The unit and how often the list ends with it. The very last piece may have been cut in the middle, so it may be left out. */
function repeated(pieces: readonly string[], between: string, isEnough: Enough): Spinning | undefined {
  return repeatedAtEnd(pieces, between, isEnough) ?? repeatedAtEnd(pieces.slice(0, -1), between, isEnough)
}

type Enough = (unit: readonly string[], repeats: number) => boolean

function repeatedAtEnd(pieces: readonly string[], between: string, isEnough: Enough): Spinning | undefined {
  const plain = pieces.map((piece) => piece.trim())
  for (let period = 1; period <= PERIOD_MAX && period * REPEATS_MIN <= plain.length; period++) {
    let length = period
    while (length < plain.length && plain[plain.length - 1 - length] === plain[plain.length - 1 - length + period]) length++
    const repeats = Math.floor(length / period)
    if (repeats >= REPEATS_MIN && isEnough(plain.slice(-period), repeats)) {
      // As it began, wherever it was cut.
      const unit = pieces.slice(pieces.length - length, pieces.length - length + period)
      return { unit: shortened(unit.join(between).trim(), UNIT_LENGTH_MAX), repeats }
    }
  }
  return undefined
}

const REPEATS_MIN = 4
const UNIT_LENGTH_MAX = 120

/** A few short sentences said twice are a manner of speaking. */
function enoughSentences(unit: readonly string[], repeats: number): boolean {
  const length = unit.reduce((sum, sentence) => sum + sentence.length, 0)
  return LETTERS.test(unit.join(' ')) && length * repeats >= SENTENCES_LENGTH_MIN
}

const SENTENCES_LENGTH_MIN = 160

function enoughWords(unit: readonly string[], repeats: number): boolean {
  return LETTERS.test(unit.join(' ')) && unit.length * repeats >= WORDS_COVERED_MIN
}

const WORDS_COVERED_MIN = 24

/** Dots, dashes and numbers are no words. */
const LETTERS = /\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/**
 * The lines of a text in which somebody says something. Blocks of code are left out, also one that is not closed; so are tables, lists,
 * headings, quotes, indented and commented code, progress and the output of tools. What was left out between two lines is not said twice
 * either: a placeholder line keeps them apart.
 */
function proseOf(text: string): readonly string[] {
  const prose: string[] = []
  let fence: string | undefined
  let skipped = 0
  for (const whole of linesWithFences(text)) {
    const line = whole.slice(whole.lastIndexOf('\r') + 1).trimEnd()
    const mark = FENCE.exec(line)?.[1]
    const isFence = mark !== undefined && (fence === undefined || mark.startsWith(fence))
    if (isFence) fence = fence === undefined ? mark : undefined
    if (isFence || fence !== undefined || isNoProse(line)) {
      // Numbered, so that two blocks never have the same placeholder.
      if (line.trim() !== '' && prose.at(-1) !== `${SKIPPED}${skipped}`) prose.push(`${SKIPPED}${++skipped}`)
    } else if (line.trim() !== '') prose.push(line.trim().replaceAll(/\s+/g, ' ').slice(0, LINE_LENGTH_MAX))
  }
  return prose
}

/** A tail may begin in the middle of a block: then its first fence closes, and what is before it is code. */
function linesWithFences(text: string): readonly string[] {
  const lines = text.split('\n')
  const fences = lines.filter((line) => FENCE.test(line))
  const [first = ''] = fences
  const isOpen = fences.length % 2 === 1 && /^\s*(?:`{3,}|~{3,})\s*$/.test(first) && lines.length > 1
  const closing = lines.indexOf(first)
  const codeBefore = isOpen && lines.slice(0, closing).some((line) => CODE_END.test(line))
  return codeBefore ? lines.slice(closing + 1) : lines
}

const FENCE = /^\s*(`{3,}|~{3,})/
const CODE_END = /[;{}]\s*$/
const LINE_LENGTH_MAX = 4000
const SKIPPED = '\u0000'

function isNoProse(line: string): boolean {
  return NO_PROSE.some((pattern) => pattern.test(line))
}

const NO_PROSE: readonly RegExp[] = [
  // Tables, lists, headings, quotes, dividers.
  /^\s*(?:[|+┃│├└┌]|[-*+•–] |\d{1,4}[.)] |#{1,6} |>|[-=_*~#.]{3,}\s*$)/,
  // Indented code, ends of statements, comments, JSON, diffs, markup.
  /^(?: {4}|\t)|[;{}]$|[\]}],?$|\)[,;]$|^\s*(?:\/\/|\/\*|#!|@@ |diff --git|[{}[\]"<])/,
  // Results of tests and tools.
  /^\s*(?:not ok\b|ok\b|PASS|FAIL|ERROR|WARN|INFO|DEBUG|SKIP|RUNS?\b|[✓✔✗✘×√●○◯⏳]|(?:===|---) |\[[^\]]{1,40}\]|(?:test|Test) .*(?:ok|ok\)|passed|failed|PASSED|FAILED)$|at \S+ \(|[.FEsx]{5,}\s*(?:\[|$))/,
  // Progress: shares, bars, spinners, waiting.
  /\d\s?%|[█▓▒░▏▎▍▌▋▊▉■□]{2}|[#=.-]{6,}|^\s*[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏|/\\-] /,
  /^\s*(?:waiting|downloading|uploading|building|compiling|installing|loading|fetching|polling|retrying|resolving|linking|copying|processing|running|starting|scanning|extracting|rendering)\b/i,
]

/** What an agent said: its words, or all that it printed. */
export interface Said extends Pick<WorkDetails, 'words'> {
  readonly output?: Captured
}

/** Whether an agent says the same again and again, and what, without secrets. A short text is no circle worth stopping for. */
export async function spinningBy({ words, output }: Said): Promise<{ readonly spinning?: Spinning }> {
  const said = words ?? output?.text ?? ''
  const spinning = said.length < SPINNING_CHARACTERS_MIN ? undefined : spinningIn(said)
  if (spinning === undefined) return {}
  const clean = await redactSaid(said)
  return { spinning: clean === said ? spinning : { ...spinning, unit: spinningIn(clean)?.unit ?? UNIT_WITHHELD } }
}

const SPINNING_CHARACTERS_MIN = 2000
const UNIT_WITHHELD = '(not shown: there is a secret near it)'
