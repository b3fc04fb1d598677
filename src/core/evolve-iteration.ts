import type { TextRef } from './event-data.ts'
import type { Event } from './event.ts'
import { withAccepted } from './evolve-answer.ts'
import type { Failure } from './failure.ts'
import { measureBetterScore } from './measures/better-score.ts'
import { measureSameFailure } from './measures/same-failure.ts'
import { churnWith } from './measures/churn.ts'
import { ledgerAfter } from './measures/ledger.ts'
import type { Measures } from './measures/measures.ts'
import { testsNotRun } from './measures/not-run.ts'
import { trendWith } from './measures/trend.ts'
import { verdictOf } from './measures/verdict-of.ts'
import { FILES_REMEMBERED_MAX, type Iteration, type IterationSummary, openIteration, RECENT_MAX, type State } from './state.ts'
import { tripTopic } from './trip.ts'
import type { Verdict } from './verdict.ts'

/** The first iteration's start also closes the look before any work. */
export function iterationStarted(state: State, event: Event<'iteration.started'>): State {
  const { iteration } = event.data
  const isFirst = state.current.number === 0
  const known = isFirst ? { ...withBaseline(state), ...(state.tree ? { base: state.tree } : {}) } : state
  // Only a run that was imported begins another after its end: its transcript has grown.
  const status = state.status === 'completed' ? 'running' : state.status
  const current = openIteration(iteration, event.seq, state.totals)
  return { ...known, status, current, message: `Iteration ${iteration} has begun.` }
}

/** An iteration is measured when it ends, before it is judged. Warnings given for it have been read by now. */
export function iterationEnded(state: State, event: Event<'iteration.ended'>): State {
  const { verdict } = event.data
  const { current } = state
  const measures = measured(state, event)
  return withBest(
    {
      ...state,
      current: { ...current, ended: { seq: event.seq, verdict } },
      measures,
      recent: [...earlier(state.recent), summaryOf(state, measures, event)],
      nudges: [],
    },
    verdict,
    event.seq,
  )
}

function measured({ current, measures }: State, { seq, data: { verdict } }: Event<'iteration.ended'>): Measures {
  const { betterScore, sameFailure, ledger, trend, churn } = measures
  const files = (current.observed?.files ?? []).map((file) => file.path)
  return {
    ...measures,
    betterScore: measureBetterScore(betterScore, verdict, seq),
    sameFailure: measureSameFailure(sameFailure, failuresOf(current), seq),
    ledger: ledgerAfter(ledger, current.number),
    trend: trendWith(trend, verdict.score, seq),
    churn: churnWith(churn, files, current.number, verdict.passed || verdict.score > betterScore.best, seq),
  }
}

/** A waiver is used up by the trip it lets pass. */
export function tripRecorded(state: State, event: Event<'guard.tripped'>): State {
  if (!state.waivers.includes(event.data.guard)) return event.data.disputesPass ? withoutDisputed(state) : state
  const { guard } = event.data
  return withAccepted({ ...state, waivers: state.waivers.filter((name) => name !== guard) }, [guard])
}

/** A pass that cannot be believed is nothing to go back to. */
function withoutDisputed(state: State): State {
  const { best, bestBefore, ...rest } = state
  if (best === undefined || best.seq !== state.current.ended?.seq) return state
  return bestBefore ? { ...rest, best: bestBefore } : rest
}

/** A warning reaches the agent once, with the next brief. */
export function nudgeGiven(state: State, event: Event<'guard.nudged' | 'budget.warned'>): State {
  const nudged = [...state.nudged, { topic: tripTopic(event.data), iteration: state.current.number }]
  return { ...state, nudges: [...state.nudges, event.data], nudged }
}

/** A warning that no longer holds may be given again later. */
export function decided(state: State, event: Event<'decision.made'>): State {
  const { action, message, trips } = event.data
  const isAside = state.current.problem !== undefined || state.current.asked !== undefined
  const nudged = isAside ? state.nudged : state.nudged.filter(({ topic }) => trips.includes(topic))
  return { ...state, nudged, message, current: { ...state.current, decision: { seq: event.seq, action } } }
}

/** All failures the checks of an iteration reported. */
function failuresOf({ checks }: Iteration): readonly Failure[] {
  const [only] = checks
  return only && checks.length === 1 ? only.failures : checks.flatMap((check) => check.failures)
}

function withBaseline(state: State): State {
  const { checks } = state.current
  if (checks.length === 0 || state.tree === undefined) return state
  const ledger = ledgerAfter(state.measures.ledger, 0)
  const verdict = verdictOf(checks, ledger)
  // Where everything passed beforehand, new tests may fail at first: any score is then better than none.
  const best = verdict.passed ? 0 : verdict.score
  const measures = { ...state.measures, ledger, betterScore: { ...state.measures.betterScore, best } }
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
    ...(state.best ? { bestBefore: state.best } : {}),
    best: { iteration: state.current.number, score: verdict.score, passed: verdict.passed, tree, snapshot, seq },
  }
}

function summaryOf(state: State, measures: Measures, event: Event<'iteration.ended'>): IterationSummary {
  const { current } = state
  const notRun = testsNotRun(state)
  const { iteration, verdict, tree, filesChanged, costUsd, durationMs } = event.data
  const last = current.work.at(-1)
  const said = last?.failed?.message ?? last?.summary
  return {
    iteration,
    seq: event.seq,
    verdict,
    tree,
    filesChanged,
    ...(isUntouched(state, event) ? { isUntouched: true as const } : {}),
    costUsd,
    durationMs,
    failures: failuresOf(current),
    files: (current.observed?.files ?? []).slice(0, FILES_REMEMBERED_MAX).map((file) => file.path),
    ledger: measures.ledger.movement,
    outputs: outputsOf(current),
    ...(current.observed?.diff ? { diff: current.observed.diff } : {}),
    fingerprint: measures.sameFailure.fingerprint,
    ...(current.observed?.likeness ? { likeness: current.observed.likeness } : {}),
    ...(last?.spinning ? { spinning: last.spinning } : {}),
    ...(last?.denied ? { denied: last.denied } : {}),
    ...(said === undefined ? {} : { said }),
    ...(last?.failed ? { agentFailed: true as const } : {}),
    ...(notRun > 0 ? { notRun } : {}),
  }
}

/** Where nobody looked at the files themselves, the trees of the iterations tell. */
function isUntouched({ current, recent, base }: State, { data: { tree, filesChanged } }: Event<'iteration.ended'>): boolean {
  if (filesChanged > 0) return false
  return current.observed ? current.observed.isUntouched === true : tree === (recent.at(-1)?.tree ?? base?.tree ?? tree)
}

/** What the checks that failed printed. */
function outputsOf({ checks }: Iteration): IterationSummary['outputs'] {
  const outputs: { name: string; text: TextRef }[] = []
  for (const { name, passed, output } of checks) if (!passed && output) outputs.push({ name, text: output })
  return outputs
}

/** All but the newest were shortened when they were no longer the newest. */
function earlier(recent: State['recent']): State['recent'] {
  const kept = recent.slice(1 - RECENT_MAX)
  const last = kept.pop()
  if (last) kept.push(shorter(last))
  return kept
}

/** Only the newest iteration is told about in full; of those before it a few names do. */
function shorter(summary: IterationSummary): IterationSummary {
  const { failures, ledger } = summary
  const isShort = failures.length <= FAILURES_REMEMBERED_MAX && Object.values(ledger.counts).every(isFew)
  if (isShort) return summary
  const { counts, ...names } = ledger
  const few = Object.entries(names).map(([kind, ids]) => [kind, ids.slice(0, FAILURES_REMEMBERED_MAX)])
  const movement = { ...(Object.fromEntries(few) as typeof names), counts }
  return { ...summary, failures: failures.slice(0, FAILURES_REMEMBERED_MAX), ledger: movement }
}

function isFew(count: number): boolean {
  return count <= FAILURES_REMEMBERED_MAX
}

const FAILURES_REMEMBERED_MAX = 10
