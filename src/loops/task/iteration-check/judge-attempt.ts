import { advance } from '../../../core/advance.ts'
import { memoizedDefinition } from '../../../core/definition.ts'
import type { Effect } from '../../../core/effect.ts'
import type { Event, Fact, Instant } from '../../../core/event.ts'
import { guardFrom, maxIterations } from '../../../guards/index.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { type PartSpec, recordedSettings, type RunConfig } from '../../../core/run-config.ts'
import type { State } from '../../../core/state.ts'
import { taskLoop, type TaskOverrides } from '../index.ts'
import { type Attempt, attemptFacts, type OutputReader, unchangedLook } from './attempt-facts.ts'
import { decisionDocument, type DecisionDocument } from './decision-document.ts'
import type { CheckDocument } from './check-document.ts'
import type { TextRef } from '../../../core/event-data.ts'

export interface JudgedAttempt {
  /** The facts of the attempt and everything concluded from them, for whoever keeps a journal. */
  readonly append: readonly Event[]
  readonly state: State
  readonly decision: DecisionDocument
}

/**
 * Judges an iteration that a caller tells about, by the same loop as every run: the document answers the effects that the loop asks
 * for. `state` is what the task's attempts before it came to; `undefined` for the first. Throws `usage.*` for an attempt that cannot
 * follow on those. In a run that is kept (`isKept`) an iteration ends once; otherwise the same iteration may be handed in again after an
 * escalation.
 */
export function judgeAttempt(
  run: string,
  state: State | undefined,
  attempt: Attempt,
  read: OutputReader,
  { isKept = false }: { readonly isKept?: boolean } = {},
): JudgedAttempt {
  const { iteration_check: check } = attempt.document
  if (state) requireNext(state, attempt)
  const append: Event[] = []
  let now = state
  /** Takes facts in, then answers what the loop asks for, as long as `isOurs` says. */
  const play = (facts: readonly Fact[], isOurs: (effect: Effect) => boolean): State => {
    for (let rounds = 0, given = facts; rounds < ROUNDS_MAX; rounds++) {
      const { append: concluded, state: after, step } = advance(definition, run, now, given)
      append.push(...concluded)
      now = after
      const wanted = step.kind === 'perform' ? step.effects.filter(isOurs) : []
      if (wanted.length === 0) return after
      given = wanted.flatMap((effect) => attemptFacts(effect, attempt, after, read))
    }
    throw new PawlError('core.endless', `Run ${run} kept asking about one attempt; this is a defect of Pawl.`)
  }
  const settled = state && hasConsequences(state) ? play([], (effect) => effect.kind !== 'work') : state
  if (settled?.status === 'aborted') throw over(settled, check.task_id)
  // A person's answer may have decided the very iteration that is handed in, or the whole task.
  const isDecided = append.some((event) => event.type === 'decision.made' || event.type === 'run.completed')
  if (settled && isDecided && (settled.status === 'completed' || settled.current.number > check.current_iteration))
    return { append, state: settled, decision: decisionDocument(check, append, settled) }
  if (settled) requireOpenIteration(settled, attempt, isKept)
  const after = play(openingFacts(settled, attempt), (effect) => effect.iteration <= check.current_iteration)
  return { append, state: after, decision: decisionDocument(check, append, after) }
}

/** Far more rounds than one iteration has effects. */
const ROUNDS_MAX = 20

const definition = memoizedDefinition({
  loop: (spec) => taskLoop(recordedSettings(spec.settings)),
  guard: (spec) => guardFrom(spec),
})

/** Whether a person answered something that has not been taken up yet. */
function hasConsequences({ answer, raises }: State): boolean {
  return answer !== undefined || raises !== undefined
}

/** What has to be said before the document's own facts: other settings, and which iteration they are of. */
function openingFacts(state: State | undefined, attempt: Attempt): readonly Fact[] {
  const { at, document } = attempt
  const config = attemptConfig(document, state?.given)
  if (!state) return [{ type: 'run.started', at, by: RUNNER, data: { config } }, unchangedLook(at), start(attempt)]
  const { number, decision } = state.current
  const isFresh = number === document.iteration_check.current_iteration && decision === undefined
  return [...changes(state, config, at), ...(isFresh && !state.question ? [] : [start(attempt)])]
}

/**
 * Whoever hands in another attempt while a question is open has continued: this closes the question. What an answer lifted stays, unless
 * the document asks for something new; whether there is a review may differ from attempt to attempt.
 */
function changes(state: State, config: RunConfig, at: Instant): readonly Fact[] {
  const { given } = state
  const isOther = !sameData([config.loop, config.guards], [given.loop, given.guards])
  if (state.question || isOther) {
    const message = state.question ? 'Another attempt was handed in.' : 'The document has other settings.'
    return [{ type: 'run.reconfigured', at, by: RUNNER, data: { config, message } }]
  }
  if (sameData(config.checks, state.config.checks)) return []
  const message = config.checks.length > 1 ? 'The document has a review.' : 'The document has no review.'
  return [{ type: 'run.reconfigured', at, by: LOOP, data: { config: { ...state.config, checks: config.checks }, message } }]
}

const RUNNER = { role: 'runner' } as const
const LOOP = { role: 'loop' } as const

function start({ at, document }: Attempt): Fact {
  return { type: 'iteration.started', at, by: LOOP, data: { iteration: document.iteration_check.current_iteration } }
}

function requireNext(state: State, { document }: Attempt): void {
  const { task_id } = document.iteration_check
  const { goal } = state.given.loop.settings
  if (state.given.program !== CHECK_PROGRAM)
    throw new PawlError('usage.other-run', `Run ${state.run} was not made by \`${CHECK_PROGRAM}\`: choose another name for it.`)
  if (goal !== task_id) {
    const sentence = `Run ${state.run} keeps the attempts at task "${String(goal)}": give "${task_id}" a run of its own.`
    throw new PawlError('usage.other-task', sentence, { value: task_id })
  }
  if (state.status === 'completed' || state.status === 'aborted') throw over(state, task_id)
}

function requireOpenIteration({ current }: State, { document }: Attempt, isKept: boolean): void {
  const { task_id, current_iteration } = document.iteration_check
  const next = isKept && current.ended ? current.number + 1 : current.number
  if (current_iteration >= next) return
  const sentence = `"current_iteration" of task "${task_id}" must be at least ${next}, not ${current_iteration}: that iteration was judged before, and it counts the iterations completed.`
  throw new PawlError('usage.iteration', sentence, { value: current_iteration })
}

function over({ run, status }: State, task: string): PawlError {
  return new PawlError('usage.task-over', `Task "${task}" is ${status} already in run ${run}: nothing more can be handed in.`)
}

/** The program that such runs belong to: only whoever hands in documents can continue with them. */
const CHECK_PROGRAM = 'pawl check'

/** The configuration that a document asks for; `before` is what the task's document before it asked for. */
function attemptConfig({ iteration_check, iteration_control = {} }: CheckDocument, before?: RunConfig): RunConfig {
  const { task_id, max_iterations, review_result } = iteration_check
  const known = before?.guards[0]?.settings['iterationsMax']
  const max = max_iterations ?? iteration_control.max_iterations ?? (typeof known === 'number' ? known : undefined)
  return {
    loop: taskLoop({
      goal: task_id,
      baseline: false,
      ...knownSettings(before?.loop.settings as TaskOverrides | undefined),
      ...defined('autoRetryOnTestFail', iteration_control.auto_retry_on_test_fail),
      ...defined('autoRetryOnReviewReject', iteration_control.auto_retry_on_review_reject),
      ...defined('escalationIncludesDiff', iteration_control.escalation_includes_diff),
      ...defined('feedbackLengthMax', iteration_control.feedback_max_length),
    }).spec,
    guards: [maxIterations(max).spec],
    agent: part({ name: 'the caller' }),
    checks: [part({ name: 'tests' }), ...(review_result ? [part({ name: 'review', review: 'person' })] : [])],
    workspace: part({}),
    // The caller says how the checks ended, and nobody else can look.
    proof: false,
    program: CHECK_PROGRAM,
  }
}

function part(settings: PartSpec['settings']): PartSpec {
  return { name: 'document', v: 1, settings }
}

function knownSettings(settings: TaskOverrides = {}): TaskOverrides {
  const { autoRetryOnTestFail, autoRetryOnReviewReject, escalationIncludesDiff, feedbackLengthMax } = settings
  return {
    ...defined('autoRetryOnTestFail', autoRetryOnTestFail),
    ...defined('autoRetryOnReviewReject', autoRetryOnReviewReject),
    ...defined('escalationIncludesDiff', escalationIncludesDiff),
    ...defined('feedbackLengthMax', feedbackLengthMax),
  }
}

function defined<Name extends keyof TaskOverrides>(
  name: Name,
  value: TaskOverrides[Name],
): Pick<TaskOverrides, Name> | undefined {
  return value === undefined ? undefined : ({ [name]: value } as Pick<TaskOverrides, Name>)
}

/** Whether two pieces of plain data say the same, whatever the order of their fields; a field that is `undefined` counts as absent. */
function sameData(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const left = one as Readonly<Record<string, unknown>>
  const right = other as Readonly<Record<string, unknown>>
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every((key) => sameData(left[key], right[key]))
}

/**
 * Judges document after document and keeps nothing but the states: those with the same `task_id` are its attempts in order, and a
 * task that proceeded begins again. `refTo` names a text by its hash.
 */
export function passingAttempts(
  read: OutputReader,
  refTo: (text: string) => TextRef,
): (document: CheckDocument, at: Instant) => DecisionDocument {
  const tasks = new Map<string, State>()
  return (document, at) => {
    const { task_id, test_result, diff } = document.iteration_check
    const known = tasks.get(task_id)
    const before = known?.status === 'completed' ? undefined : known
    const refs = {
      ...(test_result.output ? { output: refTo(test_result.output) } : {}),
      ...(diff ? { diff: refTo(diff) } : {}),
    }
    const { state, decision } = judgeAttempt('check', before, { document, at, ...refs }, read)
    tasks.set(task_id, state)
    return decision
  }
}
