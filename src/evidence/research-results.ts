import { builtInFolds, evolveAll } from '../loops/evolve.ts'
import type { Event } from '../core/event.ts'
import { isDamage } from '../core/pawl-error.ts'
import { researchResult, type ResearchResult, type ResearchSettings, researchStatistics } from '../loops/research/index.ts'
import { answersOf, type QuestionAnswer } from '../loops/research/answers.ts'
import type { Store } from '../stores/store.ts'
import { loadState } from '../engine/session.ts'
import type { State } from '../core/state.ts'

/** What a journal's research came to; nothing where it is no run of research, or one that never began to look. */
export function resultIn(events: readonly Event[]): ResearchResult | undefined {
  const [first] = events
  if (first?.type !== 'run.started' || first.data.config.loop.name !== 'research') return undefined
  const state = evolveAll(undefined, events)
  return state?.slices?.research && researchResult(state)
}

/**
 * What a run knows of the research before it: how often each specialist closed which kind of gap, over the newest runs that are over. A
 * run that is known keeps what it began with, so that continuing it changes nothing.
 */
export async function pastOf(store: Store, id: string | undefined): Promise<Pick<ResearchSettings, 'past'>> {
  const known = id === undefined ? undefined : await loadState(store, id, builtInFolds)
  if (known) {
    const { past } = known.config.loop.settings as unknown as ResearchSettings
    return past === undefined ? {} : { past }
  }
  const newest = (await store.runs()).toSorted((one, other) => other.startedAt - one.startedAt).slice(0, RUNS_READ_MAX)
  const results: ResearchResult[] = []
  for (const { run } of newest) {
    const result = await resultOf(store, run)
    if (result) results.push(result)
  }
  const { effectiveness: past } = researchStatistics(results)
  return past.length === 0 ? {} : { past }
}

/** Older runs are not looked at when one begins. */
const RUNS_READ_MAX = 50

/** A run that is damaged tells nothing, and keeps no other from beginning. */
async function resultOf(store: Store, run: string): Promise<ResearchResult | undefined> {
  try {
    const state = await loadState(store, run, builtInFolds)
    return state?.config.loop.name === 'research' && state.slices?.research ? researchResult(state) : undefined
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}

/** What research has come to in a few numbers, for `--json`. */
export interface ResearchSummary extends Pick<ResearchResult, 'status' | 'confidence' | 'unmet'> {
  readonly coverage: number
  readonly findings: number
  readonly citations: number
  readonly conflictsOpen: number
  readonly questions: readonly { readonly id: string; readonly text: string; readonly status: string }[]
  /** Every question with its statements, their places and the lines there. */
  readonly answers: readonly QuestionAnswer[]
  readonly gapsOpen: number
  readonly agentsFailed: number
}

/** Of a run of research that has begun to look; nothing of any other. */
export function researchSummary(state: State): ResearchSummary | undefined {
  if (!state.slices?.research || state.config.loop.name !== 'research') return undefined
  const result = researchResult(state)
  const { status, confidence, unmet, coverage, findings, metrics, conflicts, questions, gaps } = result
  return {
    status,
    coverage: coverage.coverage,
    confidence,
    unmet,
    findings: findings.length,
    citations: metrics.citations,
    conflictsOpen: conflicts.filter(({ resolution }) => !resolution).length,
    questions: questions.map(({ id, text, status: answered }) => ({ id, text, status: answered })),
    answers: answersOf(result),
    gapsOpen: gaps.length,
    agentsFailed: metrics.agentsFailed,
  }
}
