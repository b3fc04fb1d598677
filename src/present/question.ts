import { defined } from '../core/defined.ts'
import type { Seq } from '../core/event.ts'
import type { Question } from '../core/question.ts'
import { questionInWords } from './words.ts'

/** An open question as other programs read it: what MCP clients get. */
export interface QuestionAnswer {
  /** Which question it is: the run, and the event that asks. */
  readonly id: string
  /** What kind of question it is, such as `unproven`; absent for a loop of your own. */
  readonly code?: string
  readonly text: string
  readonly options: {
    readonly number: number
    readonly choice: string
    readonly label: string
    readonly whatFollows?: string
  }[]
  readonly attempts: string[]
  readonly pattern?: string
  /** What to do about it before answering. */
  readonly steps?: string[]
  /** The first lines that the last attempt changed, below the name of each file. */
  readonly changes?: string
  /** The command that answers it in a terminal. */
  readonly answerWith: string
}

/** The question with its numbered options. */
export function questionAnswer(
  run: string,
  { seq, question }: { readonly seq: Seq; readonly question: Question },
): QuestionAnswer {
  const { text, options, attempts, pattern, steps, changes } = questionInWords(question)
  return {
    id: `${run}@${seq}`,
    ...defined({ code: question.code }),
    text,
    options: options.map(({ choice, label, then }, index) => ({
      number: index + 1,
      choice,
      label,
      ...defined({ whatFollows: then }),
    })),
    attempts: [...attempts],
    ...defined({ pattern, steps: steps && [...steps], changes: changes && changesText(changes) }),
    answerWith: `pawl answer ${run} NUMBER`,
  }
}

function changesText(changes: NonNullable<Question['changes']>): string {
  return changes.flatMap(({ path, lines }) => [path, ...lines]).join('\n')
}

/** The question as plain text, with what an agent proposes to answer. */
export function questionText(
  run: string,
  question: Question,
  proposed?: { readonly choice: string; readonly note?: string },
): string {
  const { text, options, pattern } = questionInWords(question)
  const lines = options.map(({ label, then }, index) => `${index + 1}. ${label}${then === undefined ? '' : ` (${then})`}`)
  const words = proposed ? [`The agent proposes: ${proposed.choice}${proposed.note ? ` ("${proposed.note}")` : ''}`] : []
  return [`Run ${run}:`, text, ...(pattern === undefined ? [] : [pattern]), ...lines, ...words].join('\n')
}
