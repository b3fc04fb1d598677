import type { AnswerFinding } from './agent-answer.ts'
import { weighed } from './confidence.ts'
import { disputedIn } from './fold.ts'
import type { Conflict, Nomination } from './conflict.ts'
import { ALSO_SAID_MAX, type Citation, type Finding, FINDINGS_MAX, type FindingSource, isLive } from './finding.ts'
import type { PendingAnswer, ResearchProgress } from './research-progress.ts'
import type { ResearchRules } from './research-rules.ts'
import { conflictsAmong } from './conflicts-among.ts'
import { type FindingIndex, findingIndex, indexed, wordingOf } from './finding-index.ts'
import { idFrom } from './id-from.ts'
import { mergedFinding } from './merged-finding.ts'

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

export type Known = Pick<ResearchProgress, 'findings' | 'conflicts' | 'nominations' | 'lastIds'>

/**
 * Takes answers into the findings: duplicates are skipped, what enhances a finding is merged into it, what is new is recorded, and what
 * contradicts is told. Answers are taken in the order of their assignments, never of arrival; doing it twice changes nothing.
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
    const sought = indexed('', draft)
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
    this.#index.add(indexed(before.id, after), after.alsoSaid)
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
      weighed(this.#findings.get(id) as Finding, {
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
