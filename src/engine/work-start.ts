import { type Advance, withStart } from '../core/advance.ts'
import type { EffectOf } from '../core/effect.ts'
import type { ProcessIdentity, TextRef } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { isOpen } from '../core/state.ts'
import { redactFacts } from '../secrets/filter.ts'
import { withAgentAtWork } from './agent-at-work.ts'
import { withTexts } from './brief-texts.ts'
import type { Parts } from './parts.ts'

/**
 * Adds the start of the work that the step asks for, where the agent works within this process: it begins right after the append,
 * and until then nothing is changed. When we die in between, work that never began is abandoned, which harms nobody. A promise only
 * where there is work to begin.
 */
export function withWorkStart(
  parts: Parts,
  result: Advance,
  isUnderWay: (key: string) => boolean = () => false,
): Advance | Promise<Advance> {
  const { step, state } = result
  const work = step.kind === 'perform' ? step.effects.find((effect) => effect.kind === 'work') : undefined
  // What is under way already is about to record its start itself.
  if (!work || isOpen(state, work.key) || isUnderWay(work.key)) return result
  return withStartOf(work, parts, result)
}

async function withStartOf(work: EffectOf<'work'>, given: Parts, result: Advance): Promise<Advance> {
  const { state } = result
  const parts = await withAgentAtWork(given, state, work.role)
  if (!parts.agent.isInProcess) return result
  const brief = await parts.store.putText({ text: await withTexts(work, { parts, state }), bytesCut: 0 })
  const [start] = await redactFacts([startedFact(parts, work, brief)])
  return withStart(given.definition, result, start as Fact<'work.started'>)
}

/** That the agent begins, with the process it works in where there is one. */
export function startedFact(
  { agent, clock }: Parts,
  { key, iteration, role }: EffectOf<'work'>,
  brief: TextRef,
  process?: ProcessIdentity,
): Fact<'work.started'> {
  const told = agent.tellsUsage ? { tellsUsage: agent.tellsUsage } : {}
  const data = { key, iteration, role, brief, ...(process === undefined ? {} : { process }), ...told }
  return { type: 'work.started', at: clock.now(), by: authorOf(agent), data }
}

/** The agent as the author of facts. */
export function authorOf({ spec, model }: Parts['agent']): Author {
  const { name = spec.name } = spec.settings
  return { role: 'agent', name: typeof name === 'string' ? name : spec.name, ...(model === undefined ? {} : { model }) }
}
