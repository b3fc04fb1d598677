import { type Citation, type ConfidencePart, type Finding, type FindingSource, isVerified, standingOf } from './finding.ts'
import type { ConfidenceRule } from './rules.ts'

/** What a finding's confidence depends on besides the finding. */
export interface Weighing {
  readonly rule: ConfidenceRule
  /** The iteration now, for its age. */
  readonly iteration: number
  /** Whether it is in a conflict that is not resolved. */
  readonly isInConflict: boolean
}

type Evidence = Pick<Finding, 'citations' | 'sources' | 'iterationConfirmed' | 'imported' | 'judgements'>

/**
 * How far a finding can be believed, as terms that add up: the best evidence of any agent behind it, a bonus where two independent agents have
 * verified evidence of their own, less for refuted citations, at most `conflictMax` while it is disputed, less for age without evidence. What nobody
 * but its author has judged has at most `claimedMax`.
 */
export function confidenceOf(finding: Evidence, weighing: Weighing): Pick<Finding, 'confidence' | 'confidenceParts'> {
  const { rule } = weighing
  const own = [evidencePart(finding, rule), ...agentsPart(finding, rule)]
  const parts: ConfidencePart[] = [...(importedPart(finding, total(own)) ?? own), ...refutedPart(finding, rule)]
  parts.push(...agePart(finding, weighing))
  const { claimedMax = 1 } = rule
  const before = rounded(total(parts))
  if (before > claimedMax && finding.imported === undefined && standingOf(finding) === 'claimed')
    parts.push({ part: 'claimed', value: rounded(claimedMax - before), why: 'nobody but its author has judged it' })
  const sum = rounded(total(parts))
  if (weighing.isInConflict && sum > rule.conflictMax)
    parts.push({ part: 'conflict', value: rounded(rule.conflictMax - sum), why: 'agents disagree, and it is not settled' })
  return { confidence: Math.min(1, Math.max(0, rounded(total(parts)))), confidenceParts: parts }
}

/** The finding with its confidence as it is now. */
export function weigh(finding: Finding, weighing: Weighing): Finding {
  return { ...finding, ...confidenceOf(finding, weighing) }
}

/** What a checkpoint says stands where one of its places is there, or is still to be looked at, and no evidence of this run says more. */
function importedPart({ imported, citations }: Evidence, own: number): readonly ConfidencePart[] | undefined {
  const isStanding = citations.some(({ status }) => status !== 'refuted')
  if (imported === undefined || !isStanding || imported <= own) return undefined
  return [{ part: 'imported', value: imported, why: 'as the checkpoint says' }]
}

/** What one agent's own evidence is worth: its best citation, and never more than the agent itself claims. */
function evidencePart(finding: Evidence, rule: ConfidenceRule): ConfidencePart {
  const { citations, sources } = finding
  const standing = standingOf(finding)
  // Whoever repeats it without a citation does not make it better.
  if (citations.length > 0 && citations.every(({ status }) => status === 'refuted'))
    return { part: 'evidence', value: rule.refuted, why: 'every citation was refuted' }
  if (standing === 'refuted')
    return { part: 'evidence', value: rule.refuted, why: 'a judge says that the cited lines don’t show it' }
  const best = sources
    .map((source) => strengthOf(source, citations, rule, standing === 'verified'))
    .reduce<Strength>((one, other) => (other.value > one.value ? other : one), NOTHING)
  return { part: 'evidence', ...best }
}

interface Strength {
  readonly value: number
  readonly why: string
}

const NOTHING: Strength = { value: 0, why: 'nobody stands for it' }

function strengthOf(source: FindingSource, citations: readonly Citation[], rule: ConfidenceRule, isJudged: boolean): Strength {
  const own = citations.filter(({ agent }) => agent === source.agent)
  const anchored = own
    .filter(isVerified)
    .map((citation) => (isJudged ? judgedStrength(source, rule) : citationStrength(citation, source, rule)))
    .reduce<Strength | undefined>((one, other) => (one && one.value >= other.value ? one : other), undefined)
  const anchor = anchored ?? unverifiedStrength(own, rule)
  const { stated } = source
  if (stated === undefined || stated >= anchor.value) return anchor
  return { value: stated, why: `${anchor.why}, and ${source.agent} itself claims no more than ${stated}` }
}

/** Somebody else read the lines and says that they show it; what they only suggest is a weak citation that was confirmed. */
function judgedStrength({ evidence }: FindingSource, rule: ConfidenceRule): Strength {
  if (evidence === 'inferred') return { value: rule.confirmed ?? rule.supporting, why: 'inferred from the lines, and confirmed' }
  return { value: rule.direct, why: 'direct evidence, judged by somebody else' }
}

function citationStrength(citation: Citation, { evidence }: FindingSource, rule: ConfidenceRule): Strength {
  const isTelling = citation.snippet.replaceAll(/[^\p{L}\p{N}]/gu, '').length >= rule.snippetLengthMin
  if (!isTelling) return { value: rule.weak, why: 'a weak citation: the place is there, the words show little' }
  if (evidence === 'inferred') return { value: rule.weak, why: 'a weak citation: inferred from what stands there' }
  if (evidence === 'direct') return { value: rule.direct, why: 'direct evidence, verified' }
  return { value: rule.supporting, why: 'supporting evidence, verified' }
}

function unverifiedStrength(own: readonly Citation[], rule: ConfidenceRule): Strength {
  if (own.length === 0) return { value: rule.inference, why: 'inference, without any citation' }
  if (own.every(({ status }) => status === 'refuted')) return { value: rule.refuted, why: 'every citation was refuted' }
  return { value: rule.structure, why: 'inferred structure: places are named, none is verified' }
}

function agentsPart(finding: Evidence, rule: ConfidenceRule): readonly ConfidencePart[] {
  const { citations } = finding
  if (standingOf(finding) === 'refuted') return []
  const sources = new Set(citations.filter(isVerified).map(({ agent, player = agent }) => player))
  if (sources.size < 2) return []
  return [{ part: 'agents', value: rule.independentBonus, why: `${sources.size} independent agents with evidence of their own` }]
}

function refutedPart({ citations }: Evidence, rule: ConfidenceRule): readonly ConfidencePart[] {
  const refuted = citations.filter(({ status }) => status === 'refuted').length
  if (refuted === 0 || refuted === citations.length) return []
  const value = -Math.min(refuted * rule.refutedPenalty, rule.refutedPenaltyMax)
  return [{ part: 'refuted', value: rounded(value), why: `${refuted} of ${citations.length} citations refuted` }]
}

/** What is in the code does not grow old within a run; what nobody could show does. */
function agePart({ citations, iterationConfirmed }: Evidence, { rule, iteration }: Weighing): readonly ConfidencePart[] {
  const age = iteration - iterationConfirmed - rule.ageIterationsFree
  if (age <= 0 || citations.some(isVerified)) return []
  const value = -Math.min(age * rule.agePenalty, rule.agePenaltyMax)
  return [{ part: 'age', value: rounded(value), why: 'not confirmed since, and without evidence' }]
}

function total(parts: readonly ConfidencePart[]): number {
  return parts.reduce((sum, { value }) => sum + value, 0)
}

/** A share to four digits, so that a journal says the same on every machine. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
