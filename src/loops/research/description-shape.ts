import { significantWords } from './terms.ts'

/** A description in a form in which two can be compared quickly. */
export interface DescriptionShape {
  /** Letters and digits only: the same for texts that differ in case and punctuation. */
  readonly plain: string
  readonly words: ReadonlySet<string>
  /** Numbers and negations: two texts that differ in them do not say the same, however alike they are. */
  readonly signs: string
  /** Buckets of alike descriptions: those that share one may be similar, all others are not looked at. */
  readonly buckets: readonly string[]
}

/** Takes a description apart. */
export function descriptionShape(description: string): DescriptionShape {
  const lower = description.toLowerCase()
  const words = new Set(significantWords(description).filter((word) => !/^\d/.test(word)))
  const numbers = [...lower.matchAll(/\d+(?:\.\d+)*/g)].map((match) => match[0]).toSorted()
  const negations = [...lower.matchAll(NEGATION)].length % 2
  return {
    plain: lower.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim(),
    words,
    signs: `${negations} ${numbers.join(' ')}`,
    buckets: bucketsOf([...words]),
  }
}

const NEGATION = /\b(?:not|no|never|without|none|cannot|isn't|aren't|doesn't|don't|won't|neither|nor|missing|lacks|disabled)\b/g

/** Share of words that both have, 0..1. */
export function wordSimilarity(one: DescriptionShape, other: DescriptionShape): number {
  const common = commonWords(one, other)
  const all = one.words.size + other.words.size - common
  return all === 0 ? Number(one.plain === other.plain) : common / all
}

/** Cosine of the two sets of words, 0..1. */
export function wordCosine(one: DescriptionShape, other: DescriptionShape): number {
  const size = Math.sqrt(one.words.size * other.words.size)
  return size === 0 ? Number(one.plain === other.plain) : commonWords(one, other) / size
}

/** Words that only the first has. */
export function ownWords({ words }: DescriptionShape, other: DescriptionShape): readonly string[] {
  return [...words].filter((word) => !other.words.has(word))
}

function commonWords({ words }: DescriptionShape, other: DescriptionShape): number {
  let common = 0
  for (const word of words) if (other.words.has(word)) common++
  return common
}

/** Min-hashes in bands: of texts that share four words in five, all but a few in a thousand share a bucket. */
function bucketsOf(words: readonly string[]): readonly string[] {
  if (words.length === 0) return []
  const hashes = words.map(wordHash)
  const smallest = SEEDS.map((seed) => hashes.reduce((least, hash) => Math.min(least, mixed(hash, seed)), Infinity))
  return Array.from(
    { length: SEEDS.length / BAND },
    (_, band) => `${band}:${smallest.slice(band * BAND, (band + 1) * BAND).join('.')}`,
  )
}

const BAND = 2
const SEEDS = [
  0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f, 0x165667b1, 0xd3a2646d, 0xfd7046c5, 0xb55a4f09, 0x6c62272f, 0x1b873593,
  0xe6546b65, 0x7feb352d,
]

function wordHash(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}

function mixed(hash: number, seed: number): number {
  let value = Math.imul(hash ^ seed, 0x7feb352d)
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b)
  return (value ^ (value >>> 16)) >>> 0
}
