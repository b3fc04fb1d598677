import { concluded, LOOP } from '../../core/conclude.ts'
import { effectKey } from '../../core/effect.ts'
import type { EffectKey } from '../../core/event-data.ts'
import type { Event, Fact } from '../../core/event.ts'
import type { Failure } from '../../core/failure.ts'
import { foldsInOrder, foldWith, type LoopFold } from '../../core/loop.ts'
import { forgiveFailures, measuresAnew } from '../../core/measures/measures.ts'
import { PROOF_NAMES_MAX, type WrittenTests } from '../../core/proof.ts'
import { optionChosen } from '../../core/question.ts'
import { type KnownTree, type State, withEffectDone, withSlice } from '../../core/state.ts'
import { planFold } from '../shared/plan.ts'
import { WRITE_TEST } from '../shared/questions.ts'
import { settingsNow, type WholeSettings } from './settings.ts'

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

function progressOf({ slices }: State): TestsProgress {
  return slices?.tests ?? NOTHING
}

/** Whether the present iteration writes the tests, so that the work begins later. */
export function isWritingTests(settings: WholeSettings, state: State): boolean {
  const { accepted, isWaived } = progressOf(state)
  return state.current.number > 0 && settingsNow(settings, state).testFirst && !accepted && !isWaived
}

/** Whether the present iteration is for whoever writes tests: before the work, or because a person asked for a test. */
export function isForTestWriter(settings: WholeSettings, state: State): boolean {
  return isWritingTests(settings, state) || progressOf(state).isAskedFor === true
}

/** The files of tests that were written first: nobody may change them. */
export function acceptedFiles(state: State): readonly string[] {
  return progressOf(state).accepted?.files ?? []
}

/** What has to be looked at before the checks run. */
export function sidesEffect(state: State): SidesEffect {
  const { number: iteration } = state.current
  const since = progressOf(state).since?.snapshot ?? state.base?.snapshot ?? ''
  return { kind: 'sides', key: effectKey(iteration, 'sides'), iteration, since }
}

/** What a proof has to know of tests that somebody wrote for the work; nothing if there are none. */
export function writtenTests(state: State): WrittenTests | undefined {
  const { accepted, isOwn, since = state.base } = progressOf(state)
  if (!since) return undefined
  const own = { since: since.snapshot, ...(isOwn ? { isOwn } : {}) }
  if (accepted) return { iteration: accepted.iteration, snapshot: accepted.snapshot, ...own }
  if (!isOnlyTests(state) || !state.tree) return undefined
  return { iteration: state.current.number, snapshot: state.tree.snapshot, ...own }
}

/** Whether tests were written in this iteration, and nothing else was. */
function isOnlyTests(state: State): boolean {
  const { seen } = progressOf(state)
  return seen?.iteration === state.current.number && seen.filesCount > 0 && seen.othersCount === 0
}

/** Why tests are not good enough to begin with. */
export type TestsTrouble = 'none' | 'others' | 'syntax' | 'green'

/** What is wrong with the tests of the last iteration that ended; nothing if the work can begin. */
export function testsTrouble(state: State): TestsTrouble | undefined {
  const { seen } = progressOf(state)
  if (!seen || seen.filesCount === 0) return 'none'
  if (seen.othersCount > 0) return 'others'
  const failing = newFailures(state)
  if (failing.some(isSyntaxError)) return 'syntax'
  return failing.length === 0 ? 'green' : undefined
}

/** What fails since the last iteration and did not before the tests were written. What a linter says of a test is no failing test. */
export function newFailures({ recent, baseline }: State): readonly Failure[] {
  const before = new Set(baseline?.failures.map(({ id }) => id))
  const failures = recent.at(-1)?.failures ?? []
  return failures.filter(({ id, kind }) => !before.has(id) && kind !== 'lint' && kind !== 'environment')
}

/** A test that cannot be read tells nothing, whatever is done. One that needs what isn't there yet does. */
export function isSyntaxError({ message, kind }: Failure): boolean {
  if (MISSING.test(message)) return false
  return SYNTAX.test(message) || (kind === 'compile' && COMPILER_SYNTAX.test(message))
}

const MISSING =
  /does not provide an export|no (?:matching )?export|cannot find (?:module|package|name|symbol|function|value|type|struct|macro|trait|crate|method)|module ?not ?found|no module named|cannot import name|unresolved (?:import|name|reference)|is not (?:defined|a function|exported|a constructor)|has no (?:exported member|attribute|member)|undefined(?: reference|: | method| variable| name)|could not (?:resolve|find)|failed to resolve|E04(?:25|32|33)|TS2(?:304|305|307|339|551|552|614|724)/i

const SYNTAX =
  /\b(?:Syntax|Indentation|Tab|Parse)Error\b|\bSyntax error\b|\bunexpected (?:token|identifier|end of|eof|indent|character)|\bunterminated\b|\binvalid syntax\b|\btransform failed\b|\bparse error\b/i

const COMPILER_SYNTAX =
  /\bexpected\b.*\b(?:expected|found|before|near)\b|^(?:';'|'\)'|'\}'|Declaration|Expression|Identifier) expected|TS1\d{3}\b/i

/** What follows from an iteration in which tests were written: those that are good enough count from now on. */
export function testsSettled(settings: WholeSettings, state: State): readonly Fact[] {
  const { current, tree } = state
  const { accepted, isAskedFor } = progressOf(state)
  if (!current.ended || current.problem || !tree || accepted?.iteration === current.number) return []
  const isGood = isWritingTests(settings, state) ? testsTrouble(state) === undefined : isAskedFor && isOnlyTests(state)
  if (!isGood) return []
  const failing = [...new Set(newFailures(state).map(({ id }) => id))]
  const names = { failing: failing.slice(0, PROOF_NAMES_MAX), failingCount: failing.length }
  return [concluded(state, LOOP, 'tests.accepted', { iteration: current.number, ...tree, ...names })]
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
