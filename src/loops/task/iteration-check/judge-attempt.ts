import { advance, type Advance } from '../../../core/advance.ts'
import { memoizedDefinition } from '../../../core/definition.ts'
import { effectKey } from '../../../core/effect.ts'
import type { Event, Fact } from '../../../core/event.ts'
import { guardFrom } from '../../../core/guards/index.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import { taskLoop, type TaskSettings } from '../index.ts'
import { attemptConfig, CHECK_PROGRAM } from './attempt-config.ts'
import { type Attempt, attemptFacts, observation, type OutputReader } from './attempt-facts.ts'
import { decisionDocument, type DecisionDocument } from './decision-document.ts'

export interface JudgedAttempt {
  /** The facts of the attempt and everything concluded from them, for whoever keeps a journal. */
  readonly append: readonly Event[]
  readonly state: State
  readonly decision: DecisionDocument
}

/**
 * Judges an iteration that a caller tells about, by the same loop as every run: the document answers the effects that the loop asks
 * for. `state` is what the task's attempts before it came to; `undefined` for the first. Throws `usage.*` for an attempt that cannot
 * follow on those.
 */
export function judgeAttempt(run: string, state: State | undefined, attempt: Attempt, read: OutputReader): JudgedAttempt {
  const { iteration_check: check } = attempt.document
  if (state) requireNext(state, attempt)
  const append: Event[] = []
  let now = state
  const take = (facts: readonly Fact[]): Advance => {
    const result = advance(definition, run, now, facts)
    append.push(...result.append)
    now = result.state
    return result
  }
  let result = take(openingFacts(state, attempt))
  for (let rounds = 0; rounds < ROUNDS_MAX; rounds++) {
    const { step } = result
    const wanted = step.kind === 'perform' ? step.effects : []
    const isWork = wanted.some((effect) => effect.kind === 'work')
    const { number } = result.state.current
    if (wanted.length === 0 || number > check.current_iteration) break
    if (isWork && number < check.current_iteration) result = take([start(attempt)])
    else result = take(wanted.flatMap((effect) => attemptFacts(effect, attempt, result.state, read)))
  }
  if (append.every((event) => event.type !== 'decision.made')) throw over(result.state, check.task_id)
  return { append, state: result.state, decision: decisionDocument(check, append, result.state) }
}

/** Far more rounds than one iteration has effects. */
const ROUNDS_MAX = 20

const definition = memoizedDefinition({
  loop: (spec) => taskLoop(spec.settings as unknown as TaskSettings),
  guard: (spec) => guardFrom(spec),
})

/** Whoever hands in another attempt while a question is open went on: the question is closed by it, with what holds now. */
function openingFacts(state: State | undefined, attempt: Attempt): readonly Fact[] {
  const { at, document } = attempt
  const by = { role: 'runner' } as const
  const config = attemptConfig(document, state?.given)
  if (!state) return [{ type: 'run.started', at, by, data: { config } }, observation(effectKey(0, 'observe'), 0, UNKNOWN(at, document)), start(attempt)]
  const isAsking = state.question !== undefined && state.answer === undefined
  const isChanged = JSON.stringify(config) !== JSON.stringify(state.given)
  const message = isAsking ? 'Another attempt was handed in.' : 'The document has other settings.'
  const changed: Fact = { type: 'run.reconfigured', at, by, data: { config, message } }
  if (isAsking) return [changed, start(attempt)]
  return isChanged ? [changed] : []
}
