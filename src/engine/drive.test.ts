import { describe, expect, it } from 'vitest'
import type { Fact } from '../core/event.ts'
import { maxIterations } from '../guards/index.ts'
import { memoryDisk, memoryStore } from '../stores/memory-store.ts'
import { redactText } from '../secrets/filter.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Check, CheckResult } from '../checks/check.ts'
import type { EffectContext } from '../process/effect-context.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { plantedSecrets } from '../testing/planted-secrets.ts'

const failing: CheckResult = { status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }

function agentThat(work: (context: EffectContext, iteration: number) => Promise<WorkResult>): Agent {
  return {
    spec: { name: 'custom', v: 1, settings: {} },
    work: async ({ iteration }, context) => {
      await context.started()
      return work(context, iteration)
    },
  }
}

const brokenListener = (): never => {
  throw new Error('the listener broke')
}

const quick = agentThat(async () => ({ status: 'finished' }))

function checkThat(run: () => Promise<CheckResult>): Check {
  return {
    name: 'tests',
    spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
    run: async (_request, context) => (await context.started(), run()),
  }
}

/** A loop in memory whose agent changes a file each time and whose check fails, unless told otherwise. */
function loopWith(change: Partial<LoopOptions> = {}) {
  const workspace = memoryWorkspace({ a: '0' })
  const store = memoryStore()
  const options: LoopOptions = {
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(2)],
    agent: agentThat(async (_context, iteration) => (workspace.files.set('a', String(iteration)), { status: 'finished' })),
    checks: [checkThat(async () => failing)],
    workspace,
    store,
    ...change,
  }
  return { ...createLoop(options), store, workspace, options }
}

const until = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

describe('drive', () => {
  it('RUN-2 running a known id is resuming it; a run that is stopped gets no new fact', async () => {
    const loop = loopWith()
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 2 })
    const before = await loop.events('r')
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 2 })
    expect(await loop.events('r')).toEqual(before)
  })

  it('RUN-3 answer, then run again: the limit is raised and the run continues', async () => {
    const loop = loopWith()
    await loop.run('r')
    await loop.answer('r', { choice: '1', note: 'look closer' })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 5 })
    await expect(loop.answer('r', { choice: '9' })).rejects.toThrow(
      '"9" is not an answer to run r; it takes 1 (continue), 2 (accept), 3 (abort).',
    )
    await loop.answer('r', { choice: 'accept' })
    expect(await loop.run('r')).toMatchObject({ status: 'completed' })
    await expect(loop.answer('r', { choice: '1' })).rejects.toThrow('Run r asks nothing; it is completed.')
  })

  it('RUN-4 a second driver learns who holds the run', async () => {
    const started = Promise.withResolvers<void>()
    const loop = loopWith({
      agent: agentThat(async ({ signal }) => (started.resolve(), await until(signal), { status: 'aborted' })),
    })
    const pause = new AbortController()
    const first = loop.run('r', { signal: pause.signal })
    await started.promise
    expect(await loop.run('r')).toMatchObject({ status: 'held', run: 'r', holder: { pid: process.pid } })
    pause.abort()
    expect(await first).toMatchObject({ status: 'paused' })
  })

  it('RUN-5 pausing abandons the work under way and undoes it, so that what changes meanwhile is a person’s and stays', async () => {
    const started = Promise.withResolvers<void>()
    let lives = 0
    const workspace = memoryWorkspace({ a: '0' })
    const agent = agentThat(async ({ signal }) => {
      if (++lives > 1) return (workspace.files.set('a', 'done'), { status: 'finished' })
      workspace.files.set('a', 'half')
      started.resolve()
      await until(signal)
      return { status: 'aborted' }
    })
    const loop = loopWith({
      agent,
      workspace,
      checks: [checkThat(async () => ({ status: 'passed' }))],
      proof: { require: 'unproven' },
    })
    const pause = new AbortController()
    const first = loop.run('r', { signal: pause.signal })
    await started.promise
    pause.abort()
    expect((await first).status).toBe('paused')
    const types = (await loop.events('r')).map((event) => event.type)
    expect(types.slice(-3)).toEqual(['work.abandoned', 'workspace.restored', 'run.paused'])
    expect(workspace.files.get('a')).toBe('0')
    workspace.files.set('mine', 'mine')
    expect((await loop.run('r')).status).toBe('completed')
    expect([...workspace.files]).toEqual([
      ['a', 'done'],
      ['mine', 'mine'],
    ])
  })

  it('RUN-6 an abort from elsewhere ends the work at once', async () => {
    const disk = memoryDisk()
    const started = Promise.withResolvers<void>()
    const agent = agentThat(async ({ signal }) => (started.resolve(), await until(signal), { status: 'aborted' }))
    const loop = loopWith({ agent, store: memoryStore({ disk }) })
    const elsewhere = loopWith({ store: memoryStore({ disk }) })
    const first = loop.run('r', { pollMs: 5 })
    await started.promise
    await elsewhere.abort('r', 'wrong branch')
    expect(await first).toMatchObject({ status: 'aborted', message: 'wrong branch' })
  })

  it('RUN-7 facts of people that arrive meanwhile are kept, and what was concluded is concluded again', async () => {
    const disk = memoryDisk()
    const elsewhere = memoryStore({ disk })
    const waive: Fact = { type: 'guard.waived', at: Date.now(), by: { role: 'person' }, data: { guard: 'maxIterations' } }
    const checks = [checkThat(async () => (await elsewhere.append('r', [waive]), failing))]
    const loop = loopWith({ checks, store: memoryStore({ disk }), guards: [maxIterations(1)] })
    const pause = new AbortController()
    const result = await loop.run('r', {
      signal: pause.signal,
      onEvent: (event) => event.type === 'iteration.started' && event.data.iteration === 3 && pause.abort(),
    })
    expect(result.status).toBe('paused')
    const events = await loop.events('r')
    expect(events.filter((event) => event.type === 'guard.waived').length).toBeGreaterThanOrEqual(2)
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  })

  it('RUN-8 a person who is there is asked; one who leaves keeps the question open', async () => {
    const asked: string[] = []
    const person = {
      ask: async (_run: string, question: { text: string }) => (
        asked.push(question.text),
        asked.length < 2 ? { choice: 'continue' } : undefined
      ),
    }
    const loop = loopWith({ person })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 5 })
    expect(asked).toHaveLength(2)
  })

  it('RUN-113 interrupted while a person is asked, the question stays open and nothing goes past it', async () => {
    const pause = new AbortController()
    const person = {
      ask: async (_run: string, _question: unknown, signal: AbortSignal) => (pause.abort(), await until(signal), undefined),
    }
    const loop = loopWith({ person })
    const asked = await loop.run('r', { signal: pause.signal })
    expect(asked.status).toBe('escalated')
    expect((await loop.events('r')).at(-1)?.type).toBe('escalation.raised')
    expect(await loop.run('r', { signal: AbortSignal.abort() })).toEqual(asked)
  })

  it('RUN-9 a driver that throws is a problem for a person, not a failed attempt', async () => {
    const agent = agentThat(async () => Promise.reject(new Error('no socket')))
    const loop = loopWith({ agent })
    const outcome = await loop.run('r')
    expect(outcome).toMatchObject({
      status: 'escalated',
      iterations: 0,
      question: { text: expect.stringContaining('no socket') },
    })
  })

  it.each([
    ['a plain line', 'at work'],
    ['a line with a secret', `at work with ${plantedSecrets()[0]?.text}`],
  ])('RUN-218 a listener that throws on %s ends the call with its error, and the run can continue', async (_what, line) => {
    const agent = agentThat(async ({ progress, signal }) => (progress(line), await until(signal), { status: 'aborted' }))
    const loop = loopWith({ agent })
    await expect(loop.run('r', { onProgress: brokenListener })).rejects.toThrow('the listener broke')
    const events = await loop.events('r')
    expect(events.at(-1)).toMatchObject({ type: 'run.paused', data: { reason: 'the listener broke' } })
    expect(events.filter(({ type }) => type === 'work.failed')).toEqual([])
    expect(await createLoop({ ...loop.options, agent: quick }).run('r')).toMatchObject({ status: 'escalated', iterations: 2 })
  })

  it('RUN-219 reports nothing once the run is over, not even a line that was still being scanned', async () => {
    const lines: string[] = []
    const [secret] = plantedSecrets()
    const agent = agentThat(async ({ progress }) => (progress(`at work with ${secret?.text}`), { status: 'finished' }))
    const loop = loopWith({ agent, guards: [maxIterations(1)] })
    await loop.run('r', { onProgress: ({ line }) => void lines.push(line) })
    const toldUntilThen = lines.length
    await redactText(`at work with ${secret?.text}`)
    await new Promise((resolve) => setImmediate(resolve))
    expect(lines).toHaveLength(toldUntilThen)
  })

  it('RUN-10 a workspace that fails pauses the run with the reason, and it can continue after', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    let isBroken = true
    const broken = {
      ...workspace,
      observe: async (...words: Parameters<typeof workspace.observe>) =>
        isBroken ? Promise.reject(new Error('disk on fire')) : workspace.observe(...words),
    }
    const loop = loopWith({ workspace: broken })
    await expect(loop.run('r')).rejects.toThrow('disk on fire')
    expect(await loop.outcome('r')).toMatchObject({ status: 'paused', message: 'disk on fire' })
    isBroken = false
    expect((await loop.run('r')).status).toBe('escalated')
  })

  it('RUN-11 another configuration in the program is a fact, and a raised limit lets a run continue', async () => {
    const loop = loopWith()
    await loop.run('r')
    const higher = createLoop({ ...loop.options, guards: [maxIterations(4)] })
    expect(await higher.run('r')).toMatchObject({ status: 'escalated', iterations: 4 })
    expect((await loop.events('r')).filter((event) => event.type === 'run.reconfigured')).toMatchObject([
      { data: { message: 'Changed: guards.' } },
    ])
  })

  it('RUN-12 wrong options throw at construction', async () => {
    expect(() => loopWith({ checks: [] })).toThrow('A loop needs at least one check')
    expect(() => loopWith().run('../x')).toThrow('cannot be the name of a run')
    await expect(loopWith().answer('nope', { choice: '1' })).rejects.toThrow('There is no run "nope": there are no runs yet.')
  })
})
