import { once } from 'node:events'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentReview } from '../checks/agent-review.ts'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import { actionOf } from '../core/action.ts'
import type { Guard } from '../core/guard.ts'
import { budget, idle, iterationBudget, ladder, maxIterations, repeatedAction, spinningText } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import type { EffectContext, WorkReport } from '../process/effect-context.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { temporaryFolder } from '../../test/support/temporary-repository.ts'
import { guardFrom } from '../guards/guard-from.ts'
import { systemClock } from '../process/clock.ts'
import { stateAfter } from '../testing/state-builder.ts'
import type { Parts, Progress } from './parts.ts'
import { watchedContext } from './watch-work.ts'

const NOTHING: WorkReport = { used: {}, messages: 0, actions: [], actionsCut: 0, words: '' }
const CALLS_MAX = 200

interface Turn {
  readonly call: number
  readonly request: WorkRequest
  readonly context: EffectContext
}

/** An agent that makes one step after another until it is ended, and reports each. */
function runaway(step: (turn: Turn) => Partial<WorkReport> | Promise<Partial<WorkReport>>) {
  const seen = { calls: 0, requests: [] as WorkRequest[], warnings: [] as string[] }
  const agent: Agent = {
    spec: { name: 'custom', v: 1, settings: {} },
    work: async (request, context): Promise<WorkResult> => {
      await context.started()
      seen.requests.push(request)
      let report = NOTHING
      for (let call = 1; call <= CALLS_MAX && !context.signal.aborted; call++) {
        seen.calls++
        report = { ...report, messages: call, ...(await step({ call, request, context })) }
        context.report?.(report)
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { used, actions, words } = report
      const details = { ...used, ...(actions.length === 0 ? {} : { actions }), ...(words === '' ? {} : { words }) }
      return context.signal.aborted ? { status: 'aborted', ...details } : { status: 'finished', ...details }
    },
  }
  return { agent, seen }
}

const failing: Check = {
  name: 'tests',
  spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
  run: async () => ({ status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }),
}

function loopWith(agent: Agent, guards: readonly Guard[], more: Partial<LoopOptions> = {}, iterations = 1) {
  return createLoop({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(iterations), ...guards],
    agent,
    checks: [failing],
    workspace: memoryWorkspace({ a: '0' }),
    store: memoryStore(),
    ...more,
  })
}

async function finishedIn(loop: ReturnType<typeof loopWith>) {
  const events = await loop.events('r')
  return events.flatMap((event) => (event.type === 'work.finished' ? [event.data] : []))
}

describe('a budget while the agent works', () => {
  it.each([
    ['money', budget({ costUsdMax: 1 }), 'cost', 10],
    ['tokens', budget({ tokensMax: 500 }), 'tokens', 5],
    ['money of one iteration', iterationBudget({ costUsdMax: 0.5 }), 'cost', 5],
    ['messages of one iteration', iterationBudget({ messagesMax: 7 }), 'messages', 7],
  ])('DRIVE-65 ends the work at the report that reaches the limit: %s', async (_name, guard, topic, calls) => {
    const { agent, seen } = runaway(({ call }) => ({ used: { costUsd: call / 10, tokens: call * 100 } }))
    const loop = loopWith(agent, [guard])
    await loop.run('r')
    expect(seen.calls).toBe(calls)
    const [work] = await finishedIn(loop)
    expect(work?.endedBy).toMatchObject({ guard: guard.spec.name, topic, severity: 'trip' })
    expect(work).toMatchObject({ tokens: calls * 100 })
    const types = (await loop.events('r')).map(({ type }) => type)
    expect(types).toContain('workspace.observed')
    expect(types).toContain('check.failed')
    expect(types).not.toContain('work.abandoned')
  })

  it('DRIVE-66 work that passes its checks over the limit is a success', async () => {
    const workspace = memoryWorkspace({ a: '0' })
    const { agent } = runaway(({ call }) => {
      workspace.files.set('a', '1')
      return { used: { costUsd: call } }
    })
    const passing: Check = {
      ...failing,
      run: async () => (workspace.files.get('a') === '1' ? { status: 'passed' } : failing.run({} as never, {} as never)),
    }
    const loop = loopWith(agent, [budget({ costUsdMax: 3 })], { loop: taskLoop({ goal: 'g' }), workspace, checks: [passing] })
    expect(await loop.run('r')).toMatchObject({ status: 'completed', costUsd: 3 })
    expect((await finishedIn(loop))[0]?.endedBy).toMatchObject({ guard: 'budget' })
  })

  it('DRIVE-67 a limit of one iteration ends the work and not the run, and the next brief says why', async () => {
    const { agent, seen } = runaway(({ call }) => ({ used: { costUsd: call } }))
    const loop = loopWith(agent, [iterationBudget({ costUsdMax: 3 })], {}, 2)
    await loop.run('r')
    expect(seen.requests).toHaveLength(2)
    expect(seen.requests[1]?.brief).toContain('One iteration took $3.00; the limit is $3.00.')
  })

  it('DRIVE-68 the agent gets the money that is left as its limit, and 80% of a budget warns while it works', async () => {
    const { agent, seen } = runaway(({ call }) => ({ used: { costUsd: call } }))
    const loop = loopWith(agent, [budget({ costUsdMax: 10 }), iterationBudget({ costUsdMax: 50 })])
    await loop.run('r')
    expect(seen.requests[0]?.costUsdMax).toBe(10)
    const types = (await loop.events('r')).map(({ type }) => type)
    expect(types.indexOf('budget.warned')).toBeGreaterThan(types.indexOf('work.started'))
    expect(types.indexOf('budget.warned')).toBeLessThan(types.indexOf('work.finished'))
    expect(types.filter((type) => type === 'budget.warned')).toHaveLength(1)
  })

  it('DRIVE-69 an agent that stops at the limit by itself is recorded in the same way', async () => {
    const agent: Agent = {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async (_request, context) => {
        await context.started()
        return { status: 'finished', isAtLimit: true, costUsd: 2.01, tokens: 10 }
      },
    }
    const loop = loopWith(agent, [budget({ costUsdMax: 2 })])
    expect(await loop.run('r')).toMatchObject({ status: 'stopped' })
    expect((await finishedIn(loop))[0]).toMatchObject({ costUsd: 2.01, endedBy: { guard: 'budget', topic: 'cost' } })
  })

  it('DRIVE-70 a reviewer over the budget is ended, and a person is asked', async () => {
    const { agent: reviewer, seen } = runaway(({ call }) => ({ used: { costUsd: call } }))
    const worker: Agent = {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async (_request, context) => {
        await context.started()
        return { status: 'finished', costUsd: 1 }
      },
    }
    const passing: Check = { ...failing, run: async () => ({ status: 'passed' }) }
    const review = agentReview({ agent: reviewer })
    const loop = loopWith(worker, [budget({ costUsdMax: 4 })], { checks: [passing, review] })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated' })
    expect(seen.calls).toBe(3)
    expect(seen.requests[0]?.costUsdMax).toBe(3)
    const errored = (await loop.events('r')).find(({ type }) => type === 'check.errored')
    expect(errored?.data).toMatchObject({
      message: expect.stringContaining('The reviewer was ended: The cost budget is used up'),
    })
  })

  it('DRIVE-71 what it uses is shown as it grows', async () => {
    const { agent } = runaway(({ call }) => ({ used: { costUsd: call, tokens: call } }))
    const shown: Progress[] = []
    await loopWith(agent, [budget({ costUsdMax: 3 })]).run('r', { onProgress: (progress) => shown.push(progress) })
    expect(shown.map(({ used }) => used?.costUsd)).toEqual([1, 2, 3])
  })

  it('DRIVE-83 agents that work side by side share what is left', () => {
    const inFlight = new Map([['1/coder:other/0', { costUsd: 2 }]])
    const over = new AbortController()
    const plain = { signal: over.signal, started: async () => undefined, progress: () => undefined }
    const parts = { clock: systemClock, definition: { guard: guardFrom }, workspace: memoryWorkspace() } as unknown as Parts
    const before = stateAfter([])
    const state = { ...before, config: { ...before.config, guards: [budget({ costUsdMax: 3 }).spec] } }
    const performance = { parts, state, cwd: '/', signal: over.signal, post: async () => undefined, inFlight }
    const { context, end } = watchedContext(plain, { key: '1/coder:me/0' }, performance)
    context.report?.({ ...NOTHING, used: { costUsd: 0.9 } })
    expect(context.signal.aborted).toBe(false)
    context.report?.({ ...NOTHING, used: { costUsd: 1 } })
    expect(context.signal.aborted).toBe(true)
    return expect(end()).resolves.toMatchObject({ guard: 'budget' })
  })

  it('DRIVE-72 a pause is a pause, whatever it used', async () => {
    const pause = new AbortController()
    const { agent } = runaway(async ({ call, context }) => {
      if (call < 2) return {}
      const stopped = once(context.signal, 'abort')
      pause.abort()
      await stopped
      return { used: { costUsd: 9 } }
    })
    const loop = loopWith(agent, [budget({ costUsdMax: 3 })])
    expect(await loop.run('r', { signal: pause.signal })).toMatchObject({ status: 'paused' })
    expect((await loop.events('r')).map(({ type }) => type)).toContain('work.abandoned')
  })
})

const action = (command: string, response: string) => actionOf({ name: 'shell', input: { command }, response })

/** Every call so far. */
function callsOf(make: (call: number) => ReturnType<typeof action>) {
  return ({ call }: Turn) => ({ actions: Array.from({ length: call }, (_, index) => make(index + 1)) })
}

async function nudgesIn(loop: ReturnType<typeof loopWith>) {
  const events = await loop.events('r')
  return events.flatMap((event) => (event.type === 'guard.nudged' ? [event.data.guard] : []))
}

describe('guards while the agent works', () => {
  it('DRIVE-73 the same call with the same result warns once, and thirty of them end the work', async () => {
    const { agent, seen } = runaway(callsOf(() => action('npm test', 'same')))
    const loop = loopWith(agent, [repeatedAction()])
    await loop.run('r')
    expect(seen.calls).toBeGreaterThanOrEqual(30)
    expect(seen.calls).toBeLessThan(40)
    expect((await finishedIn(loop))[0]?.endedBy).toMatchObject({ guard: 'repeatedAction', severity: 'trip' })
    expect(await nudgesIn(loop)).toEqual(['repeatedAction'])
  })

  it.each([
    ['that brings something new', callsOf((call) => action('git status', `state ${call}`))],
    ['of a tool that waits', callsOf(() => action('sleep 5', 'same'))],
    ['that has no result', callsOf(() => actionOf({ name: 'shell', input: { command: 'npm test' } }))],
  ])('DRIVE-74 a call %s never counts', async (_name, step) => {
    const { agent, seen } = runaway(step)
    const loop = loopWith(agent, [repeatedAction({ severity: 'trip' })])
    await loop.run('r')
    expect(seen.calls).toBe(CALLS_MAX)
    expect(await nudgesIn(loop)).toEqual([])
  })

  it('DRIVE-75 the same call is no repetition while files change', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'log.txt'), '')
    const { agent, seen } = runaway(async (turn) => {
      // A shell edits without saying so.
      if (turn.call <= 15) await appendFile(join(turn.request.cwd, 'log.txt'), `${turn.call}\n`)
      await new Promise((resolve) => setTimeout(resolve, 15))
      return callsOf(() => action('./next.sh', ''))(turn)
    })
    const loop = loopWith(agent, [repeatedAction({ severity: 'trip' })], { workspace: folderWorkspace({ path: folder.path }) })
    await loop.run('r')
    expect((await readFile(join(folder.path, 'log.txt'), 'utf8')).split('\n')).toHaveLength(16)
    expect(seen.calls).toBeGreaterThan(15)
    expect(seen.calls).toBeLessThan(CALLS_MAX)
    expect((await finishedIn(loop))[0]?.endedBy).toMatchObject({ guard: 'repeatedAction' })
  })

  it('DRIVE-76 an agent that can read warnings gets them while it works', async () => {
    const { agent, seen } = runaway((turn) => {
      if (turn.call === 1) turn.context.onWarning?.((warning) => seen.warnings.push(warning))
      return seen.warnings.length === 0 ? callsOf(() => action('npm test', 'same'))(turn) : { actions: [] }
    })
    await loopWith(agent, [repeatedAction()]).run('r')
    expect(seen.warnings).toEqual([expect.stringContaining('The same action with the same result')])
  })

  it('DRIVE-77 words that go round in circles end the work when there is no doubt', async () => {
    const text = 'I should look at the file once more before I change anything in it. '
    const { agent, seen } = runaway(async ({ call }) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { words: text.repeat(call * 10) }
    })
    const loop = loopWith(agent, [spinningText()])
    await loop.run('r')
    expect(seen.calls).toBeLessThan(CALLS_MAX)
    expect((await finishedIn(loop))[0]?.endedBy).toMatchObject({ guard: 'spinningText', severity: 'trip' })
  })

  it.each([
    ['warn', [] as string[]],
    ['trip', ['idle']],
  ] as const)('DRIVE-78 without output and without a changed file, idle holds: %s', async (severity, ended) => {
    const { agent } = runaway(async ({ call, context }) => {
      if (call > 1) return {}
      const late = AbortSignal.any([context.signal, AbortSignal.timeout(2500)])
      await once(late, 'abort')
      return {}
    })
    const loop = loopWith(agent, [idle({ quietMsMax: 500, severity })])
    await loop.run('r')
    expect((await finishedIn(loop)).flatMap(({ endedBy }) => (endedBy ? [endedBy.guard] : []))).toEqual(ended)
    expect(await nudgesIn(loop)).toEqual(severity === 'warn' ? ['idle'] : [])
  })

  it('DRIVE-79 an agent that writes files is not idle', async () => {
    await using folder = await temporaryFolder()
    const { agent } = runaway(async ({ call, request }) => {
      if (call > 1) return {}
      for (let round = 0; round < 25; round++) {
        await writeFile(join(request.cwd, 'out.txt'), String(round))
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      return {}
    })
    const loop = loopWith(agent, [idle({ quietMsMax: 1000, severity: 'trip' })], {
      workspace: folderWorkspace({ path: folder.path }),
    })
    await loop.run('r')
    expect((await finishedIn(loop))[0]?.endedBy).toBeUndefined()
  })

  it('DRIVE-80 a guard on a ladder warns while the agent works', async () => {
    const { agent } = runaway(({ call }) =>
      call > 9 ? { actions: [] } : callsOf(() => action('npm test', 'same'))({ call } as Turn),
    )
    const loop = loopWith(agent, [ladder(repeatedAction({ severity: 'trip' }))])
    await loop.run('r')
    expect(await nudgesIn(loop)).toEqual(['repeatedAction'])
    expect((await finishedIn(loop))[0]?.endedBy).toBeUndefined()
  })
})
