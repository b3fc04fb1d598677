import type { WorkEffect } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import { BLOCKED, type Claim, claimIn, withoutEcho } from './promises.ts'
import type { Agent, WorkDetails, WorkResult } from '../../agents/agent.ts'
import type { OwnPerformance } from '../../engine/performance.ts'
import { performWork } from '../../engine/perform-work.ts'
import { redactSaid } from '../../secrets/filter.ts'

/** Has the agent work, and records the promise it claims together with the end of the work. */
export async function performPromise(effect: WorkEffect, performance: OwnPerformance): Promise<void> {
  const { parts, post } = performance
  let worked: { readonly result: WorkResult; readonly brief: string } | undefined
  const agent: Agent = Object.assign(Object.create(parts.agent) as Agent, {
    work: async (...[request, context]: Parameters<Agent['work']>) => {
      const result = await parts.agent.work(request, context)
      worked = { result, brief: request.brief }
      return result
    },
  })
  const withClaim = async (facts: readonly Fact[]) => {
    const ended = facts.find((fact) => fact.type === 'work.finished')
    const claim = ended && worked ? await claimBy(worked.result, effect.promises ?? [], worked.brief) : undefined
    if (!ended || !claim) return post(facts)
    const { at, by } = ended
    await post([...facts, { type: 'promise.claimed', at, by, data: { key: effect.key, ...claim } }])
  }
  await performWork(effect, { ...performance, parts: { ...parts, agent }, post: withClaim })
}

interface Said extends Pick<WorkDetails, 'words'> {
  readonly output?: { readonly text: string }
  readonly summary?: string
}

/**
 * The promise that an agent claims at the end of its work; `brief` is not its own words. Only its last message counts; where the driver
 * cannot tell what that is, what was printed and the summary that the agent reported. The reason is read where there are no secrets
 * any more, since it is cut short.
 */
export async function claimBy(
  { words, output, summary }: Said,
  promises: readonly string[],
  brief: string,
): Promise<Claim | undefined> {
  const texts = words === undefined ? [output?.text ?? '', summary ?? ''] : [words]
  const claimed = (said: readonly string[]): Claim | undefined => {
    const claims = said.flatMap((text) => claimIn(withoutEcho(text.slice(-LAST_CHARACTERS_MAX), brief), promises) ?? [])
    return claims.find(({ promise }) => promise === BLOCKED) ?? claims[0]
  }
  const claim = claimed(texts)
  if (claim?.reason === undefined) return claim
  const { promise } = claim
  const clean = claimed(await Promise.all(texts.map(redactSaid)))
  return { promise, ...(clean?.promise === promise && clean.reason !== undefined ? { reason: clean.reason } : {}) }
}

const LAST_CHARACTERS_MAX = 20_000
