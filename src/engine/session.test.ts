import { expect, it, onTestFinished } from 'vitest'
import { foldsOf, memoizedDefinition } from '../core/definition.ts'
import type { Fact } from '../core/event.ts'
import { guardFrom } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { machineProcesses } from '../process/processes.ts'
import { type MemoryDisk, memoryDisk, memoryStore } from '../stores/memory-store.ts'
import type { Store } from '../stores/store.ts'
import { configOf } from '../testing/state-builder.ts'
import { loadState, openSession, recordByPerson, type Session, type SessionOptions, TakenOver, withSession } from './session.ts'

const loop = taskLoop({ goal: 'g', baseline: false })
const definition = memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) })
const RUN = 'r'
const by = { role: 'runner' } as const
const start: Fact = { type: 'run.started', at: 1, by, data: { config: { ...configOf([]), loop: loop.spec } } }

function partsOn(store: Store) {
  return { store, processes: machineProcesses, definition }
}

async function opened(store: Store, options: SessionOptions = {}): Promise<Session> {
  const session = await openSession(partsOn(store), RUN, options)
  if (session.status === 'held') throw new Error('held')
  onTestFinished(() => session.close())
  return session
}

function paused(reason: string): Fact {
  return { type: 'run.paused', at: 2, by: { role: 'person' }, data: { reason } }
}

function runOf(session: Session): Promise<string> {
  return Promise.resolve(session.run)
}

function acted(count: number): readonly Fact[] {
  const fact: Fact = { type: 'work.acted', at: 3, by: { role: 'agent' }, data: { key: '1/coder/0', actions: [] } }
  return Array.from({ length: count }, () => fact)
}

it('RUN-310 facts are appended with what follows from them, and a conflict draws the conclusions again', async () => {
  const store = memoryStore()
  const heard: string[] = []
  const session = await opened(store, { onEvent: ({ type }) => heard.push(type) })
  const { step } = await session.take(definition, [start])
  expect(step).toMatchObject({ kind: 'perform', effects: [{ kind: 'observe' }] })
  await recordByPerson(store, RUN, [paused('tea')])
  const { state, step: after } = await session.take(definition, [paused('coffee')])
  expect([state.status, after.kind]).toEqual(['paused', 'end'])
  expect(session.state()).toEqual(state)
  expect((await store.read(RUN)).map(({ type }) => type)).toEqual(heard)
  expect(heard.filter((type) => type === 'run.paused')).toHaveLength(2)
})

it('RUN-310 facts that depend on the state are asked for again after a conflict', async () => {
  const store = memoryStore()
  const session = await opened(store)
  await session.take(definition, [start])
  await recordByPerson(store, RUN, [paused('tea')])
  const seen: (string | undefined)[] = []
  await session.record((state) => {
    seen.push(state?.status)
    return state?.status === 'running' ? [paused('never')] : []
  })
  expect(seen).toEqual(['running', 'paused'])
  expect((await store.read(RUN)).filter(({ type }) => type === 'run.paused')).toHaveLength(1)
})

it('RUN-311 a session whose run was taken over writes nothing more, and says so', async () => {
  const disk = memoryDisk()
  let now = 0
  const session = await opened(memoryStore({ disk, leaseMs: 100, now: () => now }))
  await session.take(definition, [start])
  now = 1000
  const other = await opened(memoryStore({ disk, leaseMs: 100, now: () => now }))
  await expect(session.take(definition, [paused('late')])).rejects.toBeInstanceOf(TakenOver)
  await expect(session.record(() => [paused('later')])).rejects.toMatchObject({ code: 'run.held' })
  expect(session.lost.aborted).toBe(true)
  await session.close()
  expect((await other.take(definition, [])).state.status).toBe('running')
})

it('RUN-312 a run that another process has is waited for as long as asked, then refused with who has it', async () => {
  const store = memoryStore()
  const first = await opened(store)
  await expect(withSession(partsOn(store), RUN, runOf)).rejects.toMatchObject({
    code: 'run.held',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  const second = withSession(partsOn(store), RUN, runOf, { waitMsMax: 10_000 })
  await first.close()
  expect(await second).toBe(RUN)
  expect(await store.holder(RUN)).toBeUndefined()
})

it('RUN-313 the state is cached at the end of a session if the run is stopped or many events came, and every 512 events', async () => {
  const cachedAt = async (disk: MemoryDisk): Promise<number> => (await memoryStore({ disk }).getSnapshot(RUN))?.seq ?? 0
  const disk = memoryDisk()
  const store = memoryStore({ disk })
  await withSession(partsOn(store), RUN, (session) => session.take(definition, [start]))
  expect(await cachedAt(disk)).toBe(0)
  await withSession(partsOn(store), RUN, (session) => session.record(() => acted(40)))
  const known = await loadState(store, RUN, foldsOf(definition))
  expect(await cachedAt(disk)).toBe(known?.seq)
  await withSession(partsOn(store), RUN, async (session) => {
    await session.record(() => acted(600))
    expect(await cachedAt(disk)).toBe(session.state()?.seq)
  })
  await withSession(partsOn(store), RUN, (session) => session.record(() => [paused('tea')]))
  expect(await cachedAt(disk)).toBe((known?.seq ?? 0) + 601)
  // Without the loop's fold the state may lack its slices.
  await withSession({ store, processes: machineProcesses }, RUN, (session) => session.record(() => [paused('again')]))
  expect(await cachedAt(disk)).toBe((known?.seq ?? 0) + 601)
})
