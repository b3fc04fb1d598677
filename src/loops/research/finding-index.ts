import { comparableClaim, type ComparableClaim, type Finding } from './finding.ts'
import type { ResearchProgress } from './progress.ts'
import type { ConflictRule } from './rules.ts'
import { descriptionShape, type DescriptionShape, ownWords, wordSimilarity } from './description-shape.ts'
import { textHash } from '../../core/text-hash.ts'

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
export function indexed(id: string, { description, claims = [], category, citations }: Sought): Indexed {
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
  for (const finding of findings) index.add(indexed(finding.id, finding), finding.alsoSaid)
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
