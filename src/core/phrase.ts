import type { Decision } from './decision.ts'
import { type Effect, effectKey } from './effect.ts'
import { coreSaying } from './words.ts'
import { isDone, type State } from './state.ts'

/** Before a question is asked, an agent may be asked to put it into words, where one is configured for that. */
export function phraseEffect(state: State, decision: Decision): Effect | undefined {
  const { current, config } = state
  if (!config.questioner || current.problem || !('question' in decision)) return undefined
  const key = effectKey(current.number, 'questioner')
  if (isDone(state, key)) return undefined
  return { kind: 'phrase', key, iteration: current.number, brief: phraseBrief(decision) }
}

/** The same decision with the question in the agent's words; as it was where there are none. */
export function phrased(decision: Decision, words: State['current']['phrased']): Decision {
  if (words?.text === undefined || !('question' in decision)) return decision
  const { question } = decision
  const says = question.says ? { says: { ...question.says, text: [coreSaying('text', { text: words.text })] } } : {}
  return { ...decision, question: { ...question, text: words.text, ...says } }
}

function phraseBrief(decision: Extract<Decision, { question: unknown }>): string {
  const { text, options, pattern, attempts, feedback = [] } = decision.question
  return [
    '# Your task',
    'An agent is stuck, and a person will be asked the question below. Put it into better words: name the disagreement or the',
    'missing knowledge exactly, in at most six short lines, so that it can be answered in ten seconds. Keep the meaning of the',
    'options; do not number or repeat them. Change no files.',
    'Answer with JSON only: {"question": "..."}',
    '',
    '# The question as it stands',
    text,
    ...(pattern === undefined ? [] : ['', '# The pattern', pattern]),
    '',
    '# The options',
    ...options.map((option) => `- ${option.label}`),
    '',
    '# The attempts',
    ...attempts.map((line) => `- ${line}`),
    ...(feedback.length === 0 ? [] : ['', '# What failed', ...feedback.map((line) => `- ${line}`)]),
    '',
  ].join('\n')
}
