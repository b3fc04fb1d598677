import type { Spinning } from '../event-data.ts'
import { shortened } from '../wording.ts'
import { proseOf } from './prose-of.ts'

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
