import type { GivenAnswer, State } from './state.ts'
import { type Option, OWN_WORDS, type Question } from './question.ts'
import { shortened } from './wording.ts'

/** The answers with one more, the newest last; a question whose options tell the agent nothing is about nothing to be held to. */
export function withGivenAnswer(
  { answers = [] }: State,
  question: Question,
  option: Option,
  note?: string,
): Pick<State, 'answers'> {
  const about = question.options.flatMap((each) => subjectOf(each) ?? [])
  if (about.length === 0) return {}
  const answer = { choice: option.choice, label: option.label, ...(note === undefined ? {} : { note }), about }
  return { answers: [...answers, answer].slice(-ANSWERS_MAX) }
}

/** How many answers are remembered; older ones are too long ago to speak for what is asked now. */
const ANSWERS_MAX = 5

/** The options, and what a person answered `before` if this was asked already: nothing is recommended against it. */
export function heldTo(
  { answers = [] }: State,
  options: readonly Option[],
): { readonly options: readonly Option[]; readonly before?: string } {
  const offered = new Set(options.flatMap((option) => subjectOf(option) ?? []))
  const answer = answers.findLast(({ about }) => about.some((subject) => offered.has(subject)))
  if (!answer) return { options }
  const held = options.map((option) => {
    const { recommended: _before, ...rest } = option
    const isChosen = option.choice === answer.choice && subjectOf(option) !== undefined
    return isChosen ? { ...rest, recommended: true } : rest
  })
  return { options: held, before: answerWords(answer) }
}

function answerWords({ choice, label, note }: GivenAnswer): string {
  const said = note === undefined ? '' : shortened(note, NOTE_LENGTH_MAX)
  if (choice === OWN_WORDS) return said
  return said === '' ? `${label}.` : `${label} (${said}).`
}

const NOTE_LENGTH_MAX = 200

/** What an option settles; one that settles nothing in particular is known by what it tells the agent. */
function subjectOf({ consequence }: Option): string | undefined {
  return consequence.kind === 'continue' ? (consequence.settles ?? consequence.guidance) : undefined
}
