import type { AgentAsk, AskOption } from './agent-ask.ts'
import { attemptLines } from './attempt-lines.ts'
import { ABORT, followedBy, type Option, type Question } from './question.ts'
import type { State } from './state.ts'
import { shortened } from './wording.ts'

/**
 * What an agent asks, as a question to a person: its own answers are the options, with what follows from each. The first one is what
 * Enter takes and what is shown as a command to copy, so it grants no more than the one wish where the agent leaves that choice; none is recommended.
 */
export function askQuestion(state: State, ask: AgentAsk): Question {
  const what = ask.kind === 'question' ? 'The agent asks' : `The agent asks for leave (${ask.kind})`
  return {
    text: [`${what}: ${ask.title}`, ...(ask.detail === undefined ? [] : [ask.detail])].join('\n'),
    options: [...mildestFirst(ask.options).map((option) => optionOf(option, ask)), ABORT],
    attempts: attemptLines(state),
  }
}

/** After the mildest one the others stay in the agent's order, and what grants for good comes last. A question of its own has no mild answer. */
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

function optionOf(option: AskOption, ask: AgentAsk): Option {
  const { id, label, kind } = option
  const isOnlyOne = ask.options.filter((other) => other.kind === kind).length === 1
  const choice = isOnlyOne && kind !== 'answer' ? kind : id
  const reply = { ask: ask.id, title: ask.title, option: id, optionKind: kind, label }
  return followedBy({ choice, label, consequence: { kind: 'continue', reply } }, thenWords(option))
}

function thenWords({ kind, label }: AskOption): string {
  const goesOn = 'The agent goes on where it stopped'
  switch (kind) {
    case 'allow-once':
      return `${goesOn} and may do this once; what it has changed so far stays.`
    case 'deny-once':
      return `${goesOn} and is told no; what it has changed so far stays.`
    case 'answer':
      return `${goesOn}, with this answer.`
    case 'words':
      return `${goesOn}, with your words (--note) as the answer.`
    case 'allow-always':
    case 'deny-always':
      // The protocol says no more than "always": agents keep such an answer for other wishes and in the user's settings too.
      return `${goesOn}; how far and how long "${shortened(label, QUOTE_LENGTH_MAX)}" holds, the agent itself decides, and that may be beyond this run.`
  }
}

const QUOTE_LENGTH_MAX = 100
