import type { Option } from './question.ts'
import { optionOf, sayingIn, type Words } from './saying.ts'
import { shortened } from './wording.ts'

/** What the core says to people. A sentence that is a value itself, such as a custom guard's, is a `text`. */
export const CORE_WORDS = {
  text: ({ text }: { text: string }) => text,
  'abort.label': () => 'End the run here',
  'abort.then': () => 'The run ends without success; the files stay as they are now.',
  'ask.asks': ({ title }: { title: string }) => `The agent asks: ${title}`,
  'ask.leave': ({ kind, title }: { kind: string; title: string }) => `The agent asks for leave (${kind}): ${title}`,
  'ask.allow-once': () => `${GOES_ON} and may do this once; what it has changed so far stays.`,
  'ask.deny-once': () => `${GOES_ON} and is told no; what it has changed so far stays.`,
  'ask.answer': () => `${GOES_ON}, with this answer.`,
  'ask.words': () => `${GOES_ON}, with your words (--note) as the answer.`,
  // The protocol says no more than "always": agents keep such an answer for other wishes and in the user's settings too.
  'ask.always': ({ label }: { label: string }) =>
    `${GOES_ON}; how far and how long "${shortened(label, QUOTE_LENGTH_MAX)}" holds, the agent itself decides, and that may be beyond this run.`,
} satisfies Words

const GOES_ON = 'The agent goes on where it stopped'
const QUOTE_LENGTH_MAX = 100

/** Names a sentence of the core. */
export const coreSaying = sayingIn(CORE_WORDS)

/** Give it up. */
export const ABORT: Option = optionOf(CORE_WORDS, {
  choice: 'abort',
  consequence: { kind: 'abort' },
  label: coreSaying('abort.label'),
  after: coreSaying('abort.then'),
})
