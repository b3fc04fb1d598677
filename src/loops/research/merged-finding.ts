import { type Citation, CITATIONS_PER_FINDING_MAX, type Claim, type Finding, type FindingSource, type Impact } from './finding.ts'

/** What an agent adds to a finding that is known. */
export type Addition = Pick<Finding, 'citations' | 'impact' | 'claims' | 'answers'> & { readonly source: FindingSource }

/** The finding with what was added; `undefined` when nothing in it is new: then it is a duplicate. */
export function mergedFinding(known: Finding, { citations, source, impact, claims, answers }: Addition): Finding | undefined {
  const fresh = citations.filter((citation) => !known.citations.some((each) => isSamePlace(each, citation)))
  const before = known.sources.find(({ agent }) => agent === source.agent)
  const better = betterSource(before, source)
  const moreClaims = (claims ?? []).filter((claim) => !(known.claims ?? []).some((each) => isSameClaim(each, claim)))
  const moreAnswers = (answers ?? []).filter((id) => !known.answers?.includes(id))
  const higher = IMPACTS.indexOf(impact) < IMPACTS.indexOf(known.impact) ? impact : known.impact
  const isNew =
    fresh.length > 0 || better !== before || moreClaims.length > 0 || moreAnswers.length > 0 || higher !== known.impact
  if (!isNew) return undefined
  const allClaims = [...(known.claims ?? []), ...moreClaims]
  const allAnswers = [...(known.answers ?? []), ...moreAnswers]
  return {
    ...known,
    impact: higher,
    citations: kept([...known.citations, ...fresh]),
    sources: before ? known.sources.map((each) => (each === before ? better : each)) : [...known.sources, source],
    sourceAgents: [...new Set([...known.sourceAgents, source.agent])],
    iterationConfirmed: Math.max(known.iterationConfirmed, source.iteration),
    ...(allClaims.length === 0 ? {} : { claims: allClaims }),
    ...(allAnswers.length === 0 ? {} : { answers: allAnswers }),
  }
}

const IMPACTS: readonly Impact[] = ['critical', 'important', 'informational']

/** The same agent at the same place says nothing new, whatever it quotes. */
function isSamePlace(one: Citation, other: Citation): boolean {
  return one.agent === other.agent && one.file === other.file && one.line === other.line
}

function isSameClaim(one: Claim, other: Claim): boolean {
  return (
    one.subject === other.subject &&
    one.attribute === other.attribute &&
    one.value === other.value &&
    one.scope === other.scope &&
    one.polarity === other.polarity
  )
}

/** What the same agent says of its evidence may rise when it comes back with better. */
function betterSource(before: FindingSource | undefined, now: FindingSource): FindingSource {
  if (!before) return now
  const evidence = KINDS.find((kind) => kind === before.evidence || kind === now.evidence)
  const isMore = evidence !== before.evidence || (now.stated ?? 1) > (before.stated ?? 1)
  if (!isMore) return before
  const stated = before.stated === undefined || now.stated === undefined ? undefined : Math.max(before.stated, now.stated)
  return {
    agent: before.agent,
    iteration: before.iteration,
    ...(evidence === undefined ? {} : { evidence }),
    ...(stated === undefined ? {} : { stated }),
  }
}

const KINDS = ['direct', 'supporting', 'inferred'] as const

const WORTH = { exact: 0, drifted: 1, unverified: 2, refuted: 3 } as const

/** The strongest stay, in their order. */
function kept(citations: readonly Citation[]): readonly Citation[] {
  if (citations.length <= CITATIONS_PER_FINDING_MAX) return citations
  const best = new Set(
    citations.toSorted((one, other) => WORTH[one.status] - WORTH[other.status]).slice(0, CITATIONS_PER_FINDING_MAX),
  )
  return citations.filter((citation) => best.has(citation))
}
