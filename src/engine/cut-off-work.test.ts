import { once } from 'node:events'
import { expect, it } from 'vitest'
import { evolveAll } from '../loops/evolve.ts'
import { budget, maxIterations } from '../guards/index.ts'
import { outcomeOf } from '../core/outcome.ts'
import { agentReview } from '../checks/agent-review.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { drivenSessions } from '../evidence/import-transcript.ts'

const failing: Check = {
  name: 'tests',
  spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
  run: async () => ({ status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }),
}

/** An agent that is interrupted in its first work, and has told so much by then. */
function cutAgent(pause: AbortController, told: Omit<Extract<WorkResult, { status: 'aborted' }>, 'status'>) {
  const requests: WorkRequest[] = []
  const agent: Agent = {
    spec: { name: 'custom', v: 1, settings: {} },
    work: async (request, context) => {
      await context.started()
      requests.push(request)
      if (requests.length > 1) return { status: 'finished', costUsd: 0.5, tokens: 10 }
      const stopped = once(context.signal, 'abort')
      pause.abort()
      await stopped
      return { status: 'aborted', ...told }
    },
  }
  return { agent, requests }
}

function loopWith(change: Partial<LoopOptions>) {
  const store = memoryStore()
  const workspace = memoryWorkspace({ a: '0' })
  const loop = taskLoop({ goal: 'g', baseline: false })
  const guards = [maxIterations(1)]
  return {
    ...createLoop({
      loop,
      guards,
      agent: cutAgent(new AbortController(), {}).agent,
      checks: [failing],
      workspace,
      store,
      ...change,
    }),
    store,
  }
}

/** A copy of its store as it is: what a process finds that comes after one that died. */
async function copyOf(loop: ReturnType<typeof loopWith>) {
  const store = memoryStore()
  const claimed = await store.claim('r', { pid: 1, startedAt: 'long ago', host: 'gone' })
  if (claimed.status === 'held') throw new Error('Nobody holds it.')
  await store.append('r', await loop.events('r'), { claim: claimed.claim, expectedSeq: 0 })
  await store.release(claimed.claim)
  return store
}

it('CORE-231 DRIVE-53 interrupted work is on record with what it told, counts for the budget, and its session is handed on', async () => {
  const pause = new AbortController()
  const told = { costUsd: 2, tokens: 40, session: 's-1', sessionUsed: { costUsd: 2, tokens: 40 }, model: 'big-one' }
  const { agent, requests } = cutAgent(pause, told)
  const loop = loopWith({ agent, guards: [maxIterations(9), budget({ costUsdMax: 2.5 })] })
  expect(await loop.run('r', { signal: pause.signal })).toMatchObject({ status: 'paused', costUsd: 2, tokens: 40 })
  const abandoned = (await loop.events('r')).find(({ type }) => type === 'work.abandoned')
  const { model, ...data } = told
  expect(abandoned).toMatchObject({ by: { role: 'agent', name: 'custom', model }, data: { ...data, reason: 'interrupted' } })
  expect([...(await drivenSessions(loop.store))]).toEqual([['s-1', 'r']])
  expect(await loop.run('r')).toMatchObject({ status: 'stopped', costUsd: 2.5, tokens: 50, iterations: 1 })
  expect(requests[1]?.lastSession).toEqual({ id: 's-1', used: told.sessionUsed })
})

it('CORE-232 DRIVE-51 what was used besides is said to be unknown, as the driver says', async () => {
  const pause = new AbortController()
  const { agent } = cutAgent(pause, { costUsd: 2, tokens: 40, isUsagePartial: true })
  const loop = loopWith({ agent })
  const paused = await loop.run('r', { signal: pause.signal })
  expect(paused).toMatchObject({ costUsd: 2, isCostPartial: true, tokens: 40, areTokensPartial: true })
  const abandoned = (await loop.events('r')).find(({ type }) => type === 'work.abandoned')
  expect(abandoned).toMatchObject({ data: { tokens: 40, isUsagePartial: true } })
})

it.each([true, undefined])('CORE-232 work whose runner died used something where its agent counts (%s)', async (tellsUsage) => {
  const { agent: cut } = cutAgent(new AbortController(), {})
  const begun = Promise.withResolvers<void>()
  const counts = tellsUsage ? { tellsUsage } : {}
  const dying: Agent = {
    ...cut,
    ...counts,
    work: async (_request, { started }) => {
      await started()
      begun.resolve()
      return new Promise(() => undefined)
    },
  }
  const workspace = memoryWorkspace({ a: '0' })
  const loop = loopWith({ agent: dying, workspace })
  void loop.run('r').catch(() => undefined)
  await begun.promise
  const store = await copyOf(loop)
  const agent: Agent = {
    ...cut,
    ...counts,
    work: async (_request, { started }) => (await started(), { status: 'finished', costUsd: 1, tokens: 9 }),
  }
  const outcome = await loopWith({ agent, store, workspace }).run('r')
  const partly = tellsUsage ? { isCostPartial: true, areTokensPartial: true } : {}
  expect(outcome).toMatchObject({ costUsd: 1, tokens: 9, ...partly })
  expect('isCostPartial' in outcome).toBe(tellsUsage === true)
})

/** The work passes and is shown to this reviewer. */
function reviewedBy(agent: Agent): Partial<LoopOptions> {
  const worker: Agent = {
    ...agent,
    work: async (_request, { started }) => (await started(), { status: 'finished', costUsd: 1, tokens: 9 }),
  }
  const passing: Check = { ...failing, run: async () => ({ status: 'passed' }) }
  return { agent: worker, checks: [passing, agentReview({ agent })], guards: [maxIterations(9)], proof: { require: 'unproven' } }
}

it('CORE-234 a review that is interrupted is on record with what its agent told, and is asked for again', async () => {
  const pause = new AbortController()
  const { agent: cut, requests } = cutAgent(pause, { costUsd: 0.5, tokens: 4, isUsagePartial: true })
  const words = '{"verdict": "approve", "summary": "Good."}'
  const agent: Agent = { ...cut, work: async (...given) => ({ ...(await cut.work(...given)), words }) as WorkResult }
  const loop = loopWith(reviewedBy(agent))
  const paused = await loop.run('r', { signal: pause.signal })
  expect(paused).toMatchObject({ status: 'paused', costUsd: 1.5, isCostPartial: true, tokens: 13, areTokensPartial: true })
  const abandoned = (await loop.events('r')).find(({ type }) => type === 'review.abandoned')
  const told = { name: 'review', reason: 'interrupted', costUsd: 0.5, tokens: 4, isUsagePartial: true }
  expect(abandoned).toMatchObject({ by: { role: 'check', name: 'review' }, data: told })
  expect(await loop.run('r')).toMatchObject({ status: 'completed', costUsd: 2, isCostPartial: true, tokens: 23 })
  expect(requests).toHaveLength(2)
})

it('CORE-234 CORE-235 what a review used is not known where its runner died, before the run continues and after', async () => {
  const begun = Promise.withResolvers<void>()
  const workspace = memoryWorkspace({ a: '0' })
  const { agent: cut } = cutAgent(new AbortController(), {})
  const reviewer: Agent = { ...cut, tellsUsage: true, isInProcess: true }
  const dying: Agent = {
    ...reviewer,
    work: async (_request, { started }) => {
      await started()
      begun.resolve()
      return new Promise(() => undefined)
    },
  }
  const loop = loopWith({ ...reviewedBy(dying), workspace })
  void loop.run('r').catch(() => undefined)
  await begun.promise
  const store = await copyOf(loop)
  const state = evolveAll(undefined, await store.read('r'))
  expect(state && outcomeOf(state)).toMatchObject({ costUsd: 1, isCostPartial: true, tokens: 9, areTokensPartial: true })
  const approving: Agent = {
    ...reviewer,
    work: async (_request, { started }) => (
      await started(),
      { status: 'finished', costUsd: 2, tokens: 5, words: '{"verdict": "approve"}' }
    ),
  }
  const outcome = await loopWith({ ...reviewedBy(approving), store, workspace }).run('r')
  expect(outcome).toMatchObject({ status: 'completed', costUsd: 3, isCostPartial: true, tokens: 14, areTokensPartial: true })
  expect((await store.read('r')).filter(({ type }) => type === 'review.abandoned')).toMatchObject([
    { by: { role: 'runner' }, data: { name: 'review', reason: 'its runner was gone', isUsagePartial: true } },
  ])
})

it('DRIVE-52 what interrupted work told without a sum of its session is handed on apart', async () => {
  const pause = new AbortController()
  const { agent, requests } = cutAgent(pause, { tokens: 40, session: 's-1' })
  const loop = loopWith({ agent })
  await loop.run('r', { signal: pause.signal })
  await loop.run('r')
  expect(requests[1]?.lastSession).toEqual({ id: 's-1', unsettled: { tokens: 40 } })
})

it('CORE-231 what an agent used that was to put a question into words counts too', async () => {
  const pause = new AbortController()
  const { agent: questioner } = cutAgent(pause, { costUsd: 0.25, tokens: 7 })
  const agent: Agent = { ...questioner, work: async (_request, { started }) => (await started(), { status: 'finished' }) }
  const loop = loopWith({ agent, questioner })
  const outcome = await loop.run('r', { signal: pause.signal })
  expect(outcome).toMatchObject({ costUsd: 0.25, tokens: 7 })
  const abandoned = (await loop.events('r')).find(({ type }) => type === 'work.abandoned')
  expect(abandoned).toMatchObject({ by: { name: 'questioner' }, data: { costUsd: 0.25, tokens: 7 } })
})
