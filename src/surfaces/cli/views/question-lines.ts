import type { OptionView, QuestionView } from './people-view.ts'
import type { Screen } from './screen.ts'
import { labelled, padded, wrapped } from './text-layout.ts'

/** A question as a person reads it: the text, the pattern seen, the numbered options, and the exact command to answer. */
export function questionLines(run: string, question: QuestionView, screen: Screen): readonly string[] {
  const { columns, paint } = screen
  const { text, pattern, options, answer } = question
  const wanted = options.find((option) => option.isRecommended) ?? options[0]
  return [
    ...wrapped(text, columns),
    ...(pattern === undefined ? [] : labelled('Seen', pattern, columns)),
    '',
    ...options.flatMap((option) => optionLines(option, screen)),
    '',
    ...(answer ? [`Answered: ${answer.label}. It goes on with: ${paint('cyan', `pawl resume ${run}`)}`] : answerLines(wanted, screen)),
  ]
}

function optionLines({ number, label, isRecommended }: OptionView, { columns, paint }: Screen): readonly string[] {
  const [first = '', ...rest] = labelled(`  ${number}`, `${label}${isRecommended ? RECOMMENDED : ''}`, columns, OPTION_WIDTH)
  return [paint('bold', padded(`  ${number}`, OPTION_WIDTH)) + first.slice(OPTION_WIDTH), ...rest]
}

function answerLines(wanted: OptionView | undefined, { paint }: Screen): readonly string[] {
  if (!wanted) return []
  return [
    `Answer      ${paint('cyan', wanted.command)}`,
    `            ${paint('cyan', `${wanted.command} --note "what the agent should know"`)}`,
  ]
}

const OPTION_WIDTH = 5
const RECOMMENDED = ' (recommended)'
