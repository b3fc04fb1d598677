import { advance } from '../../core/advance.ts'
import { BLOCKED, type Claim, claimIn, claimOf, promisesOf } from '../../loops/shared/promises.ts'
import { dueChecks, isReview } from '../../loops/shared/checks.ts'
import { problemMessage } from '../../loops/shared/questions.ts'
import { effectKey } from '../../core/effect.ts'
import type { Author, Fact } from '../../core/event.ts'
import { isBeforeSuccess } from '../../core/run-config.ts'
import { type CheckRecord, isDone, type State } from '../../core/state.ts'
import { counted, shortened } from '../../core/wording.ts'
import { continueRun, isHeld, requireGoingOn, settlePending } from './continue-run.ts'
import type { ToolSession } from './tool-session.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { failureItem } from '../../core/failure-item.ts'
import type { Trip } from '../../core/trip.ts'

export interface ValidationRequest {
  readonly by: Author
  /** What the agent said. */
  readonly agentOutput?: string
  /** What it says of its work in short. */
  readonly summary?: string
  /** A promise it makes, besides those in what it said. */
  readonly claim?: Claim
  readonly onProgress?: (line: string) => void
}

export type CompletionSignal = 'CONTINUE' | 'COMPLETE' | 'BLOCKED' | 'ESCALATE'

export interface Validation {
  readonly iterationNumber: number
  readonly results: readonly RuleResult[]
  readonly passed: boolean
  readonly signal: CompletionSignal
  readonly claim?: Claim
  /** The state as it was checked, before any decision. */
  readonly checked: State
  /** What a person is asked about, where the iteration ended with that. */
  readonly blocked?: BlockedWords
}

/**
 * Checks the agent's work in its present iteration: what it said is recorded, the workspace looked at, every rule run. The iteration
 * stays open until `iteration_next`, unless the agent is done or a person has to be asked. The same work validated again gives the same answer; other
 * work counts as the next iteration, and the guards are asked first.
 */
export async function validateWork(session: ToolSession, request: ValidationRequest): Promise<Validation> {
  await settlePending(session)
  requireGoingOn(session.state())
  const isKnown = isHeld(session, session.state()) && (await isSameWork(session, request.agentOutput))
  if (!isKnown && isHeld(session, session.state())) {
    await continueRun(session)
    requireGoingOn(session.state())
  }
  await continueRun(session, { hold: true, facts: factsOf(session, await withOutput(session, request)), ...progressOf(request) })
  if (!isKnown) await keepChecked(session)
  return settled(session)
}

type OutputRequest = ValidationRequest & { readonly output?: Fact<'work.finished'>['data']['output'] }

async function withOutput({ parts }: ToolSession, request: ValidationRequest): Promise<OutputRequest> {
  const { agentOutput } = request
  if (agentOutput === undefined || agentOutput.trim() === '') return request
  const text = agentOutput.slice(-OUTPUT_LENGTH_MAX)
  const bytesCut = Buffer.byteLength(agentOutput) - Buffer.byteLength(text)
  return { ...request, output: await parts.store.putText({ text, bytesCut }) }
}

function progressOf({ onProgress }: ValidationRequest): { onProgress?: (line: string) => void } {
  return onProgress ? { onProgress } : {}
}

/** What happened since the last call, as far as it is not on record. */
function factsOf({ parts, state: present }: ToolSession, request: OutputRequest): readonly Fact[] {
  const state = present()
  const { current } = state
  const { by, agentOutput = '', output } = request
  const key = effectKey(current.number, 'coder')
  const at = parts.clock.now()
  const claim = request.claim ?? claimIn(agentOutput, promisesOf(state) ?? [])
  const isClaimed = claim === undefined || claimOf(state)?.promise === claim.promise
  const claimed: readonly Fact[] = isClaimed ? [] : [{ type: 'promise.claimed', at, by, data: { key, ...claim } }]
  if (isDone(state, key)) return [...resumedFacts(state, parts.processes.self(), at), ...claimed]
  const summary = request.summary ?? shortened(agentOutput.slice(-SUMMARY_LENGTH_MAX), SUMMARY_LENGTH_MAX)
  const data = {
    key,
    durationMs: Math.max(0, at - state.at),
    ...(summary === '' ? {} : { summary }),
    ...(output === undefined ? {} : { output }),
  }
  return [{ type: 'work.finished', at, by, data }, ...claimed]
}

const SUMMARY_LENGTH_MAX = 300

/** Checks that were cut short: files may have been changed since the look, so it is looked at again first. */
function resumedFacts(state: State, holder: ReturnType<ToolSession['parts']['processes']['self']>, at: number): readonly Fact[] {
  const { run, current } = state
  const isWhole = dueChecks(state).every(({ key }) => isDone(state, key)) || current.problem !== undefined
  if (isWhole || !current.observed) return []
  return [{ type: 'run.resumed', at, by: { role: 'runner' }, data: { holder, reason: `Run ${run} goes on.` } }]
}

/** Does what a person's answer leads to. Work that a check which they added proves is complete by that. */
export async function settleAnswer(session: ToolSession): Promise<void> {
  await settlePending(session)
  if (isHeld(session, session.state())) await settled(session)
}

/** What the checks add up to. What ends the loop or needs a person is settled at once; another round waits for `iteration_next`. */
async function settled(session: ToolSession): Promise<Validation> {
  const checked = session.state()
  const results = ruleResults(checked)
  const claim = claimOf(checked)
  const signal = signalOf(session, checked)
  if (signal !== 'CONTINUE') await session.take([])
  return {
    iterationNumber: checked.current.number,
    results,
    passed: results.length > 0 && results.every((result) => result.passed),
    signal,
    ...(claim ? { claim } : {}),
    checked,
    ...(session.state().question ? { blocked: blockedWords(session.state()) } : {}),
  }
}

/** By the same engine that decides in the end: `BLOCKED`, then a promise that holds, then guards, then continue. */
function signalOf({ parts, run }: ToolSession, state: State): CompletionSignal {
  const { number } = state.current
  const claim = claimOf(state)
  if (claim?.promise === BLOCKED) return 'BLOCKED'
  const { status } = advance(parts.definition, run, state, []).state
  if (status === 'completed') return 'COMPLETE'
  if (status === 'running') return 'CONTINUE'
  // Also in the last iteration the promise may come after the validation, with `iteration_complete`.
  const [promise] = promisesOf(state) ?? []
  if (claim || promise === undefined) return 'ESCALATE'
  const data = { key: effectKey(number, 'coder'), promise }
  const promised: Fact = { type: 'promise.claimed', at: state.at, by: { role: 'runner' }, data }
  const after = advance(parts.definition, run, state, [promised])
  // A promise is proven, and reviewed, before it counts.
  return after.state.status === 'completed' || after.step.kind === 'perform' ? 'CONTINUE' : 'ESCALATE'
}

/** How much of what an agent said is kept, counted from its end. */
const OUTPUT_LENGTH_MAX = 200_000

/** The files are as the checks found or left them, and no rule looks at words that were not known then. */
async function isSameWork(session: ToolSession, agentOutput: string | undefined): Promise<boolean> {
  const { parts, state: present } = session
  const { current, config } = present()
  if (!(await isSameTree(session))) return false
  const isLookedAt = config.checks.some(({ settings }) => settings['target'] === 'agent_output')
  if (!isLookedAt || agentOutput === undefined) return true
  const { sha256 } = await parts.store.putText({ text: agentOutput.slice(-OUTPUT_LENGTH_MAX), bytesCut: 0 })
  return current.work.at(-1)?.output?.sha256 === sha256
}

/** Remembers the files as the checks left them: what a check wrote, a log or a cache, is no work of the agent. */
async function keepChecked({ parts, run, state }: ToolSession): Promise<void> {
  if (state().tree) await parts.workspace.observe(run, checkedLabel(state()), state().tree?.snapshot)
}

async function isSameTree({ parts, run, state }: ToolSession): Promise<boolean> {
  const { tree } = state()
  await parts.workspace.open(run, tree?.snapshot)
  const seen = await parts.workspace.observe(run, LOOK_LABEL, tree?.snapshot)
  if (seen.tree === tree?.tree) return true
  const checked = `${seen.snapshot.slice(0, -LOOK_LABEL.length)}${checkedLabel(state())}`
  try {
    return (await parts.workspace.diff(checked, seen.snapshot)).text === ''
  } catch (error) {
    // The server ended between the checks and the look after them: then nobody knows who wrote what, and it is checked again.
    if (error instanceof PawlError && error.code === 'workspace.snapshot-missing') return false
    throw error
  }
}

const LOOK_LABEL = 'look'

/** Checks that were run again, on files that changed, left other files behind. */
function checkedLabel({ current: { number, checkRound = 0 } }: State): string {
  return `${number}-checked-${checkRound}`
}

/** What one validation rule said. */
export interface RuleResult {
  readonly ruleName: string
  readonly passed: boolean
  readonly message: string
}

/**
 * What the rules said in the present iteration; one that could not run, or was not reached, did not pass. A review comes only after a
 * promise, so one that has not begun is no rule that fails. A check that the agent can't see is there only if it fails.
 */
function ruleResults({ config, current: { checks, problem } }: State): readonly RuleResult[] {
  const names = new Set(config.checks.map(({ settings }) => settings['name']))
  const unseen = checks.filter(({ name, passed }) => !passed && !names.has(name))
  const rules = config.checks.flatMap((spec): readonly RuleResult[] => {
    const ruleName = String(spec.settings['name'])
    const record = checks.find(({ name }) => name === ruleName)
    if (record) return [resultOf(record)]
    const isProblem = problem?.check === ruleName
    const fix = problem?.fix === undefined ? '' : ` ${problem.fix}`
    if (isReview(spec) && !isProblem) return []
    const notRun = isBeforeSuccess(spec) ? 'Was not run: it runs once the others pass.' : 'Was not run.'
    return [{ ruleName, passed: false, message: isProblem ? `Could not run: ${problem.message}${fix}` : notRun }]
  })
  return [...rules, ...unseen.map(resultOf)]
}

function resultOf({ name, passed, failures }: CheckRecord): RuleResult {
  const message = passed ? 'Passed.' : failedWords(failures.map((failure) => failureItem(failure)))
  return { ruleName: name, passed, message }
}

/** What is in the way, one line each, the most important first. */
export function feedbackLines({ current }: State): readonly string[] {
  const { checks, problem } = current
  const lines = checks.flatMap((check) => check.failures.map((failure) => failureItem(failure)))
  const first = problem ? [`${problemMessage(problem).message}${problem.fix ? ` ${problem.fix}` : ''}`] : []
  const left = lines.length - LINES_MAX
  return [...first, ...lines.slice(0, LINES_MAX), ...(left > 0 ? [`and ${left} more`] : [])]
}

const LINES_MAX = 20

function failedWords(items: readonly string[]): string {
  const [first = 'Failed.'] = items
  return items.length > 1 ? `${counted(items.length, 'failure')}: ${shortened(first, 200)}` : first
}

/** Why a run asks a person. */
export interface BlockedWords {
  /** `circuit_breaker`, `blocked`, or `question` where no guard is in the way. */
  readonly blockedBy: string
  readonly error: string
}

/** What blocks a run that asks a person: the agent says so itself, else the first of the guards in their order, else a problem. */
export function blockedWords(state: State): BlockedWords {
  const { question, message } = state
  if (claimOf(state)?.promise === BLOCKED) return { blockedBy: 'blocked', error: message }
  const trips = question?.trips ?? []
  const first = Object.keys(BLOCKED_BY).flatMap((name) => trips.find((trip) => trip.guard === name) ?? [])[0] ?? trips[0]
  return first ? { blockedBy: blockedName(first), error: first.message } : { blockedBy: 'question', error: message }
}

/** `Iteration safety guard: circuit_breaker`, or the words of what else is in the way. */
export function blockedReason({ blockedBy, error }: BlockedWords): string {
  return blockedBy === 'blocked' || blockedBy === 'question' ? error : `Iteration safety guard: ${blockedBy}`
}

/** The same in one line with what the guard says, for an agent that did not ask for the next iteration. */
export function blockedLine(words: BlockedWords): string {
  const reason = blockedReason(words)
  return reason === words.error ? reason : `${reason}: ${words.error}`
}

/** The seed's names for its four, and our own in the same manner: `no_progress`. */
function blockedName({ guard }: Trip): string {
  return BLOCKED_BY[guard] ?? guard.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The names by which `iteration_next` says what blocks, in the order in which they count. */
const BLOCKED_BY: Readonly<Record<string, string>> = {
  maxIterations: 'max_iterations',
  circuitBreaker: 'circuit_breaker',
  qualityRegression: 'quality_regression',
  thrashing: 'thrashing',
}
