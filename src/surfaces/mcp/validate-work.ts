import { advance } from '../../core/advance.ts'
import { BLOCKED, type Claim, claimIn, claimOf, promisesOf } from '../../loops/shared/promises.ts'
import { effectKey } from '../../core/effect.ts'
import type { Author, Fact } from '../../core/event.ts'
import { isDone, type State } from '../../core/state.ts'
import { shortened } from '../../core/wording.ts'
import { blockedWords, type BlockedWords } from './blocked-words.ts'
import { continueRun, isHeld, requireGoingOn, settlePending } from './continue-run.ts'
import type { ToolSession } from './tool-session.ts'
import { type RuleResult, ruleResults } from './rule-results.ts'
import { isSameWork, keepChecked, OUTPUT_LENGTH_MAX } from './same-work.ts'

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
export async function validateWork(session: ToolSession, wish: ValidationRequest): Promise<Validation> {
  await settlePending(session)
  requireGoingOn(session.state())
  const isKnown = isHeld(session, session.state()) && (await isSameWork(session, wish.agentOutput))
  if (!isKnown && isHeld(session, session.state())) {
    await continueRun(session)
    requireGoingOn(session.state())
  }
  await continueRun(session, { hold: true, facts: factsOf(session, await withOutput(session, wish)), ...progressOf(wish) })
  if (!isKnown) await keepChecked(session)
  return settled(session)
}

type Wish = ValidationRequest & { readonly output?: Fact<'work.finished'>['data']['output'] }

async function withOutput({ parts }: ToolSession, wish: ValidationRequest): Promise<Wish> {
  const { agentOutput } = wish
  if (agentOutput === undefined || agentOutput.trim() === '') return wish
  const text = agentOutput.slice(-OUTPUT_LENGTH_MAX)
  const bytesCut = Buffer.byteLength(agentOutput) - Buffer.byteLength(text)
  return { ...wish, output: await parts.store.putText({ text, bytesCut }) }
}

function progressOf({ onProgress }: ValidationRequest): { onProgress?: (line: string) => void } {
  return onProgress ? { onProgress } : {}
}

/** What happened since the last call, as far as it is not on record. */
function factsOf({ parts, state: present }: ToolSession, wish: Wish): readonly Fact[] {
  const state = present()
  const { current } = state
  const { by, agentOutput = '', output } = wish
  const key = effectKey(current.number, 'coder')
  const at = parts.clock.now()
  const claim = wish.claim ?? claimIn(agentOutput, promisesOf(state) ?? [])
  const isClaimed = claim === undefined || claimOf(state)?.promise === claim.promise
  const claimed: readonly Fact[] = isClaimed ? [] : [{ type: 'promise.claimed', at, by, data: { key, ...claim } }]
  if (isDone(state, key)) return [...resumedFacts(state, parts.processes.self(), at), ...claimed]
  const summary = wish.summary ?? shortened(agentOutput.slice(-SUMMARY_LENGTH_MAX), SUMMARY_LENGTH_MAX)
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
function resumedFacts(
  { run, current, config }: State,
  holder: ReturnType<ToolSession['parts']['processes']['self']>,
  at: number,
): readonly Fact[] {
  const isWhole = current.checks.length === config.checks.length || current.problem !== undefined
  if (isWhole || !current.observed) return []
  return [{ type: 'run.resumed', at, by: { role: 'runner' }, data: { holder, reason: `Run ${run} goes on.` } }]
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

/** By the same engine that decides in the end: `BLOCKED`, then a promise that holds, then guards, then go on. */
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
  return advance(parts.definition, run, state, [promised]).state.status === 'completed' ? 'CONTINUE' : 'ESCALATE'
}
