import { disputedIn } from './fold.ts'
import { coverageOf, type CoverageEstimate } from './coverage.ts'
import { type Finding, hasEvidence, isLive } from './finding.ts'
import { type ConfidenceReason, GAP_FILES_MAX, GAP_KINDS, type GapKind, type GapPriority, GAPS_MAX, type GapSeen } from './gap.ts'
import type { ResearchProgress } from './research-progress.ts'
import type { ResearchRules } from './research-rules.ts'
import { counted, shortened } from '../../core/wording.ts'
import { averageConfidence, liveFindings } from './average-confidence.ts'
import { contextGaps } from './context-gaps.ts'
import { wordIn } from './word-in.ts'

/** What is looked at to find out what is missing. */
export interface Situation {
  readonly prompt: string
  readonly rules: ResearchRules
  readonly research: ResearchProgress
}

/** Everything that is missing now, the most urgent kinds first. Pure: the same situation gives the same gaps. */
export function analyseGaps(situation: Situation): readonly GapSeen[] {
  const { rules } = situation
  return GAP_KINDS.filter((kind) => rules.gaps[kind].enabled)
    .flatMap((kind) =>
      ANALYSES[kind](situation).map((found): GapSeen => {
        const { isCritical: _rank, share: _measure, ...gap } = found
        return { ...gap, priority: priorityOf(situation, found) }
      }),
    )
    .toSorted((one, other) => one.priority - other.priority)
    .slice(0, GAPS_MAX)
}

/** The relevant files against those that were analysed. */
export function coverageNow({ estimate, verifiedFiles, namedFiles }: ResearchProgress, rules: ResearchRules): CoverageEstimate {
  const analysed = rules.coverageBy === 'named' ? [...verifiedFiles, ...namedFiles] : verifiedFiles
  return coverageOf(estimate?.files ?? [], estimate?.filesTotal ?? 0, new Set(analysed))
}

type Unranked = Omit<GapSeen, 'priority'> & { readonly isCritical?: boolean; readonly share?: number }

const ANALYSES: Readonly<Record<GapKind, (situation: Situation) => readonly Unranked[]>> = {
  coverage_gap: coverageGap,
  confidence_gap: confidenceGaps,
  conflicting_findings: conflictGaps,
  missing_context: ({ research, rules }) => contextGaps(research, coverageNow(research, rules).files.length),
  unanswered_critical_questions: questionGaps,
  pattern_uncertainty: patternGaps,
  security_concern: (situation) => concernGaps(situation, 'security_concern', 'security'),
  performance_concern: (situation) => concernGaps(situation, 'performance_concern', 'performance'),
}

/** A rank that the configuration sets wins; else the seed's ranking, and ruling B6 where the seed has none. */
function priorityOf({ rules }: Situation, { kind, isCritical = false, share = 1 }: Unranked): GapPriority {
  const { priority } = rules.gaps[kind]
  if (priority !== 'auto') return priority
  if (kind === 'unanswered_critical_questions' || kind === 'security_concern') return 1
  if (kind === 'coverage_gap') return share < MAJOR_COVERAGE_GAP ? 1 : 2
  if (kind === 'conflicting_findings' || kind === 'missing_context') return 2
  if (kind === 'pattern_uncertainty') return 3
  return isCritical ? 2 : 3
}

const MAJOR_COVERAGE_GAP = 0.5

function coverageGap({ research, rules, prompt }: Situation): readonly Unranked[] {
  const { coverage, missing, files, analysed } = coverageNow(research, rules)
  const threshold = rules.gaps.coverage_gap.threshold ?? rules.criteria.coverage.threshold
  if (coverage >= threshold || missing.length === 0) return []
  const reason = `${analysed.length} of ${counted(files.length, 'relevant file')} were analysed (${percent(coverage)}, wanted ${percent(threshold)})`
  return [
    { topic: 'coverage', kind: 'coverage_gap', reason, area: prompt, files: missing.slice(0, GAP_FILES_MAX), share: coverage },
  ]
}

/** Low findings one by one: all below the threshold while the average is low, and always those below the threshold of their own. */
function confidenceGaps({ research, rules }: Situation): readonly Unranked[] {
  const { threshold = rules.criteria.confidence.threshold, individualThreshold = 0 } = rules.gaps.confidence_gap
  const live = liveFindings(research)
  const isAverageLow = averageConfidence(research) < threshold
  const disputed = disputedIn(research)
  return live
    .filter(({ confidence }) => confidence < (isAverageLow ? threshold : individualThreshold))
    .toSorted((one, other) => IMPACTS[one.impact] - IMPACTS[other.impact] || one.confidence - other.confidence)
    .slice(0, LOW_FINDINGS_MAX)
    .map((finding) => {
      const confidenceReason = reasonOf(finding, disputed)
      const why = `${REASONS[confidenceReason]}: ${finding.confidenceParts[0]?.why ?? 'no evidence'}`
      return {
        ...aboutFinding(finding),
        topic: `confidence ${finding.id}`,
        kind: 'confidence_gap',
        reason: `confidence ${finding.confidence.toFixed(2)}, ${why}`,
        confidenceReason,
        isCritical: finding.impact === 'critical',
      }
    })
}

const LOW_FINDINGS_MAX = 50
const IMPACTS = { critical: 0, important: 1, informational: 2 } as const

const REASONS: Readonly<Record<ConfidenceReason, string>> = {
  missing_evidence: 'missing code evidence',
  conflict: 'conflicting information',
  unclear_pattern: 'unclear pattern',
}

function reasonOf({ id, category }: Finding, disputed: ReadonlySet<string>): ConfidenceReason {
  if (disputed.has(id)) return 'conflict'
  return isPattern(category) ? 'unclear_pattern' : 'missing_evidence'
}

function isPattern(category: string): boolean {
  return /\b(?:pattern|convention)/i.test(category)
}

function conflictGaps({ research }: Situation): readonly Unranked[] {
  const byId = new Map(research.findings.map((finding) => [finding.id, finding]))
  return research.conflicts
    .filter(({ resolution }) => !resolution)
    .map(({ id, topic, sides, rootCause }) => {
      const [one, other] = sides
      const cause = rootCause === undefined ? '' : `; ${rootCause}`
      return {
        topic: `conflict ${id}`,
        kind: 'conflicting_findings',
        reason: `${one.finding} says ${shortened(one.value, 80)}, ${other.finding} says ${shortened(other.value, 80)}${cause}`,
        area: topic,
        conflict: id,
        files: sides
          .flatMap(({ finding }) => (byId.get(finding)?.citations ?? []).map(({ file }) => file))
          .filter((file, index, files) => files.indexOf(file) === index)
          .slice(0, GAP_FILES_MAX),
      }
    })
}

function questionGaps({ research }: Situation): readonly Unranked[] {
  return research.questions
    .filter(({ isCritical, status }) => isCritical && status !== 'answered')
    .map(({ id, text, status, missing }) => ({
      topic: `question ${id}`,
      kind: 'unanswered_critical_questions',
      reason: `${status === 'partly' ? 'partly answered' : 'not answered'}${missing === undefined ? '' : `; needed: ${missing}`}`,
      area: text,
      question: id,
    }))
}

/** Patterns that are not believed enough, or shown by fewer than three examples. */
function patternGaps({ research, rules }: Situation): readonly Unranked[] {
  const { threshold = 0.7 } = rules.gaps.pattern_uncertainty
  return liveFindings(research)
    .filter(({ category }) => isPattern(category))
    .flatMap((finding) => {
      const examples = finding.citations.filter(({ status }) => status === 'exact' || status === 'drifted').length
      const isFew = examples < EXAMPLES_MIN
      if (finding.confidence >= threshold && !isFew) return []
      const reason = isFew
        ? `${counted(examples, 'verified example')}, three are wanted`
        : `confidence ${finding.confidence.toFixed(2)}`
      return [{ ...aboutFinding(finding), topic: `pattern ${finding.id}`, kind: 'pattern_uncertainty' as const, reason }]
    })
    .slice(0, LOW_FINDINGS_MAX)
}

const EXAMPLES_MIN = 3

/** A word of the question raises the concern until its specialist showed something; a finding on it does while it is not believed. */
function concernGaps({ prompt, research, rules }: Situation, kind: GapKind, role: string): readonly Unranked[] {
  const { keywords = [], threshold = 0.8 } = rules.gaps[kind]
  const word = keywords.find((keyword) => wordIn(prompt, keyword))
  const isLookedAt = research.findings.some(
    (finding) => isLive(finding) && finding.sourceAgents.includes(role) && hasEvidence(finding),
  )
  const asked: readonly Unranked[] =
    word === undefined || isLookedAt
      ? []
      : [
          {
            topic: `${kind} prompt`,
            kind,
            reason: `the question speaks of "${word}", and no ${role} specialist has looked`,
            area: prompt,
          },
        ]
  const low = liveFindings(research)
    .filter(({ category, confidence }) => category.toLowerCase().includes(role) && confidence < threshold)
    .map((finding): Unranked => ({
      ...aboutFinding(finding),
      topic: `${kind} ${finding.id}`,
      kind,
      reason: `confidence ${finding.confidence.toFixed(2)} on a finding about ${role}`,
      isCritical: finding.impact === 'critical',
    }))
  return [...asked, ...low].slice(0, LOW_FINDINGS_MAX)
}

function aboutFinding({ id, description, citations }: Finding): Pick<GapSeen, 'area' | 'finding'> & Partial<GapSeen> {
  const files = [...new Set(citations.map(({ file }) => file))].slice(0, GAP_FILES_MAX)
  return { area: description, finding: id, ...(files.length === 0 ? {} : { files }) }
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`
}
