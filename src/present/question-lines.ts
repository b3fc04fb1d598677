import type { Option, Question } from '../core/question.ts'
import type { Screen } from './screen.ts'
import { labelled, padded, wrapped } from './text-layout.ts'

/** What is shown of a question: one of the core, or one of a `RunView`, which also knows the answer. */
export type ShownQuestion = Pick<Question, 'text' | 'pattern' | 'feedback' | 'steps'> & {
  readonly options: readonly Pick<Option, 'label' | 'then' | 'recommended'>[]
  readonly answer?: { readonly label: string }
}

/** A question as a person reads it: the text, the pattern seen, what fails, the numbered options with what each leads to, and the exact command to answer. `elsewhere` is who goes on with the run after that, where no command does. */
export function questionLines(run: string, question: ShownQuestion, screen: Screen, elsewhere?: string): readonly string[] {
  const { columns } = screen
  const { text, steps = [], options } = question
  return [
    ...wrapped(text, columns),
    ...seenLines(question, screen),
    '',
    ...options.flatMap((option, index) => optionLines(option, index + 1, screen)),
    '',
    ...(question.answer ? [] : stepLines(steps, screen)),
    ...answerLines(run, question, screen, elsewhere),
  ]
}

/** What a question rests on, besides its text: the pattern seen and what fails. */
function seenLines({ text, pattern, feedback = [] }: ShownQuestion, screen: Screen): readonly string[] {
  const seen = pattern === undefined ? [] : labelled('Seen', pattern, screen.columns)
  return [...seen, ...feedbackLines(text, feedback, screen)]
}

/** What a person who is asked on the spot needs besides the text and the options: what was seen, what fails and what to do first. */
export function groundLines(question: ShownQuestion, screen: Screen): readonly string[] {
  return [...seenLines(question, screen), ...stepLines(question.steps ?? [], screen)]
}

/** What the text quotes already is not told again. */
function feedbackLines(text: string, feedback: readonly string[], { columns }: Screen): readonly string[] {
  const isOnlyThat = feedback.length === 1 && text.includes(feedback[0]?.replace(/ \([^()]*\)$/, '') ?? '')
  if (isOnlyThat) return []
  return feedback.flatMap((line, index) => labelled(index === 0 ? 'Fails' : '', line, columns))
}

/** What to do before answering; the answer comes after them. One step alone is no list. */
function stepLines(steps: readonly string[], { columns, paint }: Screen): readonly string[] {
  // A command to copy has a line of its own.
  const number = (index: number): string => (steps.length === 1 ? '' : `${index + 1}. `)
  const shown = steps.map((step, index) => `${number(index)}${step.replace(/: (pawl restore \S+ \S+)$/, ':\n$1')}`)
  return shown
    .flatMap((step, index) => labelled(index === 0 ? 'First' : '', step, columns))
    .map((line) => line.replace(/(?<=^ +)pawl restore .*/, (command) => paint('cyan', command)))
}

function optionLines(
  { label, then, recommended }: ShownQuestion['options'][number],
  number: number,
  { columns, paint }: Screen,
): readonly string[] {
  const [first = '', ...rest] = labelled(`  ${number}`, `${label}${recommended ? RECOMMENDED : ''}`, columns, OPTION_WIDTH)
  const after = then === undefined ? [] : labelled('', then, columns, OPTION_WIDTH).map((line) => paint('dim', line))
  return [paint('bold', padded(`  ${number}`, OPTION_WIDTH)) + first.slice(OPTION_WIDTH), ...rest, ...after]
}

/** The recommended option as a command to copy. */
function answerLines(
  run: string,
  { options, answer }: ShownQuestion,
  { paint, columns }: Screen,
  elsewhere: string | undefined,
): readonly string[] {
  if (answer) {
    const wayOn =
      elsewhere === undefined
        ? [`Go on       ${paint('cyan', `pawl resume ${run}`)}`]
        : labelled('Goes on', `with ${elsewhere}`, columns)
    return [...labelled('Answered', answer.label, columns), ...wayOn]
  }
  const number =
    Math.max(
      0,
      options.findIndex((option) => option.recommended === true),
    ) + 1
  const command = `pawl answer ${run} ${number}`
  return [
    `Answer      ${paint('cyan', command)}`,
    `            ${paint('cyan', `${command} --note "what the agent should know"`)}`,
  ]
}

const OPTION_WIDTH = 5
const RECOMMENDED = ' (recommended)'
