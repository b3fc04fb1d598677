import type { Fact } from '../core/event.ts'
import { optionChosen } from '../core/evolve-answer.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { OpenQuestion, State } from '../core/state.ts'
import type { Clock } from '../ports/clock.ts'
import type { Answer } from '../ports/person.ts'
import type { Store } from '../ports/store.ts'
import { loadState } from './load-state.ts'

/** Answers a run's open question. Anyone may, at any time, also while another process drives. */
export async function answerRun(store: Store, clock: Clock, run: string, answer: Answer): Promise<void> {
  const state = await knownState(store, run)
  const { question } = state
  if (!question) throw new PawlError('question.none', `Run ${run} asks nothing; it is ${state.status}.`)
  await say(store, run, answerFact(run, question, answer, clock.now()))
}

/** An answer as a fact; throws `question.no-such-option` for one that the question does not have. */
export function answerFact(run: string, { seq, question }: OpenQuestion, answer: Answer, at: number): Fact {
  const option = optionChosen(question, answer.choice)
  if (!option) {
    const options = question.options.map((each, index) => `${index + 1} (${each.choice})`).join(', ')
    const sentence = `"${answer.choice}" is not an answer to run ${run}; it takes ${options}.`
    throw new PawlError('question.no-such-option', sentence, { value: answer.choice })
  }
  const data = { choice: option.choice, ...(answer.note === undefined ? {} : { note: answer.note }) }
  return { type: 'escalation.answered', at, by: { role: 'person' }, because: seq, data }
}

/** Lets a guard be passed once, now or at its next trip. */
export async function waiveGuard(store: Store, clock: Clock, run: string, guard: string, note?: string): Promise<void> {
  await knownState(store, run)
  const data = { guard, ...(note === undefined ? {} : { note }) }
  await say(store, run, { type: 'guard.waived', at: clock.now(), by: { role: 'person' }, data })
}

/** Ends a run for good. A process that drives it notices within moments and stops its agent. */
export async function abortRun(store: Store, clock: Clock, run: string, reason = 'Aborted by a person.'): Promise<void> {
  const state = await knownState(store, run)
  if (state.status === 'completed' || state.status === 'aborted')
    throw new PawlError('run.over', `Run ${run} is ${state.status} already.`)
  await say(store, run, { type: 'run.aborted', at: clock.now(), by: { role: 'person' }, data: { reason } })
}

/** The state of a run that must exist. */
export async function knownState(store: Store, run: string): Promise<State> {
  const state = await loadState(store, run)
  if (state) return state
  const names = (await store.runs()).map((entry) => entry.run)
  const hint =
    names.length === 0
      ? 'there are no runs yet'
      : `there is ${names.slice(-5).join(', ')}${names.length > 5 ? ' and more (pawl ls)' : ''}`
  throw new PawlError('run.unknown', `There is no run "${run}": ${hint}.`, { value: run })
}

async function say(store: Store, run: string, fact: Fact): Promise<void> {
  const result = await store.append(run, [fact])
  if (result.status !== 'appended') throw new PawlError('store.refused', `Run ${run} did not take ${fact.type}; try again.`)
}
