import {
  ANY_MAP,
  eitherOf,
  FLAG,
  listOf,
  listUpTo,
  mapWith,
  nameUpTo,
  needed,
  NUMBER,
  oneOf,
  optional,
  settingsSchema,
  TEXTS,
  textUpTo,
  WORDS,
} from '../../schema/kinds.ts'
import { BLOCKED, claimIn, promisesOf } from '../../loops/shared/promises.ts'
import {
  blockedLine,
  blockedReason,
  blockedWords,
  feedbackLines,
  validateWork,
  type Validation,
  type ValidationRequest,
} from './validate-work.ts'
import {
  type Call,
  configOf,
  ITERATION_CONFIG,
  ITERATION_ID,
  OPEN_QUESTION,
  PROOF,
  proofAnswer,
  type ResultOf,
  tool,
} from './tool.ts'
import { type ToolSession, withToolSession } from './tool-session.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import { feedbackFrom } from '../../loops/shared/feedback.ts'
import { shortened } from '../../core/wording.ts'
import { briefNow, continueRun, isHeld, requireGoingOn, settlePending } from './continue-run.ts'
import { questionAnswer } from '../../present/question.ts'
import { effectKey } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import { checkpointFact } from './checkpoints.ts'
import { textRef } from '../../journal/text-refs.ts'
import { requireDocument } from '../../loops/task/iteration-check/check-document.ts'
import { passingAttempts } from '../../loops/task/iteration-check/judge-attempt.ts'
import { readTestOutput } from '../../registry/test-output.ts'

/** What the rules said of one iteration. */
export const VALIDATION = settingsSchema({
  iterationId: WORDS,
  iterationNumber: NUMBER,
  validationPassed: FLAG,
  completionSignal: oneOf(['CONTINUE', 'COMPLETE', 'BLOCKED', 'ESCALATE']),
  detectedPromise: optional(WORDS),
  feedback: TEXTS,
  results: listOf('a list of results', settingsSchema({ ruleName: WORDS, passed: FLAG, message: WORDS })),
})

/** Runs the validation rules on the agent's work. */
export const iterationValidate = tool({
  name: 'iteration_validate',
  title: 'Check the work of this iteration',
  description:
    'Runs every validation rule on the files as they are and says what follows: CONTINUE (call iteration_next), COMPLETE (done), BLOCKED or ESCALATE (a person has to answer, feedback says why: run_question). Changed work that is validated again without iteration_next counts as the next iteration.',
  input: settingsSchema({
    iterationId: ITERATION_ID,
    agentOutput: optional(
      textUpTo(1_000_000),
      'What you said last, with your promise alone on the last line when you are done, or <promise>BLOCKED: why</promise>.',
    ),
  }),
  output: VALIDATION,
  call: async (args, { project, signal, by, onProgress }) =>
    withToolSession(project, { run: args.iterationId, signal }, async (session) => {
      const words = args.agentOutput === undefined ? {} : { agentOutput: args.agentOutput }
      return validationView(session.run, await validateWork(session, { by, onProgress, ...words }))
    }),
})

/** The answer of `iteration_validate`. */
export function validationView(run: string, done: Validation): ResultOf<typeof VALIDATION> {
  const { iterationNumber, passed, signal, claim, results, checked, blocked } = done
  const isRefuted = claim !== undefined && claim.promise !== BLOCKED && signal !== 'COMPLETE'
  const refuted = isRefuted && results.length > 0 ? [refutedLine(claim.promise, passed)] : []
  const lines = feedbackLines(checked)
  // A problem is the first line of the feedback already.
  const asked = blocked && !checked.current.problem ? [blockedLine(blocked)] : []
  const unclaimed = passed && !claim && signal === 'CONTINUE' ? [unclaimedLine(promisesOf(checked) ?? [])] : []
  return {
    iterationId: run,
    iterationNumber,
    validationPassed: passed,
    completionSignal: signal,
    detectedPromise: claim && `<promise>${claim.promise}</promise>`,
    feedback: [...refuted, ...asked, ...unclaimed, ...lines, ...(checked.current.problem ? [CORRECTING] : [])],
    results,
  }
}

function refutedLine(promise: string, passed: boolean): string {
  return `You said ${promise}, but it does not hold: ${passed ? 'it is not accepted yet' : 'the rules do not pass'}.`
}

/** A rule that has never run may simply be written wrong. */
const CORRECTING = 'If the rule itself is wrong, call iteration_start again with the same taskId and that rule corrected.'

function unclaimedLine(promises: readonly string[]): string {
  const words = promises.map((promise) => `<promise>${promise}</promise>`).join(' or ')
  return `Every rule passes, and there is no promise yet: it counts only alone on the last line of what you said last. When the task is done, call iteration_complete with ${words}; more is checked then.`
}

const NEXT_INPUT = settingsSchema({
  iterationId: ITERATION_ID,
  validationResult: optional(ANY_MAP, 'What iteration_validate said; not believed, since the server knows it.'),
  agentContext: optional(
    eitherOf('a map, or a text of at most 100000 characters', textUpTo(100_000), ANY_MAP),
    'What you did and want to remember.',
  ),
})

const NEXT_OUTPUT = settingsSchema({
  iterationId: WORDS,
  iterationNumber: NUMBER,
  remainingIterations: NUMBER,
  config: ITERATION_CONFIG,
  /** What the agent is asked to do, with what failed last time. */
  instructions: optional(WORDS),
  feedback: optional(TEXTS),
  /** Why there is no next iteration, and what a person can do about it. */
  error: optional(WORDS),
  blockedBy: optional(WORDS),
  blockedReason: optional(WORDS),
  checkpointId: optional(WORDS),
  question: optional(OPEN_QUESTION),
})

/** Asks the guards and begins the next iteration. */
export const iterationNext = tool({
  name: 'iteration_next',
  title: 'Begin the next iteration',
  description:
    'Ends this iteration, asks the safety guards and begins the next one. When a guard forbids it, the result has error and blockedBy, and a person has to answer (run_question). Work that was not validated is validated first.',
  input: NEXT_INPUT,
  output: NEXT_OUTPUT,
  call: async (args, { project, signal, by, onProgress }) =>
    withToolSession(project, { run: args.iterationId, signal }, async (session) => {
      const summary = wordsOf(args.agentContext)
      const moved = await nextIteration(session, { by, onProgress, ...(summary === undefined ? {} : { summary }) })
      const { state } = moved
      if (moved.kind === 'completed')
        throw new PawlError('mcp.completed', `Run ${state.run} is complete: ${state.message} There is nothing left to do.`)
      if (moved.kind === 'blocked')
        return {
          ...place(state),
          error: moved.error,
          blockedBy: moved.blockedBy,
          blockedReason: blockedReason(moved),
          checkpointId: state.checkpoints.at(-1)?.checkpoint,
          question: state.question && questionAnswer(state.run, state.question),
        }
      const { items } = feedbackFrom(state)
      return { ...place(state), instructions: briefNow(session, state) ?? '', feedback: items }
    }),
})

function place(state: State) {
  const config = configOf(state)
  const { number } = state.current
  const remainingIterations = Math.max(0, config.maxIterations - number)
  return { iterationId: state.run, iterationNumber: number, remainingIterations, config }
}

function wordsOf(context: string | Record<string, unknown> | undefined): string | undefined {
  if (context === undefined) return undefined
  return shortened(typeof context === 'string' ? context : JSON.stringify(context), 300)
}

/** What asking for the next iteration came to. */
export type NextIteration =
  | { readonly kind: 'next'; readonly state: State }
  | { readonly kind: 'completed'; readonly state: State }
  | { readonly kind: 'blocked'; readonly blockedBy: string; readonly error: string; readonly state: State }

/**
 * Ends the agent's iteration, asks the guards and begins the next one, or stops with what is in the way. Work that was not
 * validated is validated first. A run that is blocked already says so again.
 */
async function nextIteration(session: ToolSession, wish: ValidationRequest): Promise<NextIteration> {
  const hasBegun = (await settlePending(session)) || (await handedOut(session))
  if (!hasBegun && session.state().question === undefined && session.state().status !== 'completed') {
    requireGoingOn(session.state())
    if (!isHeld(session, session.state())) await validateWork(session, wish)
    if (session.state().status === 'running') await continueRun(session)
  }
  const state = session.state()
  if (state.status === 'completed') return { kind: 'completed', state }
  if (!state.question) {
    requireGoingOn(state)
    return { kind: 'next', state }
  }
  const { blockedBy, error } = blockedWords(state)
  if (!state.checkpoints.some(({ seq }) => seq > (state.question?.seq ?? 0)))
    await session.take([finalCheckpoint(session, state, blockedBy, error)])
  return { kind: 'blocked', blockedBy, error, state: session.state() }
}

/** An iteration that someone else began, a hook for one, and whose work was not given out here: that is the next one. */
async function handedOut(session: ToolSession): Promise<boolean> {
  const { status, current } = session.state()
  const key = effectKey(current.number, 'coder')
  if (status !== 'running' || current.effects.some((effect) => effect.key === key)) return false
  await continueRun(session)
  return true
}

function finalCheckpoint({ parts }: ToolSession, state: State, blockedBy: string, error: string): Fact<'checkpoint.created'> {
  const context = { safetyGuardTriggered: blockedBy, message: error, blockedReason: blockedReason({ blockedBy, error }) }
  const kept = state.tree ?? { tree: '', snapshot: '' }
  return checkpointFact(state, parts.clock.now(), { ...kept, trigger: 'error', context: JSON.stringify(context) })
}

const COMPLETE_INPUT = settingsSchema({
  iterationId: ITERATION_ID,
  completionPromise: needed(nameUpTo(1000), 'One of the promises declared at the start.'),
  workProductId: optional(nameUpTo(500), 'What you made, by a name of your own.'),
})

const COMPLETE_OUTPUT = settingsSchema({
  iterationId: WORDS,
  completed: FLAG,
  message: WORDS,
  completionPromise: WORDS,
  workProductId: optional(WORDS),
  /** Why the work is believed to be done, or what speaks against it. */
  proof: optional(PROOF),
  /** What a person has to answer before it can be complete. */
  question: optional(OPEN_QUESTION),
  /** What the rules said, where it was not complete already. */
  validation: optional(VALIDATION),
})

/** Says that the work is done; believed only when every rule passes on the files as they are. */
export const iterationComplete = tool({
  name: 'iteration_complete',
  title: 'Say that the task is done',
  description:
    'Claims a completion promise. It is accepted only when every validation rule passes on the files as they are now; otherwise completed is false and the loop continues. If the rules pass and that proves nothing, completed is false with the question that a person has to answer.',
  input: COMPLETE_INPUT,
  output: COMPLETE_OUTPUT,
  call: async (args, call) =>
    withToolSession(call.project, { run: args.iterationId, signal: call.signal }, async (session) => {
      await settlePending(session)
      const { completionPromise, workProductId } = args
      const said = { iterationId: session.run, completionPromise, workProductId }
      if (session.state().status === 'completed')
        return { ...said, completed: true, message: session.state().message, proof: proofAnswer(session.state()) }
      const validation = await claimed(session, completionPromise, call)
      const state = session.state()
      const completed = state.status === 'completed'
      if (completed && workProductId !== undefined) await keepProduct(session, workProductId)
      return {
        ...said,
        completed,
        message: completed ? state.message : refusal(validation),
        proof: proofAnswer(state),
        question: state.question && questionAnswer(state.run, state.question),
        validation,
      }
    }),
})

type ValidationView = ResultOf<typeof VALIDATION>

async function claimed(session: ToolSession, promise: string, { by, onProgress }: Call): Promise<ValidationView> {
  const declared = promisesOf(session.state()) ?? []
  const claim = claimIn(promise, declared) ?? claimIn(`<promise>${promise}</promise>`, declared)
  if (!claim) {
    const known = declared.map((word) => `<promise>${word}</promise>`).join(', ')
    throw new PawlError('mcp.promise', `"${promise}" was not declared at the start; there is ${known}.`, { value: promise })
  }
  return validationView(session.run, await validateWork(session, { by, onProgress, claim }))
}

function refusal({ completionSignal, feedback, detectedPromise }: ValidationView): string {
  if (detectedPromise === `<promise>${BLOCKED}</promise>`) return 'Blocked: a person has to answer; call run_question.'
  const [, first = ''] = feedback
  const way =
    completionSignal === 'ESCALATE'
      ? 'A person has to answer: call run_question.'
      : 'Mend it, then call iteration_complete again.'
  const why = first === '' || /[.!?…]$/.test(first) ? first : `${first}.`
  return ['Not accepted', `(${completionSignal}).`, why, way].filter((part) => part !== '').join(' ')
}

async function keepProduct(session: ToolSession, workProductId: string): Promise<void> {
  const state = session.state()
  const kept = state.tree ?? { tree: '', snapshot: '' }
  const context = JSON.stringify({ workProductId })
  await session.take([checkpointFact(state, session.parts.clock.now(), { ...kept, trigger: 'auto', context })])
}

const CHECK_INPUT = settingsSchema({
  iteration_check: needed(
    ANY_MAP,
    '{task_id, current_iteration, max_iterations?, test_result {status pass|fail|error, output?}, review_result? {status approve|reject|pending, feedback?}, diff?}',
  ),
  iteration_control: optional(
    ANY_MAP,
    '{max_iterations?, auto_retry_on_test_fail?, auto_retry_on_review_reject?, escalation_includes_diff?, feedback_max_length?}',
  ),
  earlier: optional(
    listUpTo(
      100,
      'a list of at most 100 attempts',
      mapWith('an attempt', { iteration_check: ANY_MAP, iteration_control: optional(ANY_MAP) }),
    ),
    'The attempts before this one, in order, so that an escalation can tell of them.',
  ),
})

/** Says what follows from an iteration that the caller ran and tested itself. Nothing is kept. */
export const iterationCheck = tool({
  name: 'iteration_check',
  title: 'Decide on one iteration',
  description:
    'For loops of your own: takes what the tests and the review of one iteration said and decides proceed, retry (with feedback), escalate (with a question) or wait. Keeps nothing.',
  isReadOnly: true,
  input: CHECK_INPUT,
  output: settingsSchema({ decision: ANY_MAP }),
  call: async ({ earlier = [], ...document }) => {
    const decide = passingAttempts(readTestOutput, textRef)
    const decisions = [...earlier, document].map((each: unknown, index) => {
      requireDocument(each, index)
      return decide(each, Date.now()).decision
    })
    return { decision: decisions.at(-1) ?? {} }
  },
})
