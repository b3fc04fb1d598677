import { initialLedger, type Ledger } from './ledger.ts'
import type { Seq } from '../event.ts'
import type { Verdict } from '../verdict.ts'
import type { Failure } from '../failure.ts'
import { shortened } from '../wording.ts'
import { failureFingerprint } from './fingerprint.ts'
import { type Action, isRepeated } from '../action.ts'

/** What guards look at, kept up to date by `evolve` at the end of every iteration. */
export interface Measures {
  readonly betterScore: BetterScore
  readonly sameFailure: SameFailure
  readonly ledger: Ledger
  readonly trend: Trend
  readonly churn: Churn
  readonly actions: ActionsSeen
  /** The last iteration that is no longer held against anybody: after it a person stepped in, or another item began. Default 0. */
  readonly since: number
}

/** Failures in a row without a score better than all before. */
export interface BetterScore {
  readonly best: number
  readonly failures: number
  /** Ends of the failed iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
}

/** Nothing measured yet. */
const initialBetterScore: BetterScore = { best: 0, failures: 0, facts: [] }

/** Counts one more iteration: a pass or a better score restarts the count. */
export function measureBetterScore(measure: BetterScore, verdict: Verdict, seq: Seq): BetterScore {
  const isBetter = verdict.score > measure.best
  if (verdict.passed || isBetter) return { best: Math.max(measure.best, verdict.score), failures: 0, facts: [] }
  return { best: measure.best, failures: measure.failures + 1, facts: [...measure.facts, seq].slice(-FACTS_MAX) }
}

/** A person stepped in: what failed before is no evidence against what they asked for. The best score stays. */
export function forgiveFailures(measure: BetterScore): BetterScore {
  return { ...measure, failures: 0, facts: [] }
}

/** How many iterations in a row ended with exactly the same failures. */
export interface SameFailure {
  readonly fingerprint: string
  readonly count: number
  /** Ends of the iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
  /** One of the failures, for the message. */
  readonly example: string
}

/** Nothing has failed yet. */
const initialSameFailure: SameFailure = { fingerprint: '', count: 0, facts: [], example: '' }

/** Counts one more iteration; no failures, or others, restart it. */
export function measureSameFailure(measure: SameFailure, failures: readonly Failure[], seq: Seq): SameFailure {
  const own = failures.filter((failure) => !failure.isFlaky)
  const [first] = own
  if (!first) return initialSameFailure
  const fingerprint = failureFingerprint(own)
  const example = shortened(`${first.id}: ${first.message}`, 200)
  if (fingerprint !== measure.fingerprint) return { fingerprint, count: 1, facts: [seq], example }
  return { fingerprint, count: measure.count + 1, facts: [...measure.facts, seq].slice(-FACTS_MAX), example }
}

/** The last scores, and the best before them: what tells a decline from a loop that never got anywhere. */
export interface Trend {
  /** The newest last; at most `WINDOW`. */
  readonly scores: readonly number[]
  readonly facts: readonly Seq[]
  /** The best score before the window; absent if there is none. */
  readonly bestBefore?: number
  /** The score just before the window; absent if there is none. */
  readonly lastBefore?: number
}

/** How many iterations a decline is looked for in. */
export const TREND_WINDOW = 3

/** Nothing was scored yet. */
export const initialTrend: Trend = { scores: [], facts: [] }

/** Takes in one more score. */
export function trendWith({ scores, facts, bestBefore }: Trend, score: number, seq: Seq): Trend {
  const isFull = scores.length === TREND_WINDOW
  const [oldest = 0] = scores
  return {
    scores: [...scores, score].slice(-TREND_WINDOW),
    facts: [...facts, seq].slice(-TREND_WINDOW),
    ...(isFull ? { bestBefore: Math.max(bestBefore ?? 0, oldest), lastBefore: oldest } : {}),
  }
}

/** All of the window below the best before it, and none of it better than the one before: it got worse and stays so. */
export function isDeclining({ scores, bestBefore, lastBefore }: Trend): boolean {
  if (bestBefore === undefined || lastBefore === undefined) return false
  const isBelow = scores.every((score) => score < bestBefore)
  return isBelow && scores.every((score, index) => score <= (index === 0 ? lastBefore : (scores[index - 1] ?? 0)))
}

/** In how many iterations each file was changed since the checks last passed or the score was last better than ever before. */
export interface Churn {
  readonly files: Readonly<Record<string, FileChurn>>
}

export interface FileChurn {
  readonly count: number
  /** The iteration it was first changed in. */
  readonly since: number
  /** Ends of the iterations counted, the newest last; at most `FACTS_MAX`. */
  readonly facts: readonly Seq[]
}

const FILES_MAX = 200

/** Nothing was changed yet. */
const initialChurn: Churn = { files: {} }

/** Counts the files of one iteration; one that passed, or scored better than ever before, restarts the count. */
export function churnWith(churn: Churn, files: readonly string[], iteration: number, isGood: boolean, seq: Seq): Churn {
  if (isGood) return initialChurn
  if (files.length === 0) return churn
  const counted: Record<string, FileChurn> = { ...churn.files }
  for (const path of new Set(files)) {
    const known = Object.hasOwn(counted, path) ? counted[path] : undefined
    counted[path] = {
      count: (known?.count ?? 0) + 1,
      since: known?.since ?? iteration,
      facts: [...(known?.facts ?? []), seq].slice(-FACTS_MAX),
    }
  }
  return { files: bounded(counted) }
}

/** Of too many files those changed most often are remembered. */
function bounded(files: Record<string, FileChurn>): Churn['files'] {
  if (Object.keys(files).length <= FILES_MAX) return files
  return Object.fromEntries(
    Object.entries(files)
      .toSorted(([, one], [, other]) => other.count - one.count)
      .slice(0, FILES_MAX),
  )
}

/** The agent's last actions, the newest last; at most `ACTIONS_REMEMBERED_MAX`, over iterations and crashes. */
export interface ActionsSeen {
  readonly last: readonly Action[]
  /** The facts they come from, the newest last. */
  readonly facts: readonly Seq[]
}

/** How many actions are looked back over. */
const ACTIONS_REMEMBERED_MAX = 60
const FACTS_MAX = 10

/** Nothing was done yet. */
const initialActions: ActionsSeen = { last: [], facts: [] }

/** Adds what was done. */
export function actionsWith({ last, facts }: ActionsSeen, actions: readonly Action[], seq: Seq): ActionsSeen {
  return {
    last: actions.reduce(withAction, last).slice(-ACTIONS_REMEMBERED_MAX),
    facts: [...facts, seq].slice(-FACTS_MAX),
  }
}

/** Of the first call of its kind nobody noted the state of the files: it is taken to be that of the second. */
function withAction(last: readonly Action[], action: Action): readonly Action[] {
  const { files } = action
  const same = files === undefined ? [] : last.flatMap((each, index) => (isRepeated(each, action) ? [index] : []))
  const [first = -1, ...others] = same
  const isFirst = first >= 0 && others.length === 0 && last[first]?.files === undefined
  const before = isFirst && files !== undefined ? last.with(first, { ...(last[first] as Action), files }) : last
  return [...before, action]
}

/** Before the first iteration. */
export const initialMeasures: Measures = {
  betterScore: initialBetterScore,
  sameFailure: initialSameFailure,
  ledger: initialLedger,
  trend: initialTrend,
  churn: initialChurn,
  actions: initialActions,
  since: 0,
}

/** The counts of attempts at one goal start over after the iteration `since`; the knowledge of the tests stays. */
export function measuresAnew(measures: Measures, since: number): Measures {
  return { ...initialMeasures, ledger: measures.ledger, since }
}
