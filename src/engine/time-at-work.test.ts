import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { evolveAll } from '../loops/evolve.ts'
import { maxIterations } from '../guards/index.ts'
import { memoryDisk, memoryStore } from '../stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import type { SealedEvent, Store } from '../stores/store.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'

const spec = { name: 'custom', v: 1, settings: {} }
const done: Agent = { spec, work: async (_request, { started }) => (await started(), { status: 'finished' }) }
const passing: Check = { name: 'tests', spec: { ...spec, settings: { name: 'tests' } }, run: async () => ({ status: 'passed' }) }
const GONE = { pid: 1, startedAt: 'long ago', host: 'gone' }
const HOUR_MS = 3_600_000

/** Whoever works continues until it is ended, and says when it is at it. */
function endless() {
  const begun = Promise.withResolvers<void>()
  const untilEnded = async (signal: AbortSignal) => {
    begun.resolve()
    await once(signal, 'abort')
    return { status: 'aborted' } as const
  }
  const agent: Agent = { spec, work: async (_request, { started, signal }) => (await started(), untilEnded(signal)) }
  const check: Check = { ...passing, run: async (_request, { started, signal }) => (await started(), untilEnded(signal)) }
  return { begun: begun.promise, agent, check }
}

function loopOf(store: Store, agent: Agent, check = passing, workspace = memoryWorkspace({ a: '0' })) {
  const loop = taskLoop({ goal: 'g', baseline: false })
  return createLoop({
    loop,
    guards: [maxIterations(3)],
    agent,
    checks: [check],
    workspace,
    store,
    proof: { require: 'unproven' },
  })
}

/** How long it was from the first fact to that of this type. */
function passedUntil(type: string, events: readonly SealedEvent[]): number {
  return (events.find((event) => event.type === type)?.at ?? Number.NaN) - (events[0]?.at ?? Number.NaN)
}

it.each(['agent', 'check'] as const)(
  'CORE-237 time at work until a person aborts the run counts: the %s is at work',
  async (who) => {
    const { begun, agent, check } = endless()
    const loop = loopOf(memoryStore(), who === 'agent' ? agent : done, who === 'check' ? check : passing)
    const driving = loop.run('r')
    await begun
    await sleep(60)
    await loop.abort('r')
    const outcome = await driving
    expect(outcome).toMatchObject({ status: 'aborted', activeMs: passedUntil('run.aborted', await loop.events('r')) })
  },
)

/** A store in which a run is under way since an hour, whose driver was last seen nine seconds after its last fact and is gone. */
async function orphaned() {
  const { begun, agent } = endless()
  const workspace = memoryWorkspace({ a: '0' })
  const before = loopOf(memoryStore(), agent, passing, workspace)
  const driving = before.run('r')
  await begun
  const events = (await before.events('r')).map((event) => ({ ...event, at: event.at - HOUR_MS }))
  await before.abort('r')
  await driving
  const disk = memoryDisk()
  const lastAt = events.at(-1)?.at ?? 0
  let now = lastAt
  const dying = memoryStore({ disk, now: () => now, isAlive: () => true })
  const claimed = await dying.claim('r', GONE)
  if (claimed.status === 'held') throw new Error('Nobody holds it.')
  await dying.append('r', events, { claim: claimed.claim, expectedSeq: 0 })
  now += 9000
  await dying.renew(claimed.claim)
  const workedMs = (evolveAll(undefined, events)?.totals.activeMs ?? Number.NaN) + 9000
  const store = memoryStore({ disk, isAlive: () => false })
  return { store, loop: loopOf(store, done, passing, workspace), seenAt: lastAt + 9000, workedMs }
}

it('CORE-238 of work whose driver is gone, the time until it was last seen counts when the run is taken up again', async () => {
  const { store, loop, seenAt, workedMs } = await orphaned()
  expect(await loop.run('r')).toMatchObject({ status: 'completed' })
  const events = await store.read('r')
  const resumed = events.findIndex(({ type }) => type === 'run.resumed')
  expect(events[resumed]?.data).toMatchObject({ drivenUntil: seenAt })
  expect(evolveAll(undefined, events.slice(0, resumed + 1))?.totals.activeMs).toBe(workedMs)
})

it('CORE-238 or when a person aborts it', async () => {
  const { store, loop, seenAt, workedMs } = await orphaned()
  await loop.abort('r')
  expect((await store.read('r')).at(-1)).toMatchObject({ type: 'run.aborted', data: { drivenUntil: seenAt } })
  expect(await loop.outcome('r')).toMatchObject({ status: 'aborted', activeMs: workedMs })
})
