import { once } from 'node:events'
import { expect, it } from 'vitest'
import { budget, maxIterations } from '../core/guards/index.ts'
import { memoryStore } from '../drivers/stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent, WorkRequest, WorkResult } from '../ports/agent.ts'
import type { Check } from '../ports/check.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-workspace.ts'
import { drivenSessions } from './driven-sessions.ts'

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
