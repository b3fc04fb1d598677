import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { Fact } from '../core/event.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import { maxIterations } from '../guards/index.ts'
import { memoryDisk, memoryStore } from '../stores/memory-store.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Check, CheckResult } from '../checks/check.ts'
import type { EffectContext } from '../process/effect-context.ts'
import type { Store } from '../stores/store.ts'
import { currentProcessIdentity, identityOf, isProcessAlive } from '../process/process-identity.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'

const failing: CheckResult = { status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }

function agentThat(work: (context: EffectContext) => Promise<WorkResult>, isInProcess?: true): Agent {
  return {
    spec: { name: 'custom', v: 1, settings: {} },
    ...(isInProcess ? { isInProcess } : {}),
    work: async (_request, context) => work(context),
  }
}

function checkThat(run: () => Promise<CheckResult>): Check {
  return {
    name: 'tests',
    spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
    run: async (_request, context) => (await context.started(), run()),
  }
}

const finishing = agentThat(async (context) => (await context.started(), { status: 'finished' }))

function loopWith(store: Store, change: Partial<LoopOptions> = {}) {
  return createLoop({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(2)],
    agent: finishing,
    checks: [checkThat(async () => failing)],
    workspace: memoryWorkspace({ a: '0' }),
    store,
    ...change,
  })
}

const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

const started: number[] = []
afterEach(() => {
  started.splice(0).forEach(endQuietly)
})

function endQuietly(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Its own process group, like an agent whose runner has died. */
function orphan(): ProcessIdentity {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'] } })
  const pid = child.pid as number
  started.push(pid)
  child.unref()
  return identityOf(pid) as ProcessIdentity
}

describe('driving a run that others write to', () => {
  it('RUN-210 listeners get facts that other processes appended, in their order', async () => {
    const disk = memoryDisk()
    const elsewhere = memoryStore({ disk })
    const waive: Fact = { type: 'guard.waived', at: Date.now(), by: { role: 'person' }, data: { guard: 'maxIterations' } }
    const checks = [checkThat(async () => (await elsewhere.append('r', [waive]), failing))]
    const loop = loopWith(memoryStore({ disk }), { checks, guards: [maxIterations(1)] })
    const pause = new AbortController()
    const told: number[] = []
    await loop.run('r', {
      signal: pause.signal,
      onEvent: (event) => {
        told.push(event.seq)
        if (event.type === 'iteration.started' && event.data.iteration === 3) pause.abort()
      },
    })
    expect(told).toEqual((await loop.events('r')).map((event) => event.seq))
  })

  it('RUN-210 also of those that come while the agent works', async () => {
    const disk = memoryDisk()
    const begun = Promise.withResolvers<void>()
    const agent = agentThat(async (context) => {
      await context.started()
      begun.resolve()
      await until(context.signal)
      return { status: 'aborted' }
    })
    const loop = loopWith(memoryStore({ disk }), { agent })
    const types: string[] = []
    const running = loop.run('r', { pollMs: 5, onEvent: (event) => types.push(event.type) })
    await begun.promise
    await loopWith(memoryStore({ disk })).abort('r', 'enough')
    await running
    expect(types).toEqual((await loop.events('r')).map((event) => event.type))
    expect(types).toContain('run.aborted')
  })

  it('RUN-211 a healthy holder is not taken over, however short the lease', async () => {
    const disk = memoryDisk()
    const begun = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const agent = agentThat(
      async (context) => (await context.started(), begun.resolve(), await gone.promise, { status: 'finished' }),
    )
    const options = { disk, leaseMs: 200 }
    const running = loopWith(memoryStore(options), { agent, guards: [maxIterations(1)] }).run('r')
    await begun.promise
    await sleep(500)
    expect(await loopWith(memoryStore(options)).run('r')).toMatchObject({ status: 'held' })
    gone.resolve()
    expect((await running).status).toBe('escalated')
  })

  it('RUN-212 reports the first error, even if releasing the run fails as well', async () => {
    const store = memoryStore()
    const broken: Store = { ...store, release: async () => Promise.reject(new Error('no release')) }
    const workspace = { ...memoryWorkspace({}), observe: async () => Promise.reject(new Error('disk on fire')) }
    await expect(loopWith(broken, { workspace }).run('r')).rejects.toThrow('disk on fire')
    await expect(loopWith(broken).run('s')).rejects.toThrow('no release')
  })
})

describe('an agent that outlived its runner', () => {
  const workspace = memoryWorkspace({ a: '0' })

  it('RUN-213 aborting a run ends it', async () => {
    const store = memoryStore()
    const identity = orphan()
    await leaveAtWork(store, identity)
    await loopWith(store).abort('r')
    expect(isProcessAlive(identity)).toBe(false)
    expect((await loopWith(store).outcome('r'))?.status).toBe('aborted')
    expect(await store.claim('r', currentProcessIdentity())).toMatchObject({ status: 'claimed' })
  })

  it('RUN-214 that cannot be seen from here is left alone, and the journal says so', async () => {
    const store = memoryStore()
    await leaveAtWork(store, { ...orphan(), host: 'another-host' })
    await loopWith(store, { workspace }).run('r')
    const abandoned = (await store.read('r')).find((event) => event.type === 'work.abandoned')
    expect(abandoned?.data).toMatchObject({ reason: expect.stringContaining('another-host') })
    expect(isProcessAlive(identityOf(started[0] as number) as ProcessIdentity)).toBe(true)
  })

  /** A run whose runner died while its agent was at work. */
  async function leaveAtWork(store: Store, process: ProcessIdentity): Promise<void> {
    const crash = new Error('killed')
    const dying: Store = {
      ...store,
      append: async (run, facts, driving) => {
        if (facts.some((fact) => fact.type === 'run.paused')) throw crash
        return store.append(run, facts, driving)
      },
    }
    const agent = agentThat(async (context) => (await context.started(process), { status: 'aborted' }))
    await expect(loopWith(dying, { agent, workspace }).run('r')).rejects.toThrow('The agent says it was interrupted')
    expect((await store.read('r')).at(-1)?.type).toBe('work.started')
  }
})

describe('an agent that works within this process', () => {
  const inProcess = agentThat(async (context) => (await context.started(), { status: 'finished' }), true)

  it('RUN-215 has its start recorded in one append with the decision that led to it', async () => {
    const store = memoryStore()
    const appends: string[][] = []
    const watched: Store = {
      ...store,
      append: async (run, facts, driving) => (appends.push(facts.map((fact) => fact.type)), store.append(run, facts, driving)),
    }
    await loopWith(watched, { agent: inProcess }).run('r')
    expect(appends.find((types) => types.includes('decision.made'))?.slice(-3)).toEqual([
      'decision.made',
      'iteration.started',
      'work.started',
    ])
    const types = (await store.read('r')).map((event) => event.type)
    expect(types.filter((type) => type === 'work.started')).toHaveLength(2)
  })

  it('RUN-216 a start on record is never left open by a pause', async () => {
    const store = memoryStore()
    const pause = new AbortController()
    const watched: Store = {
      ...store,
      append: async (run, facts, driving) => {
        const result = await store.append(run, facts, driving)
        if (facts.some((fact) => fact.type === 'work.started')) pause.abort()
        return result
      },
    }
    const agent = agentThat(async ({ signal }) => ({ status: signal.aborted ? 'aborted' : 'finished' }), true)
    const loop = loopWith(watched, { agent })
    expect((await loop.run('r', { signal: pause.signal })).status).toBe('paused')
    const types = (await store.read('r')).map((event) => event.type)
    expect(types.at(-1)).toBe('run.paused')
    expect(types.lastIndexOf('work.started')).toBeLessThan(
      Math.max(types.lastIndexOf('work.abandoned'), types.lastIndexOf('work.finished')),
    )
  })

  it('RUN-217 one that starts a process all the same is a problem for a person', async () => {
    const agent = agentThat(async (context) => (await context.started(currentProcessIdentity()), { status: 'finished' }), true)
    expect(await loopWith(memoryStore(), { agent }).run('r')).toMatchObject({
      status: 'escalated',
      question: { text: expect.stringContaining('isInProcess') },
    })
  })
})
