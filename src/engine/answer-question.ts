import { FALSE_ALARM, type Option, optionChosen, OWN_WORDS, type Question } from '../core/question.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { State } from '../core/state.ts'
import type { Answer } from './parts.ts'
import type { SealedEvent, Store } from '../stores/store.ts'
import { answerRun, disputeGuard, knownState, questionNone } from './person-facts.ts'
import { systemClock } from '../process/clock.ts'
import { isLimit, tripNames } from '../core/trip.ts'
import { shortened } from '../core/wording.ts'

/** What was chosen, and the words for the agent. */
export interface ChosenOption {
  readonly option: Option | undefined
  readonly note: string | undefined
}

/** The run's open question; throws `question.none` if it has none. */
export function openQuestion({ run, status, question }: State): Question {
  if (!question) throw questionNone(run, status)
  return question.question
}

/** Answers the open question. */
export async function giveAnswer(
  store: Store,
  state: State,
  choice: string,
  note: string | undefined,
  by?: string,
): Promise<ChosenOption> {
  const given = { ...parseAnswer(state, choice, note), ...(by === undefined ? {} : { by }) }
  await answerRun(store, systemClock, state.run, given)
  return { option: optionChosen(openQuestion(state), given.choice), note: given.note }
}

/** Reads an answer: an option's number or name, or words for the agent. Throws if the question doesn't take it. */
export function parseAnswer(state: State, choice: string, note: string | undefined): Answer {
  const { run } = state
  const question = openQuestion(state)
  if (choice.trim() === '')
    throw new PawlError(
      'question.empty',
      `The answer to run ${run} is empty: give the number or name of an option, or words for the agent.`,
    )
  if (choice.trim() === FALSE_ALARM) requireAlarm(state)
  return answerFrom(run, question, choice, note)
}

/** Words that aren't an option guide the agent, if one of the options continues the run. */
function answerFrom(run: string, question: Question, choice: string, note: string | undefined): Answer {
  const withNote = note === undefined ? {} : { note }
  if (optionChosen(question, choice) || /^\S+$/.test(choice)) return { choice, ...withNote }
  const goOn = question.options.find(({ consequence: { kind } }) => kind === 'continue')
  const verdicts = question.options.filter(({ consequence: { kind } }) => kind === 'approve' || kind === 'reject')
  if (!goOn && verdicts.length > 0) {
    const commands = verdicts.map((option) => `pawl answer ${run} ${option.choice} --note "${shortened(choice, 40)}"`)
    throw new PawlError('question.no-verdict', `Do your words approve the work or reject it? ${commands.join('   or   ')}`, {
      value: choice,
    })
  }
  if (!goOn)
    throw new PawlError('question.no-such-option', `"${choice}" isn't an option, and no option continues the run.`, {
      value: choice,
    })
  const words = note === undefined ? choice : `${choice}\n${note}`
  return { choice: OWN_WORDS, note: words }
}

/** Records that a guard was wrong, even if it only warned. Returns the other guards that still stop the run. */
export async function falseAlarm(
  store: Store,
  run: string,
  guard: string,
  note: string | undefined,
): Promise<{ readonly standing: readonly string[] }> {
  requireGuard(await knownState(store, run), guard)
  await requireSpoken(store, run, guard)
  await disputeGuard(store, systemClock, run, guard, note)
  const { question, waivers } = await knownState(store, run)
  const trips = (question?.trips ?? []).map((trip) => trip.guard)
  return { standing: trips.filter((name) => !waivers.includes(name)) }
}

/** Throws if the question doesn't offer `false-alarm`, and says what to answer instead. */
function requireAlarm({ run, question }: State): void {
  if (!question || question.question.options.some(({ choice }) => choice === FALSE_ALARM)) return
  const names = [...new Set(question.trips.map((trip) => trip.guard))].join(' and ')
  const why =
    names === '' ? 'no guard stopped it' : `${names} stopped it, which cannot be a false alarm there: choose one of its options`
  throw new PawlError('question.no-alarm', `Run ${run} has no false alarm: ${why} (pawl answer ${run}).`)
}

/** Whether only this guard doubts the pass: calling it wrong accepts the work. */
export function isOnlyDoubt({ question }: State, guard: string): boolean {
  const alarm = question?.question.options.find(({ choice }) => choice === FALSE_ALARM)?.consequence
  return alarm?.kind === 'accept' && (alarm.disputes ?? []).join() === guard
}

function requireGuard({ run, config, question }: State, guard: string): void {
  const names = new Set([...config.guards.flatMap(tripNames), ...(question?.trips ?? []).map((trip) => trip.guard)])
  if (names.has(guard)) return
  throw new PawlError('usage.unknown-guard', `Run ${run} has no guard "${guard}"; it has ${[...names].join(', ')}.`, {
    value: guard,
  })
}

/** Throws if the guard neither stopped the run nor warned. Limits are refused elsewhere. */
async function requireSpoken(store: Store, run: string, guard: string): Promise<void> {
  if (isLimit(guard)) return
  const spoken = [...new Set((await store.read(run)).filter(isAlarm).map(({ by }) => by.name))]
  if (spoken.includes(guard)) return
  const alarms = spoken.filter((name) => name !== undefined && !isLimit(name))
  const who = alarms.length === 0 ? 'no guard did' : `only ${alarms.join(' and ')} did`
  throw new PawlError('usage.no-alarm', `${guard} neither stopped run ${run} nor warned, so it cannot have been wrong: ${who}.`, {
    value: guard,
  })
}

function isAlarm({ type }: SealedEvent): boolean {
  return type === 'guard.tripped' || type === 'guard.nudged' || type === 'budget.warned'
}
