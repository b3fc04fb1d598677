import { optionChosen } from '../../core/evolve-answer.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { FALSE_ALARM, type Option, OWN_WORDS, type Question } from '../../core/question.ts'
import type { State } from '../../core/state.ts'
import type { Answer } from '../../engine/parts.ts'
import type { Store } from '../../stores/store.ts'
import { answerRun, questionNone } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { requireAlarm } from './commands/false-alarm.ts'

export interface Given {
  readonly option: Option | undefined
  readonly note: string | undefined
}

/** The question that stands open. */
export function openQuestion({ run, status, question }: State): Question {
  if (!question) throw questionNone(run, status)
  return question.question
}

/** Answers the question that stands open. */
export async function giveAnswer(store: Store, state: State, choice: string, note: string | undefined): Promise<Given> {
  const given = answerMeant(state, choice, note)
  await answerRun(store, systemClock, state.run, given)
  return { option: optionChosen(openQuestion(state), given.choice), note: given.note }
}

/** What is meant by the number or the name of an option, or by words for the agent; refuses what is no answer to the question. */
export function answerMeant(state: State, choice: string, note: string | undefined): Answer {
  const { run } = state
  const question = openQuestion(state)
  if (choice.trim() === '')
    throw new PawlError(
      'question.empty',
      `The answer to run ${run} is empty: give the number or name of an option, or words for the agent.`,
    )
  if (choice.trim() === FALSE_ALARM) requireAlarm(state)
  return meant(question, choice, note)
}

/** Words that are no option are guidance for the agent, where the question has a way to go on; in a review they say what is missing. */
function meant(question: Question, choice: string, note: string | undefined): Answer {
  const withNote = note === undefined ? {} : { note }
  if (optionChosen(question, choice) || /^\S+$/.test(choice)) return { choice, ...withNote }
  const goOn = question.options.find(({ consequence: { kind } }) => kind === 'continue' || kind === 'reject')
  if (!goOn)
    throw new PawlError('question.no-such-option', `"${choice}" is none of the options, and none of them goes on.`, {
      value: choice,
    })
  const words = note === undefined ? choice : `${choice}\n${note}`
  return { choice: goOn.consequence.kind === 'continue' ? OWN_WORDS : goOn.choice, note: words }
}
