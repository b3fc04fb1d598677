import type { Guard } from './guard.ts'
import { isDone, type State } from './state.ts'
import { type Trip, tripTopic } from './trip.ts'
import { concluded, LOOP } from './conclude.ts'
import type { Decision, Step } from './step.ts'
import type { Definition } from './definition.ts'
import { type Effect, effectKey } from './effect.ts'
import type { Fact, Seq } from './event.ts'
import type { Loop } from './loop.ts'
import { coreSaying } from './words.ts'

/** Asks every guard. Returns what is true, in the order of the guards, and never what to do about it. */
export function judge(guards: readonly Guard[], state: State): readonly Trip[] {
  const trips: Trip[] = []
  for (const guard of guards) trips.push(...guard.inspect(state))
  return trips
}

/** The shortest time at work that any guard leaves. */
export function remainingMs(guards: readonly Guard[], state: State): number | undefined {
  const limits = guards.map((guard) => guard.remainingMs?.(state)).filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits))
}

/** The least money that any guard leaves. */
export function remainingUsd(guards: readonly Guard[], state: State): number | undefined {
  const limits = guards.map((guard) => guard.remainingUsd?.(state)).filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits))
}

/** Guards say what is true, the loop says what to do, and both are recorded with the facts they rest on. */
export function judgeIteration(definition: Definition, state: State): Step {
  const guards = state.config.guards.map(definition.guard)
  const trips = state.current.problem ? [] : judge(guards, state)
  const tripped = trips.filter((trip) => trip.severity === 'trip')
  const deciding = tripped.filter((trip) => !state.waivers.includes(trip.guard))
  const loop = definition.loop(state.config.loop)
  const decision = loop.decide(state, deciding)
  const seals = decision.action === 'proceed' ? openSeals(loop, state) : []
  if (seals.length > 0) return { kind: 'perform', effects: seals }
  const phrase = phraseEffect(state, decision)
  if (phrase) return { kind: 'perform', effects: [phrase] }
  const warning = (name: string) => guards.findLast((guard) => guard.spec.name === name)?.warning ?? 'guard.nudged'
  const facts: Fact[] = [
    ...tripped.map((trip) => concluded(state, { role: 'guard', name: trip.guard }, 'guard.tripped', trip)),
    ...trips
      .filter((trip) => trip.severity === 'warn' && !state.nudged.some(({ topic }) => topic === tripTopic(trip)))
      .map((trip) => concluded(state, { role: 'guard', name: trip.guard }, warning(trip.guard), trip)),
    ...(loop.settles?.(state) ?? []),
    ...decisionFacts(state, phrased(decision, state.current.phrased), trips.map(tripTopic), deciding, { loop }),
  ]
  return { kind: 'record', facts }
}

/** What a success still needs. */
export function openSeals(loop: Loop, state: State): readonly Effect[] {
  return (loop.seals?.(state) ?? []).filter((effect) => !isDone(state, effect.key))
}

/** What follows from a success, as the loop says. */
export function finishFacts(loop: Loop | undefined, state: State, message: string, because?: Seq): readonly Fact[] {
  if (loop?.finishes) return loop.finishes(state, message, because)
  const data = { iteration: state.current.number, tree: state.tree?.tree ?? '', message }
  return [concluded(state, LOOP, 'run.completed', data, because)]
}

/** The decision and what it leads to. `loop` says what follows from a success. */
export function decisionFacts(
  state: State,
  decision: Decision,
  topics: readonly string[],
  trips: readonly Trip[],
  { loop, review }: { readonly loop?: Loop; readonly review?: { readonly key: string; readonly name: string } } = {},
): readonly Fact[] {
  const { action, message, basis, says, guards } = decision
  const data = { ...(says ? { says } : {}), ...(guards ? { guards } : {}) }
  const iteration = state.current.number
  const made = concluded(state, LOOP, 'decision.made', { iteration, action, message, basis, trips: topics, ...data })
  switch (decision.action) {
    case 'proceed':
      return [made, ...finishFacts(loop, state, message)]
    case 'retry':
      return [made]
    case 'stop':
      return [made, concluded(state, LOOP, 'run.stopped', { iteration, message, trips, question: decision.question })]
    default: {
      const raised = { iteration, message, trips, question: decision.question, ...(review ? { review } : {}) }
      return [made, concluded(state, LOOP, 'escalation.raised', raised)]
    }
  }
}

/** Before a question is asked, an agent may be asked to put it into words, if one is configured for that. */
function phraseEffect(state: State, decision: Decision): Effect | undefined {
  const { current, config } = state
  if (!config.questioner || current.problem || !('question' in decision)) return undefined
  const key = effectKey(current.number, 'questioner')
  if (isDone(state, key)) return undefined
  return { kind: 'phrase', key, iteration: current.number, brief: phraseBrief(decision) }
}

/** The same decision with the question in the agent's words; as it was if there are none. */
function phrased(decision: Decision, words: State['current']['phrased']): Decision {
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
