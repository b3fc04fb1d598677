import { PawlError } from './pawl-error.ts'

/** Gives a run id back when it can also be a git ref and a folder name; throws `run.bad-id` otherwise. */
export function checkedRunId(run: string): string {
  if (typeof run !== 'string')
    throw new PawlError('run.bad-id', 'A run needs a name, by which it is resumed: give one, such as run("fix-login").', {
      value: run,
    })
  const isPlain = /^[a-z0-9][a-z0-9._-]{0,99}$/i.test(run)
  if (isPlain && !run.includes('..') && !run.endsWith('.lock') && !run.endsWith('.')) return run
  const rule = 'use letters, digits, ".", "_" and "-", beginning with a letter or digit, at most 100'
  throw new PawlError('run.bad-id', `"${run}" cannot be the name of a run: ${rule}.`, { value: run })
}

/**
 * A short name made from words: small letters, digits and hyphens, unlike those in `taken`. Letters with marks become their base
 * letters (`Größe` is `grosse`). Without a letter in them it is `otherwise`.
 */
export function nameFrom(text: string, taken: ReadonlySet<string>, otherwise: string): string {
  const words = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]/g, (letter) => PLAIN_LETTERS[letter] ?? '-')
    .replaceAll(/-+/g, '-')
    .replaceAll(/^-|-$/g, '')
  const name = words.slice(0, LENGTH_MAX).replaceAll(/-+$/g, '') || otherwise
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name}-${number}`
    if (!taken.has(numbered)) return numbered
  }
}

const LENGTH_MAX = 40

/** Latin letters that Unicode does not take apart into a base letter and a mark. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ŧ: 't',
}

/**
 * The name that was most likely meant: one with the same letters in another style (`maxIterations`), else the one a few slips of
 * the finger away, else one that begins with the word. `undefined` when none is near; the first of several that are as near.
 */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = plain(word)
  if (wanted === '') return undefined
  const slips = names.map((name) => slipsBetween(wanted, plain(name)))
  const fewest = Math.min(...slips)
  const nearest = names[slips.indexOf(fewest)]
  if (nearest !== undefined && fewest <= slipsAllowed(wanted, plain(nearest))) return nearest
  return wanted.length < 3 ? undefined : names.find((name) => plain(name).startsWith(wanted))
}

/** The end of a sentence about a wrong name: `; did you mean "claude"?`, else the names there are. */
export function didYouMean(word: string, names: readonly string[]): string {
  const nearest = nearestName(word, names)
  return nearest === undefined ? `; there are ${names.join(', ')}` : `; did you mean "${nearest}"?`
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_. ]/g, '')
}

/** One slip in three letters, at most three: more and anything is near anything. */
function slipsAllowed(word: string, name: string): number {
  return Math.min(3, Math.max(1, Math.floor(Math.max(word.length, name.length) / 3)))
}

/** Damerau-Levenshtein: letters left out, put in, replaced, or two neighbours swapped. */
function slipsBetween(left: string, right: string): number {
  let beforeLast: readonly number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const line = [row]
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[row - 1] === right[column - 1]
      const replaced = at(last, column - 1) + (isSame ? 0 : 1)
      let fewest = Math.min(at(last, column) + 1, at(line, column - 1) + 1, replaced)
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      if (isSwap) fewest = Math.min(fewest, at(beforeLast, column - 2) + 1)
      line.push(fewest)
    }
    beforeLast = last
    last = line
  }
  return at(last, right.length)
}

/** A cell outside of the table is never the fewest. */
function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
