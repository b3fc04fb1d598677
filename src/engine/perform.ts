import type { Performance } from './performance.ts'
import { type Effect, effectKey, type EffectOf } from '../core/effect.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Parts } from './parts.ts'
import { agentName } from '../core/run-config.ts'
import { standingIn, withAgentAtWork, withReviewerAtWork } from './agent-at-work.ts'
import { performCheck } from './perform-check.ts'
import { performWork } from './perform-work.ts'
import { performPhrase } from './perform-phrase.ts'
import { performObserve, performRestore } from './perform-workspace.ts'

/** Performs one effect and posts its facts. Resolves when they are durable; throws at once where no agent is there that could review. */
export function perform(effect: Effect, performance: Performance): Promise<void> {
  switch (effect.kind) {
    case 'work':
      return performByAgent(effect, performance)
    case 'check':
      return performCheck(effect, withParts(performance, withReviewerAtWork(performance.parts, performance.state, effect.name)))
    case 'phrase':
      return performPhrase(effect, performance)
    case 'observe':
      return effect.iteration === 0 && effect.by === 'agent'
        ? performFirstLook(effect, performance)
        : performObserve(effect, performance)
    case 'restore':
      return performRestore(effect, performance)
    default:
      return performOfLoop(effect, performance)
  }
}

/** What only the loop knows how to do. */
async function performOfLoop(effect: Effect, performance: Performance, name: string = effect.kind): Promise<void> {
  const { parts, state, onProgress } = performance
  const loop = parts.definition.loop(state.config.loop)
  const performer = (await loop.performers?.())?.[name]
  if (!performer)
    throw new PawlError(
      'loop.no-performer',
      `The loop "${loop.spec.name}" asks for the effect "${name}", but its performers() has no such name.`,
      { value: name },
    )
  const progress = (line: string): void => onProgress?.({ key: effect.key, line })
  await performer(effect, { ...performance, now: () => parts.clock.now(), progress })
}

async function performByAgent(effect: EffectOf<'work'>, performance: Performance): Promise<void> {
  const parts = await withAgentAtWork(performance.parts, performance.state, effect.role)
  const { performer } = effect
  const given = withParts(performance, parts)
  await (performer === undefined ? performWork(effect, given) : performOfLoop(effect, given, performer))
}

function withParts(performance: Performance, parts: Parts): Performance {
  return parts === performance.parts ? performance : { ...performance, parts }
}

/** Before the first look, and so before any check: an agent that is not there is a problem for a person at once. */
async function performFirstLook(effect: EffectOf<'observe'>, performance: Performance): Promise<void> {
  if (!(await isAgentMissing(performance))) await performObserve(effect, performance)
}

async function isAgentMissing({ parts, state, cwd, post }: Performance): Promise<boolean> {
  const agents = [parts.agent, ...Object.values(parts.roles ?? {})].map((agent) => standingIn(parts, state, agent))
  for (const agent of agents) {
    const trouble = await agent.ready?.(cwd)
    if (!trouble) continue
    const data = { key: effectKey(0, 'agent'), reason: 'failed', durationMs: 0, ...trouble } as const
    // Whose trouble it is matters only where another agent could go on.
    const name = parts.fallbacks ? { name: agentName(agent.spec) } : {}
    await post([{ type: 'work.failed', at: parts.clock.now(), by: { role: 'runner', ...name }, data }])
    return true
  }
  return false
}
