import { type Effect, effectKey, type EffectOf } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Agent } from '../ports/agent.ts'
import type { EffectContext } from '../ports/effect-context.ts'
import type { State } from '../core/state.ts'
import type { DriveOptions, Parts } from './parts.ts'
import { withAgentAtWork } from './agent-at-work.ts'
import { performCheck } from './perform-check.ts'
import { performWork } from './perform-work.ts'
import { performPhrase } from './perform-phrase.ts'
import { performCommit } from './perform-commit.ts'
import { performObserve, performRestore } from './perform-workspace.ts'

/** What an effect is performed with. */
export interface Performance {
  readonly parts: Parts
  readonly state: State
  readonly cwd: string
  readonly signal: AbortSignal
  /** Resolves when the facts are durable. */
  readonly post: (facts: readonly Fact[]) => Promise<void>
  readonly onProgress?: DriveOptions['onProgress']
}

/** Performs one effect and posts its facts. Resolves when they are durable. */
export async function perform(effect: Effect, performance: Performance): Promise<void> {
  switch (effect.kind) {
    case 'work':
      return performWork(effect, {
        ...performance,
        parts: await withAgentAtWork(performance.parts, performance.state, effect.role),
      })
    case 'check':
      return performCheck(effect, performance)
    case 'phrase':
      return performPhrase(effect, performance)
    case 'observe':
      return (await isAgentMissing(effect, performance)) ? undefined : performObserve(effect, performance)
    case 'commit':
      return performCommit(effect, performance)
    case 'restore':
      return performRestore(effect, performance)
  }
}

/** Before the first look, and so before any check: an agent that is not there is a problem for a person at once. */
async function isAgentMissing({ iteration, by }: EffectOf<'observe'>, { parts, cwd, post }: Performance): Promise<boolean> {
  if (iteration !== 0 || by !== 'agent') return false
  const trouble = await troubleOf([parts.agent, ...Object.values(parts.roles ?? {})], cwd)
  if (!trouble) return false
  const data = { key: effectKey(0, 'agent'), reason: 'failed', durationMs: 0, ...trouble } as const
  await post([{ type: 'work.failed', at: parts.clock.now(), by: { role: 'runner' }, data }])
  return true
}

async function troubleOf(agents: readonly Agent[], cwd: string): Promise<Awaited<ReturnType<NonNullable<Agent['ready']>>>> {
  for (const agent of agents) {
    const trouble = await agent.ready?.(cwd)
    if (trouble) return trouble
  }
  return undefined
}

/** What a driver is given; `begin` turns the start into a fact. */
export function contextOf(
  effect: Effect,
  performance: Performance,
  begin: (process?: ProcessIdentity) => readonly Fact[],
): EffectContext {
  return {
    signal: performance.signal,
    started: async (process) => {
      const facts = begin(process)
      if (facts.length > 0) await performance.post(facts)
    },
    progress: (line) => performance.onProgress?.({ key: effect.key, line }),
  }
}
