import { concluded, LOOP } from '../../core/conclude.ts'
import { type Effect, effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import type { Loop } from '../../core/loop.ts'
import type { ProofLevel } from '../../core/proof.ts'
import type { Question } from '../../core/question.ts'
import { messagesIn, questionOf, type Saying } from '../../core/saying.ts'
import type { State } from '../../core/state.ts'
import type { Decision } from '../../core/step.ts'
import type { Verdict } from '../../core/verdict.ts'
import { ABORT } from '../../core/words.ts'
import { accept, goOn } from '../shared/options.ts'
import { problemDecision } from '../shared/questions.ts'
import type { ChildProgress, ChildResult, ParallelProgress, WonBy } from './events.ts'
import { mayLeaveTests, parallelFold, progressOf } from './fold.ts'
import { childRun, type ParallelChild, type ParallelSettings, parallelSpec, resultBranch } from './settings.ts'
import { PARALLEL_WORDS, parallelSaying, waitingWords } from './words.ts'

/**
 * Several agents at the same time, each in an ordinary run of its own: tasks whose results are merged one after another and proven again,
 * or a race that one of them wins. Everything that is next follows from the journal, so that a parent that was killed asks for what is missing.
 *
 * @part parallel
 */
export function parallelLoop(settings: ParallelSettings): Loop {
  return {
    spec: parallelSpec(settings),
    concludes: (state) => conclusions(settings, state),
    effects: (state) => parallelEffects(settings, state),
    verdict: (state) => verdictNow(settings, progressOf(state)),
    fold: parallelFold,
    performers: () => import('./perform.ts').then(({ parallelPerformers }) => parallelPerformers),
    decide: (state) => decideParallel(settings, state),
  }
}

/** Who won, and that only answers are missing. */
function conclusions(settings: ParallelSettings, state: State): readonly Fact[] {
  const progress = progressOf(state)
  if (state.current.number === 0 || state.current.ended) return []
  const winner = winnerOf(settings, progress)
  if (winner) return [concluded(state, LOOP, 'winner.chosen', winner)]
  const asking = Object.values(progress.children).filter(({ status }) => status === 'asking')
  const isWorking = parallelEffects(settings, state).some(
    (effect) => effect.kind !== 'child' || progress.children[effect.child]?.status !== 'asking',
  )
  if (asking.length === 0 || isWorking) return []
  return [concluded(state, LOOP, 'run.paused', { reason: waitingWords(asking.map(({ run }) => run)) })]
}

function winnerOf({ mode, best, children }: ParallelSettings, progress: ParallelProgress) {
  if (mode !== 'race' || progress.winner) return undefined
  const [first] = progress.proven
  if (!best) return first === undefined ? undefined : { child: first, by: 'first' as const }
  const through = children.flatMap(({ id }) => {
    const { status, result } = progress.children[id] ?? { status: 'open' }
    return result && (status === 'proven' || status === 'failed') ? [{ id, result }] : []
  })
  return through.length === children.length ? chooseBest(through) : undefined
}

/** What is wanted now: keys that are under way are not begun twice. */
export function parallelEffects(settings: ParallelSettings, state: State): readonly Effect[] {
  const iteration = state.current.number
  const progress = progressOf(state)
  const key = (role: string, index = 0): string => effectKey(iteration, role, index)
  if (iteration === 0) return progress.tree === undefined ? [{ kind: 'queue', key: key('queue'), iteration }] : []
  const known = Object.values(progress.children)
  // Runs that were begun are driven to their end, by this process or the next.
  const underWay = known
    .filter(({ status }) => status === 'working' || status === 'asking')
    .map(({ child, attempt }): Effect => ({ kind: 'child', key: key(`run:${child}`, attempt), iteration, child }))
  const { winner, areLosersStopped } = progress
  if (settings.mode === 'race' && winner) {
    const losers = known.filter(({ child, status }) => child !== winner.child && (status === 'working' || status === 'asking'))
    const stop = losers.length > 0 && !areLosersStopped
    const ending: readonly Effect[] = stop
      ? [{ kind: 'stop-losers', key: key('stop'), iteration, children: losers.map(({ child }) => child) }]
      : []
    const isTaken = progress.merged.includes(winner.child)
    const take: readonly Effect[] = isTaken
      ? landing(settings, progress, iteration)
      : [{ kind: 'take', key: key(`take:${winner.child}`), iteration, child: winner.child }]
    return [...ending, ...underWay, ...take]
  }
  const queue = settings.mode === 'race' ? [] : queueEffects(settings, progress, state, key)
  const begun = settings.mode === 'race' && progress.winner ? [] : beginning(settings, progress, state, key)
  const all = [...queue, ...underWay, ...begun]
  return all.length > 0 ? all : landing(settings, progress, iteration)
}

/** One result at a time: the first that is proven is taken if it was made from the tip, else merged with it and proven again. */
function queueEffects(
  settings: ParallelSettings,
  progress: ParallelProgress,
  { run, current: { number: iteration } }: State,
  key: (role: string, index?: number) => string,
): readonly Effect[] {
  const { children, proven, tree = '' } = progress
  const waiting = proven.flatMap((id) => children[id] ?? []).filter(({ status }) => status === 'proven')
  const ready = waiting.find(
    ({ base, child, result }) => base === tree && (result?.failing === 0 || mayLeaveTests(settings.children, child, progress)),
  )
  if (ready) return [{ kind: 'take', key: key(`take:${ready.child}`, ready.attempt), iteration, child: ready.child }]
  const isMerging = Object.values(children).some(({ stage, status }) => stage === 'merge' && status === 'working')
  const [first] = waiting
  return first && !isMerging ? [startEffect(run, first.child, 'merge', first.attempt + 1, tree, iteration, key)] : []
}

/** New work: what needs nothing that isn't merged, as many as may work at a time. */
function beginning(
  { children, parallel }: ParallelSettings,
  progress: ParallelProgress,
  { run, current: { number: iteration } }: State,
  key: (role: string, index?: number) => string,
): readonly Effect[] {
  const working = Object.values(progress.children).filter(({ status }) => status === 'working').length
  const open = children.filter(
    ({ id, needs = [] }) => isOpenChild(progress.children[id]) && needs.every((other) => progress.merged.includes(other)),
  )
  return open
    .slice(0, Math.max(0, parallel - working))
    .map(({ id }) => startEffect(run, id, 'work', (progress.children[id]?.attempt ?? 0) + 1, progress.tree ?? '', iteration, key))
}

function isOpenChild(child: ChildProgress | undefined): boolean {
  return child === undefined || child.status === 'open'
}

function startEffect(
  parent: string,
  child: string,
  stage: 'work' | 'merge',
  attempt: number,
  base: string,
  iteration: number,
  key: (role: string, index?: number) => string,
): Effect {
  return {
    kind: 'child',
    key: key(`run:${child}`, attempt),
    iteration,
    child,
    start: { stage, attempt, base, run: childRun(parent, child, stage, attempt) },
  }
}

/** Only a whole result lands, and only where it was asked for. */
function landing(settings: ParallelSettings, progress: ParallelProgress, iteration: number): readonly Effect[] {
  const { onto } = settings
  if (onto === undefined || progress.landed || !areMerged(settings, progress)) return []
  return [{ kind: 'land', key: effectKey(iteration, 'land'), iteration, branch: onto }]
}

function unmerged({ children }: ParallelSettings, { merged }: ParallelProgress): readonly ParallelChild[] {
  return children.filter(({ id }) => !merged.includes(id))
}

function areMerged(settings: ParallelSettings, progress: ParallelProgress): boolean {
  return settings.mode === 'race' ? progress.merged.length > 0 : unmerged(settings, progress).length === 0
}

/** A failed merge, or a result that didn't land, is never a success. */
function isReached(settings: ParallelSettings, progress: ParallelProgress): boolean {
  return areMerged(settings, progress) && (settings.onto === undefined || progress.landed?.result === 'done')
}

function verdictNow(settings: ParallelSettings, progress: ParallelProgress): Verdict {
  const passed = isReached(settings, progress)
  const count = settings.mode === 'race' ? 1 : settings.children.length
  return {
    passed,
    score: Math.min(1, progress.merged.length / count),
    failing: passed ? 0 : Math.max(1, count - progress.merged.length),
  }
}

const decided = messagesIn(PARALLEL_WORDS)

function decideParallel(settings: ParallelSettings, state: State): Decision {
  const { problem } = state.current
  if (problem) return problemDecision(state, problem)
  const progress = progressOf(state)
  const branch = resultBranch(state.run)
  const { winner, landed } = progress
  if (isReached(settings, progress))
    return winner
      ? { action: 'proceed', ...decided('parallel.won', { ...winner, branch }), basis: [] }
      : { action: 'proceed', ...decided('parallel.merged', { count: settings.children.length, branch }), basis: [] }
  const missing = unmerged(settings, progress)
  const told =
    landed && areMerged(settings, progress)
      ? decided('parallel.not-landed', { branch: landed.branch, result: landed.result })
      : settings.mode === 'race'
        ? decided('parallel.no-winner', { count: settings.children.length })
        : decided('parallel.unmerged', {
            merged: progress.merged.length,
            count: settings.children.length,
            failed: missing.map(({ id }) => id),
          })
  return { action: 'escalate', ...told, basis: [], question: missingQuestion(settings, state, told.says) }
}

function missingQuestion(settings: ParallelSettings, state: State, why: Saying): Question {
  const progress = progressOf(state)
  const reasons = unmerged(settings, progress).flatMap(({ id }) => {
    const { result } = progress.children[id] ?? {}
    return result && !areMerged(settings, progress)
      ? [parallelSaying('parallel.failed', { child: id, message: result.message })]
      : []
  })
  const branch = resultBranch(state.run)
  return questionOf(PARALLEL_WORDS, {
    code: 'parallel',
    text: [why, ...reasons, parallelSaying('parallel.ask')],
    options: [
      goOn([], {
        choice: 'again',
        words: PARALLEL_WORDS,
        label: parallelSaying('parallel.again'),
        after: parallelSaying('parallel.again.after'),
      }),
      ...(progress.merged.length === 0
        ? []
        : [
            accept(state, {
              words: PARALLEL_WORDS,
              label: parallelSaying('parallel.accept', { branch }),
              after: parallelSaying('parallel.accept.after'),
            }),
          ]),
      ABORT,
    ],
    attempts: [],
  })
}

/** Someone who is through. */
interface Candidate {
  readonly id: string
  readonly result: ChildResult
}

/** The strongest first. */
const LEVELS: readonly ProofLevel[] = ['red-to-green', 'self-tested', 'reviewed', 'unproven']

/** What decides between two proven results, in this order; the smaller figure wins. */
const MEASURES: readonly { readonly by: WonBy; readonly of: (result: ChildResult) => number }[] = [
  { by: 'proof', of: ({ level = 'unproven' }) => LEVELS.indexOf(level) },
  { by: 'failing', of: ({ failing }) => failing },
  { by: 'diff', of: ({ lines }) => lines },
  // What nobody knows isn't cheap.
  { by: 'cost', of: ({ costUsd, isCostPartial }) => (isCostPartial ? Infinity : costUsd) },
]

/** The best of several proven results, by what it beat the next best, and who that is. Undefined if no result is proven. */
function chooseBest(
  candidates: readonly Candidate[],
): { readonly child: string; readonly by: WonBy; readonly against?: string } | undefined {
  const ranked = candidates
    .filter(({ result }) => result.status === 'proven')
    .toSorted((one, other) => difference(one, other)?.sign ?? 0)
  const [best, next] = ranked
  if (!best) return undefined
  if (!next) return { child: best.id, by: 'only' }
  return { child: best.id, by: difference(best, next)?.by ?? 'order', against: next.id }
}

function difference(one: Candidate, other: Candidate): { readonly by: WonBy; readonly sign: number } | undefined {
  for (const { by, of } of MEASURES) {
    const [first, second] = [of(one.result), of(other.result)]
    if (first !== second) return { by, sign: first < second ? -1 : 1 }
  }
  return undefined
}
