import type { AgentAsk, AskOption } from './agent-ask.ts'
import { attemptLines } from './attempt-lines.ts'
import { ABORT, followedBy } from './question-options.ts'
import type { Option, Question } from './question.ts'
import type { State } from './state.ts'

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

/** The others stay in the agent's order. A question of its own has no mild answer. */
function mildestFirst(options: AgentAsk['options']): AgentAsk['options'] {
  if (!options.some(({ kind }) => kind.startsWith('allow'))) return options
  const mildest = MILD.flatMap((mild) => options.filter(({ kind }) => kind === mild)).slice(0, 1)
  return [...mildest, ...options.filter((option) => !mildest.includes(option))]
}

const MILD: readonly AskOption['kind'][] = ['allow-once', 'deny-once', 'deny-always']

function optionOf(option: AskOption, ask: AgentAsk): Option {
  const { id, label, kind } = option
  const isOnlyOne = ask.options.filter((other) => other.kind === kind).length === 1
  const choice = isOnlyOne && kind !== 'answer' ? kind : id
  const reply = { ask: ask.id, title: ask.title, option: id, optionKind: kind, label }
  return followedBy({ choice, label, consequence: { kind: 'continue', reply } }, THEN[kind])
}

const THEN: Readonly<Record<AskOption['kind'], string>> = {
  'allow-once': 'The agent goes on where it stopped and may do this once; what it has changed so far stays.',
  'allow-always': 'The agent goes on where it stopped; the same wish is granted without asking until the run ends.',
  'deny-once': 'The agent goes on where it stopped and is told no; what it has changed so far stays.',
  'deny-always': 'The agent goes on where it stopped; the same wish is refused without asking until the run ends.',
  answer: 'The agent goes on where it stopped, with this answer.',
  words: 'The agent goes on where it stopped, with your words (--note) as the answer.',
}
