import { comparableClaim, type ComparableClaim, type Finding } from './finding.ts'
import type { ResearchProgress } from './progress.ts'
import type { ConflictRule } from './rules.ts'
import { textHash } from '../../core/text-hash.ts'
import { significantWords } from './terms.ts'

export type Known = Pick<ResearchProgress, 'findings' | 'conflicts' | 'nominations' | 'lastIds'>

/** A finding with what is compared of it. */
export interface Indexed {
  readonly id: string
  readonly shape: DescriptionShape
  readonly claims: readonly ComparableClaim[]
  readonly category: string
  readonly files: ReadonlySet<string>
}

/** Something new that is looked up. */
export type Sought = Pick<Finding, 'description' | 'claims' | 'category' | 'citations'>

/** Finds findings that say the same, or nearly, without comparing all with all. */
export interface FindingIndex {
  /** The finding that says the same; `undefined` when nobody says it. */
  sameAs(sought: Indexed): string | undefined
  /** Findings that are similar enough to be looked at, the nearest first; at most a few. */
  alike(sought: Indexed): readonly { readonly other: Indexed; readonly similarity: number }[]
  /** What is compared of a finding that is in it. */
  entry(id: string): Indexed | undefined
  /** A finding, or one that has changed, with hashes of other words for it. */
  add(finding: Indexed, alsoSaid?: readonly string[]): void
}

/** What is compared of a finding. */
export function indexFinding(id: string, { description, claims = [], category, citations }: Sought): Indexed {
  return {
    id,
    shape: descriptionShape(description),
    claims: claims.map((claim) => comparableClaim(claim, citations)),
    category: category.toLowerCase(),
    files: new Set(citations.map(({ file }) => file)),
  }
}

/** The very words and claims of a finding, as a hash: who says them again says the same. */
export function wordingOf({ shape, claims }: Pick<Indexed, 'shape' | 'claims'>): string {
  return textHash(`${shape.plain}\n${claimsText(claims)}`)
}

/** An index over the findings; those that were given up are among them, so that nobody brings them back by repeating them. */
export function findingIndex(findings: readonly Finding[], rule: ConflictRule): FindingIndex {
  const byId = new Map<string, Indexed>()
  const byWording = new Map<string, string>()
  const byText = new Map<string, string>()
  const byClaims = new Map<string, string>()
  const buckets = new Map<string, string[]>()

  const candidates = (sought: Indexed): ReadonlySet<Indexed> => {
    const found = new Set<Indexed>()
    for (const bucket of sought.shape.buckets) {
      const ids = buckets.get(bucket) ?? []
      for (let place = Math.max(0, ids.length - BUCKET_LOOKED_AT_MAX); place < ids.length; place++)
        found.add(byId.get(ids[place] as string) as Indexed)
    }
    return found
  }
  const known = (id: string | undefined): Indexed | undefined => (id === undefined ? undefined : byId.get(id))

  const index: FindingIndex = {
    sameAs: (sought) => {
      const { shape, claims } = sought
      const exact = byWording.get(wordingOf(sought)) ?? (claims.length === 0 ? undefined : byClaims.get(claimsText(claims)))
      if (exact !== undefined) return exact
      const sameText = known(byText.get(shape.plain))
      if (sameText && areCompatible(sought, sameText)) return sameText.id
      for (const other of candidates(sought)) if (isSame(sought, other, rule)) return other.id
      return undefined
    },
    alike: (sought) => {
      const near: { readonly other: Indexed; readonly similarity: number }[] = []
      for (const other of candidates(sought)) {
        const similarity = other.id === sought.id ? 0 : wordSimilarity(sought.shape, other.shape)
        if (similarity >= rule.nominationSimilarityMin) near.push({ other, similarity })
      }
      return near
        .toSorted((one, other) => other.similarity - one.similarity || (one.other.id < other.other.id ? -1 : 1))
        .slice(0, ALIKE_MAX)
    },
    entry: (id) => byId.get(id),
    add: (finding, alsoSaid = []) => {
      const { shape, claims, id } = finding
      const isNew = !byId.has(id)
      byId.set(id, finding)
      for (const wording of [wordingOf(finding), ...alsoSaid]) setOnce(byWording, wording, id)
      setOnce(byText, shape.plain, id)
      if (claims.length > 0) setOnce(byClaims, claimsText(claims), id)
      if (!isNew) return
      for (const bucket of shape.buckets) {
        const ids = buckets.get(bucket)
        if (ids) ids.push(id)
        else buckets.set(bucket, [id])
      }
    },
  }
  for (const finding of findings) index.add(indexFinding(finding.id, finding), finding.alsoSaid)
  return index
}

function setOnce(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value)
}

/** Whether nothing that both claim is claimed otherwise. */
function areCompatible(one: Indexed, other: Indexed): boolean {
  return one.claims.every((claim) =>
    other.claims.every(
      ({ key, value, isNegative }) => key !== claim.key || (value === claim.value && isNegative === claim.isNegative),
    ),
  )
}

/** Adversarial input must not turn buckets into all-pairs. */
const BUCKET_LOOKED_AT_MAX = 8

const ALIKE_MAX = 3

function claimsText(claims: readonly ComparableClaim[]): string {
  return claims
    .map(({ key, value, isNegative }) => `${key} ${isNegative ? 'not ' : ''}${value}`)
    .toSorted()
    .join('\n')
}

/** One says all that the other says, with the same numbers and negations, and neither claims something the other does not. */
function isSame(one: Indexed, other: Indexed, { sameSimilarityMin }: ConflictRule): boolean {
  if (one.shape.signs !== other.shape.signs || wordSimilarity(one.shape, other.shape) < sameSimilarityMin) return false
  if (one.claims.length > 0 && other.claims.length > 0 && claimsText(one.claims) !== claimsText(other.claims)) return false
  return ownWords(one.shape, other.shape).length === 0 || ownWords(other.shape, one.shape).length === 0
}

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
function descriptionShape(description: string): DescriptionShape {
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
function wordSimilarity(one: DescriptionShape, other: DescriptionShape): number {
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
