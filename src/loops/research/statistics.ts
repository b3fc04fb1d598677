import type { Criterion } from './rules.ts'
import type { Effectiveness } from './settings.ts'
import type { QuestionKind } from './rules.ts'
import { addedUp } from './select-agents.ts'
import { convergenceRate, type ResearchResult } from './result.ts'

/** What all research runs together say. */
export interface ResearchStatistics {
  readonly runs: number
  /** Those that are over. */
  readonly over: number
  readonly full: number
  /** Share of those that are over that converged fully; absent where none is. */
  readonly convergenceRate?: number
  readonly effectiveness: readonly Effectiveness[]
  readonly proposals: readonly ThresholdProposal[]
}

/** A threshold that runs of one kind of question miss again and again. It is only told: nothing changes by itself. */
export interface ThresholdProposal {
  /** Of the run's first question. */
  readonly kind: QuestionKind
  readonly criterion: Criterion
  readonly threshold: number
  readonly proposed: number
  /** Runs that missed this criterion and no other, out of those of the kind that are over. */
  readonly missed: number
  readonly over: number
}

/** Adds up results of research, those of runs that are under way among them. */
export function researchStatistics(results: readonly ResearchResult[]): ResearchStatistics {
  const over = results.filter(({ status }) => status !== 'not_converged')
  const rate = convergenceRate(results)
  return {
    runs: results.length,
    over: over.length,
    full: over.filter(({ status }) => status === 'FULL').length,
    ...(rate === undefined ? {} : { convergenceRate: rate }),
    effectiveness: addedUp(over.map(({ effectiveness }) => effectiveness)),
    proposals: KINDS.flatMap((kind) => proposalsFor(kind, over)),
  }
}

const KINDS: readonly QuestionKind[] = ['feasibility', 'architecture', 'location', 'rationale']
/** Fewer runs say nothing. */
const RUNS_MIN = 5
/** Conflicts and questions are not a matter of degree. */
const CRITERIA: readonly Criterion[] = ['coverage', 'confidence']
const STEP = 0.05

/** Where half of the runs of a kind or more miss one criterion only, what the middle one of them reached. */
function proposalsFor(kind: QuestionKind, over: readonly ResearchResult[]): readonly ThresholdProposal[] {
  const own = over.filter(({ questions }) => questions[0]?.kind === kind)
  if (own.length < RUNS_MIN) return []
  return CRITERIA.flatMap((criterion) => {
    const missing = own.filter(({ unmet }) => unmet.length === 1 && unmet[0] === criterion)
    if (missing.length * 2 < own.length) return []
    const reached = missing.flatMap(({ convergences }) => {
      const result = convergences.at(-1)?.criteria.find((each) => each.criterion === criterion)
      return result ? [result] : []
    })
    const middle = reached.toSorted((one, other) => one.value - other.value)[Math.floor((reached.length - 1) / 2)]
    const proposed = Math.floor((middle?.value ?? 0) / STEP + 1e-9) * STEP
    if (!middle || proposed <= 0) return []
    const counts = { missed: missing.length, over: own.length }
    return [{ kind, criterion, threshold: middle.threshold, proposed: Math.round(proposed * 100) / 100, ...counts }]
  })
}
