import { findingIndex, type FindingIndex, indexFinding, type Known, wordingOf } from './finding-index.ts'
import {
  AGENT_FAILURE,
  type Conflict,
  disputedIn,
  type Nomination,
  type PendingAnswer,
  researchIterationOf,
  researchOf,
  type ResearchProgress,
} from './progress.ts'
import type { AnswerFinding } from './answer.ts'
import { weigh } from './confidence.ts'
import { conflictsAmong, settleConflicts } from './conflict.ts'
import {
  ALSO_SAID_MAX,
  type Citation,
  CITATIONS_PER_FINDING_MAX,
  type Claim,
  type Finding,
  FINDINGS_MAX,
  type FindingSource,
  idFrom,
  isLive,
  isVerified,
  IMPACT_RANK,
} from './finding.ts'
import type { ResearchRules } from './rules.ts'
import { concluded, LOOP } from '../../core/conclude.ts'
import type { Fact } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import type { WholeResearchSettings } from './settings.ts'

/** What the answers of an iteration come to. */
export interface Integration {
  readonly recorded: readonly Finding[]
  /** Known findings with what was added, and the agent that added it last. */
  readonly merged: readonly { readonly finding: Finding; readonly agent: string }[]
  readonly skipped: number
  readonly dropped: number
  readonly conflicts: readonly Conflict[]
  readonly nominations: readonly Nomination[]
  readonly notes: readonly string[]
}

/**
 * Takes answers into the findings: duplicates are skipped, what enhances a finding is merged into it, what is new is recorded, and what
 * contradicts is reported. Answers are taken in the order of their assignments, never of arrival; doing it twice changes nothing.
 */
export function integrate(
  known: Known,
  answers: readonly PendingAnswer[],
  { iteration, rules }: { readonly iteration: number; readonly rules: ResearchRules },
): Integration {
  const work = new Workbench(known, iteration, rules)
  for (const pending of answers.toSorted((one, other) => one.index - other.index)) work.take(pending)
  return work.result()
}

class Workbench {
  readonly #known: Known
  readonly #iteration: number
  readonly #rules: ResearchRules
  readonly #index: FindingIndex
  readonly #findings: Map<string, Finding>
  readonly #recorded = new Set<string>()
  readonly #merged = new Map<string, string>()
  readonly #notes: string[] = []
  #skipped = 0
  #dropped = 0

  constructor(known: Known, iteration: number, rules: ResearchRules) {
    this.#known = known
    this.#iteration = iteration
    this.#rules = rules
    this.#index = findingIndex(known.findings, rules.conflicts)
    this.#findings = new Map(known.findings.map((finding) => [finding.id, finding]))
  }

  take(pending: PendingAnswer): void {
    const { agent, answer } = pending
    const citations = citationsByFinding(pending)
    for (const [place, finding] of answer.findings.entries())
      this.#takeFinding(draftOf(finding, citations.get(place) ?? [], { agent, iteration: this.#iteration }))
  }

  #takeFinding(draft: Draft): void {
    const sought = indexFinding('', draft)
    const same = this.#index.sameAs(sought)
    const before = same === undefined ? undefined : this.#findings.get(same)
    if (before) return this.#enhance(before, draft, wordingOf(sought))
    if (this.#findings.size >= FINDINGS_MAX) {
      this.#dropped++
      return
    }
    const id = idFrom('finding', this.#known.lastIds.finding + this.#recorded.size + 1)
    this.#findings.set(id, newFinding(id, draft))
    this.#index.add({ ...sought, id })
    this.#recorded.add(id)
  }

  #enhance(before: Finding, draft: Draft, wording: string): void {
    if (!isLive(before)) {
      this.#notes.push(`${draft.source.agent} repeats ${before.id}, which was given up when a conflict was settled.`)
      this.#skipped++
      return
    }
    const merged = mergedFinding(before, draft)
    if (!merged) {
      this.#skipped++
      return
    }
    const after = withWording(merged, wording)
    this.#findings.set(before.id, after)
    this.#index.add(indexFinding(before.id, after), after.alsoSaid)
    if (!this.#recorded.has(before.id)) this.#merged.set(before.id, draft.source.agent)
  }

  result(): Integration {
    const touched = [...this.#merged.keys(), ...this.#recorded].map((id) => this.#findings.get(id) as Finding)
    const { conflicts, nominations } = conflictsAmong(this.#known, [...this.#findings.values()], touched, {
      iteration: this.#iteration,
      rules: this.#rules,
      index: this.#index,
    })
    const disputed = disputedIn({ conflicts: [...this.#known.conflicts, ...conflicts] })
    const settled = (id: string): Finding =>
      weigh(this.#findings.get(id) as Finding, {
        rule: this.#rules.confidence,
        iteration: this.#iteration,
        isInConflict: disputed.has(id),
      })
    return {
      recorded: [...this.#recorded].map(settled),
      merged: [...this.#merged].map(([id, agent]) => ({ finding: settled(id), agent })),
      skipped: this.#skipped,
      dropped: this.#dropped,
      conflicts,
      nominations,
      notes: this.#notes.slice(0, NOTES_MAX),
    }
  }
}

const NOTES_MAX = 20

/** What is reported in these words again is known to be this finding. */
function withWording(finding: Finding, wording: string): Finding {
  const { alsoSaid = [] } = finding
  if (alsoSaid.includes(wording) || alsoSaid.length >= ALSO_SAID_MAX) return finding
  return { ...finding, alsoSaid: [...alsoSaid, wording] }
}

interface Draft extends Pick<Finding, 'description' | 'impact' | 'category' | 'citations' | 'claims' | 'answers'> {
  readonly source: FindingSource
}

function citationsByFinding({ citations }: PendingAnswer): ReadonlyMap<number, readonly Citation[]> {
  const byFinding = new Map<number, Citation[]>()
  for (const { of, ...citation } of citations) {
    const known = byFinding.get(of)
    if (known) known.push(citation)
    else byFinding.set(of, [citation])
  }
  return byFinding
}

function draftOf(
  { description, impact, category, evidence, confidence, claims, answers }: AnswerFinding,
  citations: readonly Citation[],
  { agent, iteration }: { readonly agent: string; readonly iteration: number },
): Draft {
  return {
    description,
    impact,
    category,
    citations,
    ...(claims === undefined ? {} : { claims }),
    ...(answers === undefined ? {} : { answers }),
    source: {
      agent,
      iteration,
      ...(evidence === undefined ? {} : { evidence }),
      ...(confidence === undefined ? {} : { stated: confidence }),
    },
  }
}

function newFinding(id: string, { source, ...found }: Draft): Finding {
  return {
    id,
    ...found,
    confidence: 0,
    confidenceParts: [],
    sourceAgents: [source.agent],
    sources: [source],
    iterationDiscovered: source.iteration,
    iterationConfirmed: source.iteration,
  }
}

/** What an agent adds to a finding that is known. */
export type Addition = Pick<Finding, 'citations' | 'impact' | 'claims' | 'answers'> & { readonly source: FindingSource }

/** The finding with what was added; `undefined` when nothing in it is new: then it is a duplicate. */
function mergedFinding(known: Finding, { citations, source, impact, claims, answers }: Addition): Finding | undefined {
  const fresh = citations.filter((citation) => !known.citations.some((each) => isSamePlace(each, citation)))
  const before = known.sources.find(({ agent }) => agent === source.agent)
  const better = betterSource(before, source)
  const moreClaims = (claims ?? []).filter((claim) => !(known.claims ?? []).some((each) => isSameClaim(each, claim)))
  const moreAnswers = (answers ?? []).filter((id) => !known.answers?.includes(id))
  const higher = IMPACT_RANK[impact] < IMPACT_RANK[known.impact] ? impact : known.impact
  const isNew =
    fresh.length > 0 || better !== before || moreClaims.length > 0 || moreAnswers.length > 0 || higher !== known.impact
  if (!isNew) return undefined
  // Better evidence is judged again; what was supported stays.
  const { judgements, ...rest } = known
  const standing = fresh.some(isVerified) ? judgements?.filter(({ verdict }) => verdict === 'supports') : judgements
  const allClaims = [...(known.claims ?? []), ...moreClaims]
  const allAnswers = [...(known.answers ?? []), ...moreAnswers]
  return {
    ...rest,
    ...(standing === undefined || standing.length === 0 ? {} : { judgements: standing }),
    impact: higher,
    citations: kept([...known.citations, ...fresh]),
    sources: before ? known.sources.map((each) => (each === before ? better : each)) : [...known.sources, source],
    sourceAgents: [...new Set([...known.sourceAgents, source.agent])],
    iterationConfirmed: Math.max(known.iterationConfirmed, source.iteration),
    ...(allClaims.length === 0 ? {} : { claims: allClaims }),
    ...(allAnswers.length === 0 ? {} : { answers: allAnswers }),
  }
}

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

/** Everything the agents of an iteration brought, as facts: findings, conflicts and how they end, and gaps whose agent failed. */
export function integrationFacts(settings: WholeResearchSettings, state: State): readonly Fact[] {
  const research = researchOf(state)
  const iteration = researchIterationOf(state)
  const { answers } = research
  const { recorded, merged, conflicts, nominations, skipped, dropped, notes } = integrate(research, answers, {
    iteration,
    rules: settings,
  })
  const settled = settleConflicts(research, answers, iteration)
  const all = answers.flatMap(({ citations }) => citations)
  const changed = new Set(merged.map(({ finding }) => finding.id))
  const before = research.findings.filter(({ id }) => changed.has(id))
  return [
    ...recorded.map((finding) => concluded(state, LOOP, 'finding.recorded', { iteration, finding })),
    ...merged.map(({ finding, agent }) => concluded(state, LOOP, 'finding.merged', { iteration, finding, agent })),
    ...conflicts.map((conflict) => concluded(state, LOOP, 'conflict.raised', { conflict })),
    ...nominations.map((nomination) => concluded(state, LOOP, 'conflict.nominated', { nomination })),
    ...settled.resolved.map((resolution) => concluded(state, LOOP, 'conflict.resolved', resolution)),
    ...unresolvedGaps(state, research, iteration),
    concluded(state, LOOP, 'findings.integrated', {
      iteration,
      recorded: recorded.length,
      merged: merged.length,
      skipped,
      dropped,
      citationsAdded: verifiedIn(recorded) + verifiedIn(merged.map(({ finding }) => finding)) - verifiedIn(before),
      citationsRefuted: all.filter(({ status }) => status === 'refuted').length,
      filesNew: newFiles(research, answers).size,
      notes: [...notes, ...settled.notes],
    }),
  ]
}

function verifiedIn(findings: readonly Finding[]): number {
  return findings.reduce((sum, { citations }) => sum + citations.filter(isVerified).length, 0)
}

/** The agent that was sent failed: its gaps stay open and say so, and the others continue. */
function unresolvedGaps(state: State, { assignments }: ResearchProgress, iteration: number): readonly Fact[] {
  return assignments.flatMap(({ status, gaps, role: agent, failure = '' }) =>
    status !== 'failed'
      ? []
      : gaps.map((gap) => {
          const message = shortened(failure, MESSAGE_LENGTH_MAX)
          return concluded(state, LOOP, 'gap.unresolved', { gap, iteration, reason: AGENT_FAILURE, agent, message })
        }),
  )
}

const MESSAGE_LENGTH_MAX = 300

/** Files that nobody had cited rightly before. */
function newFiles({ findings }: ResearchProgress, answers: readonly PendingAnswer[]): ReadonlySet<string> {
  const before = new Set(findings.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file)))
  const now = answers.flatMap(({ citations }) => citations.filter(isVerified).map(({ file }) => file))
  return new Set(now.filter((file) => !before.has(file)))
}
