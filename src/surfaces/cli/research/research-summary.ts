import type { State } from '../../../core/state.ts'
import { researchResult, type ResearchResult } from '../../../loops/research/index.ts'

/** What research has come to in a few numbers, for `--json`. */
export interface ResearchSummary extends Pick<ResearchResult, 'status' | 'confidence' | 'unmet'> {
  readonly coverage: number
  readonly findings: number
  readonly citations: number
  readonly conflictsOpen: number
  readonly questions: readonly { readonly id: string; readonly text: string; readonly status: string }[]
  readonly gapsOpen: number
  readonly agentsFailed: number
}

/** Of a run of research that has begun to look; nothing of any other. */
export function researchSummary(state: State): ResearchSummary | undefined {
  if (!state.slices?.research || state.config.loop.name !== 'research') return undefined
  const { status, confidence, unmet, coverage, findings, metrics, conflicts, questions, gaps } = researchResult(state)
  return {
    status,
    coverage: coverage.coverage,
    confidence,
    unmet,
    findings: findings.length,
    citations: metrics.citations,
    conflictsOpen: conflicts.filter(({ resolution }) => !resolution).length,
    questions: questions.map(({ id, text, status: answered }) => ({ id, text, status: answered })),
    gapsOpen: gaps.length,
    agentsFailed: metrics.agentsFailed,
  }
}
