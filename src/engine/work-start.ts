import { type Advance, withStart } from '../core/advance.ts'
import type { EffectOf } from '../core/effect.ts'
import type { ProcessIdentity, TextRef } from '../core/event-data.ts'
import type { Author, Fact } from '../core/event.ts'
import { isOpen } from '../core/state.ts'
import { redactFacts } from '../journal/redact-facts.ts'
import { withAgentAtWork } from './agent-at-work.ts'
import type { Parts } from './parts.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replyLines } from '../core/evolve-ask.ts'
import type { Performance } from './performance.ts'

/**
 * Adds the start of the work that the step asks for, where the agent works within this process: it begins right after the append,
 * and until then nothing is changed. When we die in between, work that never began is abandoned, which harms nobody. A promise only
 * if there is work to begin.
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

/** That the agent begins, with the process it works in if any. */
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

/** The brief, and where the texts it speaks of can be read whole: they are put into files that only this run writes. */
export async function withTexts(
  { brief: goal, texts = [], key, isReadOnly }: EffectOf<'work'>,
  { parts, state }: Pick<Performance, 'parts' | 'state'>,
): Promise<string> {
  const replies = replyLines(state, key, isReadOnly)
  const brief = replies.length === 0 ? goal : [goal, ...replies.map((line) => `${line}\n`)].join('')
  if (texts.length === 0 || parts.textsFolder === undefined) return brief
  const folder = join(parts.textsFolder, state.run)
  await mkdir(folder, { recursive: true })
  const lines: string[] = []
  for (const [index, { name, text }] of texts.entries()) {
    const content = await parts.store.getText(text)
    if (content === undefined) continue
    const path = join(folder, `${index + 1}-${fileName(name)}.txt`)
    await writeFile(path, content)
    lines.push(`- ${name}: ${path}`)
  }
  return lines.length === 0 ? brief : `${brief}\n# The whole output of the failed checks\n${lines.join('\n')}\n`
}

function fileName(name: string): string {
  return name
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(0, 60)
}
