import type { JsonObject } from './json.ts'
import type { Option, Question } from './question.ts'

/** Something to say, as data: which sentence, and the values in it. */
export interface Saying {
  readonly code: string
  readonly values?: JsonObject
}

/** The sentences of a part, by code. */
export type Words = Readonly<Record<string, (values: never) => string>>

/** Names a sentence of these words, with the values that it needs. */
export function sayingIn<Known extends Words>(
  _words: Known,
): <Code extends keyof Known & string>(code: Code, ...values: Parameters<Known[Code]>) => Saying {
  return (code, ...[values]) => (values === undefined ? { code } : { code, values: values as JsonObject })
}

/** The sentence; `undefined` if these words don't have it. */
export function sentence(words: Words, { code, values = {} }: Saying): string | undefined {
  return Object.hasOwn(words, code) ? words[code]?.(values as never) : undefined
}

/** An option whose texts are sentences of these words: `label`, and `after` for what happens after it is chosen. */
export function optionOf(
  words: Words,
  { label, after, ...option }: Omit<Option, 'label' | 'then' | 'says'> & { readonly label: Saying; readonly after: Saying },
): Option {
  const texts = { ...option, label: sentence(words, label) ?? '', says: { label, after } }
  // oxlint-disable-next-line unicorn/no-thenable -- a sentence, which nobody can call
  return { ...texts, then: sentence(words, after) ?? '' }
}

/** What a question is made of: sentences instead of texts. */
export interface QuestionParts extends Pick<Question, 'options' | 'attempts' | 'feedback' | 'diff'> {
  /** What kind of question it is. */
  readonly code: string
  readonly text: readonly Saying[]
  readonly pattern?: readonly Saying[]
  readonly steps?: readonly Saying[]
}

/** A question whose texts are sentences of these words. */
export function questionOf(words: Words, { code, text, pattern = [], steps = [], ...rest }: QuestionParts): Question {
  const texts = (sayings: readonly Saying[]): readonly string[] => sayings.map((saying) => sentence(words, saying) ?? '')
  return {
    code,
    text: texts(text).join('\n'),
    ...(pattern.length === 0 ? {} : { pattern: texts(pattern).join(' ') }),
    ...(steps.length === 0 ? {} : { steps: texts(steps) }),
    ...rest,
    says: {
      text,
      ...(pattern.length === 0 ? {} : { pattern }),
      ...(steps.length === 0 ? {} : { steps }),
    },
  }
}

/** What a decision says: its message, and the same as data. */
export interface Message {
  readonly message: string
  readonly says: Saying
}

/** Makes messages of these words. */
export function messagesIn<Known extends Words>(
  words: Known,
): <Code extends keyof Known & string>(code: Code, ...values: Parameters<Known[Code]>) => Message {
  const saying = sayingIn(words)
  return (code, ...values) => {
    const says = saying(code, ...values)
    return { message: sentence(words, says) ?? '', says }
  }
}
