import type { Option, Question } from './question.ts'
import { optionOf, questionOf, sayingIn, type Words } from './saying.ts'
import { shortened } from './wording.ts'
import type { AgentAsk, AskOption } from './agent-ask.ts'
import { attemptLines } from './failure-item.ts'
import type { State } from './state.ts'

/** What the core says to people. A sentence that is a value itself, such as a custom guard's, is a `text`. */
export const CORE_WORDS = {
  text: ({ text }: { text: string }) => text,
  'abort.label': () => 'End the run (files stay as they are)',
  'abort.then': () => 'The run ends without success. The files stay as they are.',
  'ask.asks': ({ title }: { title: string }) => `The agent asks: ${title}`,
  'ask.leave': ({ kind, title }: { kind: string; title: string }) => `The agent asks for permission (${kind}): ${title}`,
  'ask.allow-once': () => `${GOES_ON} and may do this once.`,
  'ask.deny-once': () => `${GOES_ON}, without it.`,
  'ask.answer': () => `${GOES_ON}, with this answer.`,
  'ask.words': () => `${GOES_ON}, with your words (--note) as the answer.`,
  // The protocol only says "always": agents keep such an answer for other wishes and in the user's settings too.
  'ask.always': ({ label }: { label: string }) =>
    `${GOES_ON}. The agent itself decides how long "${shortened(label, QUOTE_LENGTH_MAX)}" holds, maybe beyond this run.`,
} satisfies Words

const GOES_ON = 'The agent continues where it stopped'
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

/**
 * What an agent asks, as a question to a person: its own answers are the options, with what follows from each. The first one is what
 * Enter takes and what is shown as a command to copy, so it grants only the one wish if the agent offers that choice; none is recommended.
 */
export function askQuestion(state: State, ask: AgentAsk): Question {
  const { kind, title, detail } = ask
  const asks = kind === 'question' ? coreSaying('ask.asks', { title }) : coreSaying('ask.leave', { kind, title })
  return questionOf(CORE_WORDS, {
    code: 'agent-asks',
    text: [asks, ...(detail === undefined ? [] : [coreSaying('text', { text: detail })])],
    options: [...mildestFirst(ask.options).map((option) => optionFor(option, ask)), ABORT],
    attempts: attemptLines(state),
  })
}

/** After the mildest one the others stay in the agent's order, and what grants for good comes last. The agent's own question has no mild answer. */
function mildestFirst(options: AgentAsk['options']): AgentAsk['options'] {
  if (!options.some(({ kind }) => kind.startsWith('allow'))) return options
  const mildest = MILD.flatMap((mild) => options.filter(({ kind }) => kind === mild)).slice(0, 1)
  const others = options.filter((option) => !mildest.includes(option))
  return [...mildest, ...others.filter((option) => !isForGood(option)), ...others.filter(isForGood)]
}

function isForGood({ kind }: AskOption): boolean {
  return kind === 'allow-always'
}

const MILD: readonly AskOption['kind'][] = ['allow-once', 'deny-once', 'deny-always']

function optionFor({ id, label, kind }: AskOption, ask: AgentAsk): Option {
  const isOnlyOne = ask.options.filter((other) => other.kind === kind).length === 1
  const choice = isOnlyOne && kind !== 'answer' ? kind : id
  const reply = { ask: ask.id, title: ask.title, option: id, optionKind: kind, label }
  const after =
    kind === 'allow-always' || kind === 'deny-always' ? coreSaying('ask.always', { label }) : coreSaying(`ask.${kind}`)
  return optionOf(CORE_WORDS, {
    choice,
    label: coreSaying('text', { text: label }),
    after,
    consequence: { kind: 'continue', reply },
  })
}
