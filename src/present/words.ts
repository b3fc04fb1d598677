import { PARALLEL_WORDS } from '../loops/parallel/words.ts'
import { RALPH_WORDS } from '../loops/ralph/words.ts'
import { RESEARCH_WORDS } from '../loops/research/words.ts'
import { REVIEW_WORDS } from '../loops/review/words.ts'
import { TASK_WORDS } from '../loops/task/words.ts'
import type { Option, Question } from '../core/question.ts'
import { type Saying, sentence, type Words } from '../core/saying.ts'

/** The sentences of all loops that ship; each has those of the core and those that loops share. */
const WORDS: Words = { ...TASK_WORDS, ...RALPH_WORDS, ...REVIEW_WORDS, ...RESEARCH_WORDS, ...PARALLEL_WORDS }

/** A text that was recorded, in today's words if it was recorded with a code that they have. */
export function textOf(recorded: string, says: Saying | undefined): string {
  return (says && sentence(WORDS, says)) ?? recorded
}

/** An option in today's words. */
export function optionInWords(option: Option): Option {
  const { label, says, then } = option
  // oxlint-disable-next-line unicorn/no-thenable -- a sentence, which nobody can call
  const after = then === undefined ? {} : { then: textOf(then, says?.after) }
  return { ...option, label: textOf(label, says?.label), ...after }
}

/** A question in today's words; what was recorded without codes stays as it is. */
export function questionInWords(question: Question): Question {
  const { says, text, pattern, steps, options } = question
  return {
    ...question,
    text: says ? joined(says.text, '\n', text) : text,
    ...(pattern === undefined ? {} : { pattern: joined(says?.pattern, ' ', pattern) }),
    ...(steps === undefined ? {} : { steps: steps.map((step, index) => textOf(step, says?.steps?.[index])) }),
    options: options.map(optionInWords),
  }
}

/** If one sentence isn't known, the text stays as it was recorded. */
function joined(says: readonly Saying[] | undefined, between: string, recorded: string): string {
  const sentences = says?.map((saying) => sentence(WORDS, saying))
  return sentences === undefined || sentences.includes(undefined) ? recorded : sentences.join(between)
}
