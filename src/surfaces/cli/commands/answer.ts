import { optionChosen } from '../../../core/evolve-answer.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { Question } from '../../../core/question.ts'
import type { State } from '../../../core/state.ts'
import { answerRun, knownState } from '../../../runner/person-facts.ts'
import { systemClock } from '../../../runner/system-clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { driveRun } from '../drive-run.ts'
import { EXIT } from '../exit-codes.ts'
import { questionLines } from '../views/question-lines.ts'

export interface AnswerFlags {
  readonly note?: string
  readonly resume?: boolean
}

/** Answers a run's question; without a choice it only shows the question. */
export async function answer(context: CliContext, flags: AnswerFlags, run: string, choice?: string): Promise<number> {
  const { terminal } = context
  return withStore(context, async (store) => {
    const state = await knownState(store, run)
    const question = state.question?.question
    if (!question) throw new PawlError('question.none', `Run ${run} asks nothing; it is ${state.status}.`)
    if (choice === undefined) {
      if (context.isJson) terminal.json({ run, question })
      else for (const line of questionLines(run, question, terminal)) terminal.say(line)
      return EXIT.waiting
    }
    if (choice.trim() === '')
      throw new PawlError(
        'question.empty',
        `The answer to run ${run} is empty: give the number or name of an option, or words for the agent.`,
      )
    const given = meant(question, choice, flags.note)
    await answerRun(store, systemClock, run, given)
    const option = optionChosen(question, given.choice)
    if (flags.resume === true) return driveRun(context, store, run, state.given, { canAsk: true })
    if (context.isJson) terminal.json({ run, choice: option?.choice, note: given.note ?? null })
    else terminal.say(`Answered ${run}: ${option?.label}. ${nextStep(state, option?.consequence.kind)}`)
    return EXIT.done
  })
}

/** Words that are no option are guidance for the agent, where the question has a way to go on. */
function meant(question: Question, choice: string, note: string | undefined): { choice: string; note?: string } {
  const withNote = note === undefined ? {} : { note }
  if (optionChosen(question, choice) || /^\S+$/.test(choice)) return { choice, ...withNote }
  const goOn = question.options.find((option) => option.consequence.kind === 'continue')
  if (!goOn)
    throw new PawlError('question.no-such-option', `"${choice}" is none of the options, and none of them goes on.`, {
      value: choice,
    })
  return { choice: goOn.choice, note: note === undefined ? choice : `${choice}\n${note}` }
}

function nextStep({ run, config: { program } }: State, kind: string | undefined): string {
  if (program !== undefined) return `It takes effect when ${program} goes on with it.`
  return kind === 'continue' ? `Go on with: pawl resume ${run}` : `It takes effect with: pawl resume ${run}`
}
