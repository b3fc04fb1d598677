import { averageConfidence, disputedIn, type Gap, type GapSeen, liveFindings, type ResearchProgress } from './progress.ts'
import { type ConfidenceReason, GAP_KINDS, type GapKind, type GapPriority, type ResearchRules } from './rules.ts'
import { type Finding, hasEvidence, idFrom, IMPACT_RANK, isLive, isVerified, standingOf } from './finding.ts'
import { counted, percent, shortened } from '../../core/wording.ts'
import { type CoverageEstimate, coverageOf, type RelevantFile } from './coverage.ts'
import { wordIn } from './terms.ts'

/** How many files a gap names. */
const GAP_FILES_MAX = 40

/** How many open gaps a run keeps; those of the least priority are left out, and counted. */
const GAPS_MAX = 200

/** What agents saw that they do not know, and a flow that was asked for and that nobody traced over two files. */
function contextGaps(research: ResearchProgress, filesRelevant: number): readonly Omit<GapSeen, 'priority'>[] {
  const told = [
    ...research.gaps.filter(({ kind, attempts }) => kind === 'missing_context' && attempts === 0).map(toldBefore),
    ...research.answers.flatMap(({ answer }) => answer.unknowns),
  ].map(({ indicator, area }) => contextGap(indicator, area))
  // One that an agent was sent for stays while that agent brought nothing.
  const tried = research.gaps
    .filter(({ kind, attempts, id }) => kind === 'missing_context' && attempts > 0 && !hasBroughtSomething(research, id))
    .map(toldBefore)
    .map(({ indicator, area }) => contextGap(indicator, area))
  const isTraced = research.findings.some(
    (finding) => isLive(finding) && new Set(finding.citations.filter(isVerified).map(({ file }) => file)).size >= 2,
  )
  const asksForFlow = research.questions.some(({ kind, status }) => kind === 'architecture' && status !== 'answered')
  const flow =
    asksForFlow && !isTraced && filesRelevant >= 2 && research.findings.length > 0
      ? [contextGap('data_flow_not_traced', research.questions.find(({ kind }) => kind === 'architecture')?.text ?? '')]
      : []
  const all = [...told, ...tried, ...flow]
  return all.filter(({ topic }, index) => all.findIndex((each) => each.topic === topic) === index).slice(0, CONTEXTS_MAX)
}

const CONTEXTS_MAX = 20

function toldBefore({ indicator, area }: GapSeen): Pick<Required<GapSeen>, 'indicator' | 'area'> {
  return { indicator: indicator ?? 'component_interaction_unknown', area }
}

function contextGap(indicator: Required<GapSeen>['indicator'], area: string): Omit<GapSeen, 'priority'> {
  const reason = `${indicator.replaceAll('_', ' ')}: ${shortened(area, 160)}`
  return { topic: `context ${indicator} ${area.toLowerCase()}`, kind: 'missing_context', reason, area, indicator }
}

/** Whether the agent that was sent for a gap in this iteration has a verified finding to show for it. */
function hasBroughtSomething({ assignments, answers }: ResearchProgress, gap: string): boolean {
  const sent = new Set(assignments.filter(({ gaps }) => gaps.includes(gap)).map(({ index }) => index))
  return answers.some(({ index, citations }) => sent.has(index) && citations.some(isVerified))
}

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

/**
 * What the questions need against what was analysed. A question about the whole of something needs the relevant files. Every other one needs the
 * places that Pawl sees in the code (declarations, call sites, the path between named things) and those that a judged answer rests on; the
 * relevant files only while neither is known. A file that only refuted findings cite was not analysed.
 */
export function coverageNow(research: ResearchProgress, rules: ResearchRules): CoverageEstimate {
  const { estimate, verifiedFiles, namedFiles, findings } = research
  const cited = (isMeant: (finding: Finding) => boolean): ReadonlySet<string> =>
    new Set(findings.filter(isMeant).flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file)))
  const [refuted, others] = [cited(isRefuted), cited((finding) => !isRefuted(finding))]
  const verified = verifiedFiles.filter((file) => !refuted.has(file) || others.has(file))
  const analysed = rules.coverageBy === 'named' ? [...verified, ...namedFiles] : verified
  return coverageOf(neededFiles(research, rules), estimate?.filesTotal ?? 0, new Set(analysed))
}

function isRefuted(finding: Finding): boolean {
  return standingOf(finding) === 'refuted'
}

function neededFiles({ estimate, questions, findings }: ResearchProgress, rules: ResearchRules): readonly RelevantFile[] {
  const { files = [], needs = [] } = estimate ?? {}
  const isWide = (text: string): boolean =>
    rules.strategy === 'comprehensive' || rules.strategies.comprehensive.words.some((word) => wordIn(text, word))
  const byPath = new Map<string, RelevantFile>()
  const add = (each: readonly RelevantFile[]): void =>
    each.forEach((file) => byPath.set(file.path, byPath.get(file.path) ?? file))
  for (const { id, text } of questions) {
    const seen = needs.filter(({ question }) => question === id).map(({ file, why }) => neededFile(file, why))
    const judged = findings
      .filter((finding) => isLive(finding) && standingOf(finding, id) === 'verified')
      .flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => neededFile(file, 'an answer rests on it')))
    const own = [...seen, ...judged]
    add(isWide(text) || own.length === 0 ? [...own, ...files] : own)
  }
  return questions.length === 0 ? files : [...byPath.values()]
}

function neededFile(path: string, why: string): RelevantFile {
  return { path, score: 1, reasons: [why] }
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
    .toSorted((one, other) => IMPACT_RANK[one.impact] - IMPACT_RANK[other.impact] || one.confidence - other.confidence)
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
      reason: `${STATUS_WORDS[status]}${missing === undefined ? '' : `; needed: ${missing}`}`,
      area: text,
      question: id,
    }))
}

const STATUS_WORDS = { answered: 'answered', claimed: 'claimed', partly: 'partly answered', not: 'not answered' } as const

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

export interface Reconciled {
  /** New ones, and known ones that look different now. */
  readonly found: readonly { readonly gap: string; readonly seen: GapSeen }[]
  readonly closed: readonly string[]
  /** All that are open from now on. */
  readonly open: readonly Gap[]
}

/** Sets what is missing now against the gaps that are known, by their topics. */
export function reconcileGaps(
  { gaps, lastIds }: Pick<ResearchProgress, 'gaps' | 'lastIds'>,
  seen: readonly GapSeen[],
  iteration: number,
): Reconciled {
  const byTopic = new Map(gaps.map((gap) => [gap.topic, gap]))
  const found: { readonly gap: string; readonly seen: GapSeen }[] = []
  const open: Gap[] = []
  let last = lastIds.gap
  for (const each of seen.slice(0, GAPS_MAX)) {
    const known = byTopic.get(each.topic)
    if (known) {
      const hasMoved = JSON.stringify({ ...known, ...each }) !== JSON.stringify(known)
      open.push(hasMoved ? { ...known, ...each, attempts: 0 } : known)
      if (hasMoved) found.push({ gap: known.id, seen: each })
      continue
    }
    const id = idFrom('gap', ++last)
    found.push({ gap: id, seen: each })
    open.push({ ...each, id, seq: 0, iterationFound: iteration, attempts: 0, failures: 0, status: 'open' })
  }
  const topics = new Set(seen.map(({ topic }) => topic))
  return { found, open, closed: gaps.filter(({ topic }) => !topics.has(topic)).map(({ id }) => id) }
}
