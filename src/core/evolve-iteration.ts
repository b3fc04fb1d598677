import type { Event } from './event.ts'
import type { Failure } from './failure.ts'
import { measureBetterScore } from './measures/better-score.ts'
import { measureSameFailure } from './measures/same-failure.ts'
import { testsIn, verdictOf } from './measures/verdict-of.ts'
import { type Iteration, type IterationSummary, openIteration, RECENT_MAX, type State } from './state.ts'
import { tripTopic } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** The first iteration's start also closes the look before any work. */
export function iterationStarted(state: State, event: Event<'iteration.started'>): State {
  const { iteration } = event.data
  const known = state.current.number === 0 ? withBaseline(state) : state
  return { ...known, current: openIteration(iteration, event.seq, state.totals), message: `Iteration ${iteration} has begun.` }
}

/** An iteration is measured when it ends, before it is judged. Warnings given for it have been read by now. */
export function iterationEnded(state: State, event: Event<'iteration.ended'>): State {
  const { verdict } = event.data
  const { current, measures } = state
  return withBest(
    {
      ...state,
      current: { ...current, ended: { seq: event.seq, verdict } },
      measures: {
        testsMax: Math.max(measures.testsMax, testsIn(current.checks)),
        betterScore: measureBetterScore(measures.betterScore, verdict, event.seq),
        sameFailure: measureSameFailure(measures.sameFailure, failuresOf(current), event.seq),
      },
      recent: [...state.recent, summaryOf(current, event)].slice(-RECENT_MAX),
      nudges: [],
    },
    verdict,
    event.seq,
  )
}

/** A waiver is used up by the trip it lets pass. */
export function tripRecorded(state: State, event: Event<'guard.tripped'>): State {
  if (!state.waivers.includes(event.data.guard)) return state
  return { ...state, waivers: state.waivers.filter((guard) => guard !== event.data.guard) }
}

/** A warning reaches the agent once, with the next brief. */
export function nudgeGiven(state: State, event: Event<'guard.nudged' | 'budget.warned'>): State {
  return { ...state, nudges: [...state.nudges, event.data], nudged: [...state.nudged, tripTopic(event.data)] }
}

/** A warning that no longer holds may be given again later. */
export function decided(state: State, event: Event<'decision.made'>): State {
  const { action, message, trips } = event.data
  const nudged = state.current.problem ? state.nudged : state.nudged.filter((topic) => trips.includes(topic))
  return { ...state, nudged, message, current: { ...state.current, decision: { seq: event.seq, action } } }
}

/** All failures the checks of an iteration reported. */
function failuresOf(iteration: Iteration): readonly Failure[] {
  return iteration.checks.flatMap((check) => check.failures)
}

function withBaseline(state: State): State {
  const { checks } = state.current
  if (checks.length === 0 || state.tree === undefined) return state
  const verdict = verdictOf(checks, 0)
  // Where everything passed beforehand, new tests may fail at first: any score is then better than none.
  const best = verdict.passed ? 0 : verdict.score
  const measures = { ...state.measures, testsMax: testsIn(checks), betterScore: { ...state.measures.betterScore, best } }
  return withBest(
    { ...state, baseline: { verdict, tree: state.tree.tree, failures: failuresOf(state.current) }, measures },
    verdict,
    state.seq,
  )
}

/** The latest pass, or else the highest score; of equal scores the earlier iteration. */
function withBest(state: State, verdict: Verdict, seq: number): State {
  const isBetter = state.best === undefined || verdict.passed || verdict.score > state.best.score
  if (!isBetter || state.tree === undefined) return state
  const { tree, snapshot } = state.tree
  return {
    ...state,
    best: { iteration: state.current.number, score: verdict.score, passed: verdict.passed, tree, snapshot, seq },
  }
}

function summaryOf(current: Iteration, event: Event<'iteration.ended'>): IterationSummary {
  const { iteration, verdict, tree, filesChanged, costUsd, durationMs } = event.data
  const last = current.work.at(-1)
  const said = last?.failed?.message ?? last?.summary
  return {
    iteration,
    seq: event.seq,
    verdict,
    tree,
    filesChanged,
    costUsd,
    durationMs,
    failures: failuresOf(current).slice(0, FAILURES_REMEMBERED_MAX),
    ...(said === undefined ? {} : { said }),
    ...(last?.failed ? { agentFailed: true as const } : {}),
  }
}

const FAILURES_REMEMBERED_MAX = 10
