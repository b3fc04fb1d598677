import type { EffectKey } from '../../core/event-data.ts'
import type { Event } from '../../core/event.ts'
import { foldsInOrder, foldWith, type LoopFold } from '../../core/loop.ts'
import { forgiveFailures, measuresAnew } from '../../core/measures/measures.ts'
import { optionChosen } from '../../core/question.ts'
import { type KnownTree, type State, withEffectDone, withSlice } from '../../core/state.ts'
import { planFold } from '../shared/plan.ts'
import { WRITE_TEST } from '../shared/proof.ts'

/** The words of tests that are written before the work, in the journal. */
export interface TestsEventData {
  /** What whoever writes the tests changed: files of the tests and others, at most `PROOF_NAMES_MAX` of each. */
  'tests.written': {
    readonly key: EffectKey
    readonly iteration: number
    readonly files: readonly string[]
    readonly filesCount: number
    readonly others: readonly string[]
    readonly othersCount: number
  }
  /** The tests count from now on, and nobody may change them. `failing` names those that fail before the work. */
  'tests.accepted': KnownTree & {
    readonly iteration: number
    readonly failing: readonly string[]
    readonly failingCount: number
  }
}

/** Says which of the changed files belong to the tests. */
export interface SidesEffect {
  readonly kind: 'sides'
  readonly key: EffectKey
  readonly iteration: number
  /** The snapshot before anybody wrote tests. */
  readonly since: string
}

declare global {
  namespace Pawl {
    interface LoopEvents extends TestsEventData {}
    interface LoopSlices {
      /** Where the tests stand that are written before the work. */
      readonly tests: TestsProgress
    }
    interface LoopEffects {
      readonly sides: SidesEffect
    }
  }
}

/** Where the tests of the unit under way stand. */
export interface TestsProgress {
  /** The files before anybody wrote tests. */
  readonly since?: KnownTree
  /** How often they were tried since a person last answered. */
  readonly tries: number
  /** Who wrote them. */
  readonly author?: string
  /** Set if whoever wrote them does the work too. */
  readonly isOwn?: true
  readonly seen?: Event<'tests.written'>['data']
  readonly accepted?: Event<'tests.accepted'>['data'] & { readonly files: readonly string[] }
  /** A person wants the work without them. */
  readonly isWaived?: true
  /** A person wants a test for work that is there already. */
  readonly isAskedFor?: true
}

/** The role of whoever writes the tests. */
export const TEST_WRITER = 'test_writer'

/** The choice to work without tests that were written first. */
export const WITHOUT_TESTS = 'without-tests'

const NOTHING: TestsProgress = { tries: 0 }

/** How far the tests are. */
export function progressOf({ slices }: State): TestsProgress {
  return slices?.tests ?? NOTHING
}

/** Keeps how far the tests are, and who wrote them. */
const testsFold: LoopFold = foldWith({
  'item.started': (state) => (state.slices?.tests ? withSlice(state, 'tests', NOTHING) : state),
  'work.started': (state, { data: { role } }) => {
    const progress = progressOf(state)
    if (role !== TEST_WRITER || !state.tree || (progress.since && !progress.isAskedFor)) return state
    return withSlice(state, 'tests', { ...progress, since: state.tree })
  },
  'work.finished': withWorker,
  'work.failed': withWorker,
  'tests.written': (state, { data, seq }) => {
    const progress = progressOf(state)
    const done = withEffectDone(state, { key: data.key, kind: 'sides' }, seq)
    return withSlice(done, 'tests', { ...progress, tries: progress.tries + 1, seen: data })
  },
  'tests.accepted': (state, { data }) => {
    const progress = progressOf(state)
    const { isAskedFor, ...rest } = progress
    const files = [...new Set([...(progress.accepted?.files ?? []), ...(progress.seen?.files ?? [])])]
    const counted = withSlice(state, 'tests', { ...rest, accepted: { ...data, files } })
    return isAskedFor ? counted : fromHere(counted)
  },
  'escalation.answered': (state, { data: { choice } }, { question }) => {
    const chosen = question && optionChosen(question.question, choice)
    if (!chosen || state.question) return state
    const { isAskedFor: _before, ...progress } = progressOf(state)
    if (chosen.choice === WRITE_TEST) return withSlice(state, 'tests', { ...progress, tries: 0, isAskedFor: true })
    if (!state.slices?.tests) return state
    return withSlice(state, 'tests', {
      ...progress,
      tries: 0,
      ...(chosen.choice === WITHOUT_TESTS ? { isWaived: true as const } : {}),
    })
  },
  'decision.made': (state) => {
    const { isAskedFor, ...progress } = progressOf(state)
    return isAskedFor && state.current.ended ? withSlice(state, 'tests', progress) : state
  },
})

/** The state with who worked: whoever wrote the tests and works on the goal too is judged by tests of their own. */
function withWorker(state: State, { data: { key }, by }: Event<'work.finished' | 'work.failed'>): State {
  const worker = by.model === undefined ? by.name : `${by.name} ${by.model}`
  const progress = progressOf(state)
  if (isKeyOf(key, TEST_WRITER)) {
    const { author: _before, ...rest } = progress
    // A test that a person asked for comes after the work: without another agent for it, whoever did the work writes it.
    const isOwn = progress.isAskedFor && state.config.roles?.[TEST_WRITER] === undefined ? { isOwn: true as const } : {}
    return withSlice(state, 'tests', { ...rest, ...(worker === undefined ? {} : { author: worker }), ...isOwn })
  }
  const isSame = isKeyOf(key, 'coder') && progress.author === worker && state.slices?.tests !== undefined
  return isSame && !progress.isOwn ? withSlice(state, 'tests', { ...progress, isOwn: true }) : state
}

function isKeyOf(key: EffectKey, role: string): boolean {
  return key.split('/')[1] === role
}

/** The work begins here: what fails is what the tests say before it, and writing them was no attempt at it. */
function fromHere(state: State): State {
  const { current, tree, recent, measures } = state
  const last = recent.at(-1)
  if (!current.ended || !tree || !last) return state
  const baseline = { verdict: current.ended.verdict, tree: tree.tree, failures: last.failures }
  const anew = { ...measuresAnew(measures, current.number), betterScore: forgiveFailures(measures.betterScore) }
  return { ...state, baseline, recent: [], nudges: [], measures: anew }
}

/** The fold of the task loop. */
export const taskFold: LoopFold = foldsInOrder(planFold, testsFold)
