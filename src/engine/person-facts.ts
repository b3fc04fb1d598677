import { isOver } from '../core/outcome.ts'
import { FALSE_ALARM, optionChosen } from '../core/question.ts'
import { withFacts } from '../core/advance.ts'
import type { Author, Fact } from '../core/event.ts'
import { isLimit } from '../core/trip.ts'
import { nearestName } from '../core/names.ts'
import { shortened } from '../core/wording.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { OpenQuestion, State } from '../core/state.ts'
import type { Clock } from '../process/clock.ts'
import type { Answer } from './parts.ts'
import type { Store } from '../stores/store.ts'
import { decideByPerson, loadState, openSession, recordByPerson } from './session.ts'
import type { BoundSession } from './bound-sessions.ts'
import type { Processes } from '../process/processes.ts'
import { endOpenEffects } from './end-orphans.ts'

/**
 * Answers a run's open question. Anyone may, at any time, also while another process drives. Of several people who answer at once one
 * is heard; the others get `question.answered` with the answer that was taken.
 */
export async function answerRun(store: Store, clock: Clock, run: string, answer: Answer): Promise<void> {
  const state = await knownState(store, run)
  await decideByPerson(store, state, async (present) => {
    const isSame = present.question !== undefined && present.question.seq === (state.question?.seq ?? present.question.seq)
    // An answer that ends the run or reviews the work stands until the run continues.
    if (isSame && !present.answer) return answersTo(present, answer, clock.now())
    throw await nothingToAnswer(store, state)
  })
}

/** Why a run takes no answer: with the one that it got last, if it got one. */
export async function nothingToAnswer(store: Store, { run, status }: State): Promise<PawlError> {
  const answers = (await store.read(run)).filter((event) => event.type === 'escalation.answered')
  const last = answers.at(-1)
  const taken = answers.find(({ because }) => because === last?.because)
  if (!taken) return questionNone(run, status)
  const { choice, note } = taken.data
  const words = note === undefined ? choice : `${choice}, "${shortened(note, 100)}"`
  if (status !== 'running' && status !== 'paused' && status !== 'escalated' && status !== 'stopped')
    return new PawlError('question.none', `Run ${run} asks nothing; it is ${status}. Its last answer was: ${words}`)
  const sentence = `Run ${run} was answered already, with: ${words}. Continue with: pawl resume ${run}`
  return new PawlError('question.answered', sentence, { value: choice })
}

/** An answer to the open question, as facts; throws `question.none` if none is open. */
export function answersTo({ run, status, question }: State, answer: Answer, at: number): readonly Fact[] {
  if (!question) throw questionNone(run, status)
  return answerFacts(run, question, answer, at)
}

/** Nothing is asked: an answer that was given already cannot be given again. */
export function questionNone(run: string, status: State['status']): PawlError {
  const isGoingOn = status === 'running' || status === 'paused'
  const how = isGoingOn ? `. It was answered before. Resume the run with: pawl resume ${run}` : `; it is ${status}.`
  return new PawlError('question.none', `Run ${run} asks nothing${how}`)
}

/** The run as it is once it is answered. */
export function answeredRun(state: State, answer: Answer, at: number): State {
  return withFacts(state, answersTo(state, answer, at))
}

/**
 * An answer as facts: what was chosen, and the guards it calls wrong. Throws `question.no-such-option` for one that the question does
 * not have.
 */
export function answerFacts(run: string, { seq, question }: OpenQuestion, answer: Answer, at: number): readonly Fact[] {
  const option = optionChosen(question, answer.choice)
  if (!option) {
    const options = question.options.map((each, index) => `${index + 1} (${each.choice})`).join(', ')
    const sentence = `"${answer.choice}" is not an answer to run ${run}; it takes ${options}.`
    throw new PawlError('question.no-such-option', sentence, { value: answer.choice })
  }
  const isWithout = option.consequence.kind === 'continue' && option.consequence.takesCommand && !answer.note?.trim()
  if (isWithout)
    throw new PawlError(
      'question.no-command',
      `Which command? Give it as the note: pawl answer ${run} ${option.choice} --note "npm run e2e" --resume`,
    )
  const data = { choice: option.choice, ...(answer.note === undefined ? {} : { note: answer.note }) }
  const by = personNamed(answer.by)
  const { consequence } = option
  const disputes = consequence.kind === 'continue' || consequence.kind === 'accept' ? (consequence.disputes ?? []) : []
  return [
    { type: 'escalation.answered', at, by, because: seq, data },
    ...disputes.map((guard): Fact => ({ type: 'guard.disputed', at, by, because: seq, data: { guard } })),
  ]
}

/** A person, by name if known. */
function personNamed(name: string | undefined): Author {
  return { role: 'person', ...(name === undefined ? {} : { name }) }
}

/** Lets a guard be passed once, now or at its next trip. */
export async function waiveGuard(
  store: Store,
  clock: Clock,
  run: string,
  guard: string,
  note?: string,
  by?: string,
): Promise<void> {
  await knownState(store, run)
  const data = { guard, ...(note === undefined ? {} : { note }) }
  await recordByPerson(store, run, [{ type: 'guard.waived', at: clock.now(), by: personNamed(by), data }])
}

/**
 * Says that a guard was wrong: this counts against the guard and lets the run pass it once, now or at its next trip; if it alone does not
 * believe a pass, the work is accepted. Throws `usage.guard-limit` for a limit, which a person set and can raise.
 */
export async function disputeGuard(store: Store, clock: Clock, run: string, guard: string, note?: string): Promise<void> {
  if (isLimit(guard))
    throw new PawlError(
      'usage.guard-limit',
      `${guard} is a limit and no alarm: raise it (pawl answer ${run}), or let it be passed once (pawl resume ${run} --waive ${guard}).`,
      { value: guard },
    )
  const { question } = await knownState(store, run)
  // Where it alone keeps a pass from being believed, the question has an answer for that: to call it wrong is to accept the work.
  const alarm = question?.question.options.find(({ choice }) => choice === FALSE_ALARM)?.consequence
  if (alarm?.kind === 'accept' && (alarm.disputes ?? []).join() === guard)
    return answerRun(store, clock, run, { choice: FALSE_ALARM, ...(note === undefined ? {} : { note }) })
  const isAsked = question?.trips.some((trip) => trip.guard === guard) ?? false
  const data = { guard, ...(note === undefined ? {} : { note }) }
  const because = isAsked && question ? { because: question.seq } : {}
  await recordByPerson(store, run, [{ type: 'guard.disputed', at: clock.now(), by: { role: 'person' }, ...because, data }])
}

/** Takes a run away from the session that it belongs to, which is let go at its next stop. */
export async function unbindRun(store: Store, clock: Clock, run: string, { agent, session }: BoundSession): Promise<void> {
  await recordByPerson(store, run, [{ type: 'run.unbound', at: clock.now(), by: { role: 'person' }, data: { agent, session } }])
}

/** The state of a run that must exist. */
export async function knownState(store: Store, run: string): Promise<State> {
  const state = await loadState(store, run)
  if (state) return state
  const names = (await store.runs()).map((entry) => entry.run)
  throw new PawlError('run.unknown', `There is no run "${run}"${othersThan(run, names)}`, { value: run })
}

/** The one that is meant, or the newest. */
function othersThan(run: string, names: readonly string[]): string {
  const nearest = nearestName(run, names)
  if (nearest !== undefined) return `; did you mean "${nearest}"?`
  if (names.length === 0) return ': there are no runs yet.'
  return `: the newest ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' (all: pawl ls)' : ''}.`
}

export interface AbortParts {
  readonly store: Store
  readonly clock: Clock
  readonly processes: Processes
}

/**
 * Ends a run for good. A process that drives it notices within moments and stops its agent; agents and checks whose driver is gone are
 * ended here. Throws `run.over` if there is nothing to end.
 */
export async function abortRun(
  { store, clock, processes }: AbortParts,
  run: string,
  reason = 'Aborted by a person.',
  by?: string,
): Promise<void> {
  const state = await knownState(store, run)
  if (isOver(state)) throw new PawlError('run.over', `Run ${run} is ${state.status} already.`)
  const session = await openSession({ store, processes }, run)
  try {
    const at = clock.now()
    // Who drives it has worked until now; who did and is gone, until it was last seen.
    const drivenUntil = session.status === 'held' ? at : session.lastSeenAt
    const data = { reason, ...(drivenUntil === undefined ? {} : { drivenUntil }) }
    await recordByPerson(store, run, [{ type: 'run.aborted', at, by: personNamed(by), data }])
    if (session.status === 'open') await endOpenEffects(processes, (await session.catchUp()) ?? state)
  } finally {
    if (session.status === 'open') await session.close()
  }
}
