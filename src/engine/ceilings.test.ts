import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Agent, WorkRequest, WorkResult } from '../agents/agent.ts'
import { agentReview } from '../checks/agent-review.ts'
import type { Check } from '../checks/check.ts'
import { maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { openLedger } from '../stores/sqlite-ledger.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { temporaryFolder } from '../../test/support/temporary-repository.ts'

const LIMITS = { dayUsd: 5 }

/** An agent that reports a dollar a call, and ends after so many calls. */
function spender(calls: number, seen: WorkRequest[] = []): Agent {
  return {
    spec: { name: 'spender', v: 1, settings: {} },
    work: async (request, context): Promise<WorkResult> => {
      await context.started()
      seen.push(request)
      let used = { costUsd: 0, tokens: 0 }
      for (let call = 1; call <= calls && !context.signal.aborted; call++) {
        used = { costUsd: call, tokens: 100 * call }
        context.report?.({ used, messages: call, actions: [], actionsCut: 0, words: '' })
        await new Promise((resolve) => setImmediate(resolve))
      }
      return context.signal.aborted ? { status: 'aborted', ...used } : { status: 'finished', ...used }
    },
  }
}

const failing: Check = {
  name: 'tests',
  spec: { name: 'custom', v: 1, settings: { name: 'tests' } },
  run: async () => ({ status: 'failed', failures: [{ id: 'a', message: 'wrong', kind: 'assertion' }] }),
}

function loopOf(path: string, agent: Agent, more: Partial<LoopOptions> = {}) {
  return createLoop({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(4)],
    agent,
    checks: [failing],
    workspace: memoryWorkspace({ a: '1' }),
    store: memoryStore(),
    ceilings: { path, ...LIMITS },
    ...more,
  })
}

describe('ceilings over all runs', () => {
  it('LIMIT-1 work that would pass one is not begun: Pawl asks, with the line that raises it', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spending.db')
    const seen: WorkRequest[] = []
    const loop = loopOf(path, spender(2, seen))
    expect(await loop.run('r')).toMatchObject({ status: 'escalated' })
    expect(seen).toHaveLength(2)
    // What is left is passed on to agents that can stop by themselves.
    expect(seen.map(({ costUsdMax }) => costUsdMax)).toEqual([5, 3])
    const asked = (await loop.events('r')).find(({ type }) => type === 'escalation.raised')
    expect(asked?.data).toMatchObject({
      question: {
        code: 'ceiling',
        text: expect.stringMatching(
          /^The ceiling of \$5\.00 a day for this project leaves too little: \$4\.00 spent; spender may need \$2\.00\.\nTo raise it, write in .*: ceilings: \{ day_usd: 10 \}\nThen: pawl answer r 1 --resume/,
        ),
      },
    })
    // Another run of the same ledger is refused too, and works if the ceiling is higher.
    expect(await loopOf(path, spender(2, seen)).run('other')).toMatchObject({ status: 'escalated' })
    expect(seen).toHaveLength(2)
    await loopOf(path, spender(2, seen), { ceilings: { path, dayUsd: 7 } }).run('third')
    expect(seen).toHaveLength(3)
  })

  it('LIMIT-2 work that reaches one while it is under way is ended, kept and checked', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spending.db')
    const loop = loopOf(path, spender(50))
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', costUsd: 5 })
    const events = await loop.events('r')
    const finished = events.filter(({ type }) => type === 'work.finished')
    expect(finished.map(({ data }) => data)).toMatchObject([
      { costUsd: 5, endedBy: { guard: 'ceiling', message: 'The ceiling of $5.00 a day for this project is reached.' } },
    ])
    expect(events.some(({ type }) => type === 'check.failed')).toBe(true)
  })

  it('LIMIT-3 what another run has reserved is waited for', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spending.db')
    const ledger = openLedger(path)
    const held = ledger.reserve({ run: 'first', agent: 'spender' }, LIMITS)
    const stop = new AbortController()
    const loop = loopOf(path, spender(2))
    const outcome = await loop.run('r', { signal: stop.signal, onEvent: ({ type }) => type === 'timer.set' && stop.abort() })
    expect(outcome.status).toBe('paused')
    const [waits] = (await loop.events('r')).flatMap(({ type, data }) => (type === 'timer.set' ? [data.message] : []))
    expect(waits).toMatch(/^Waiting for another run: The ceiling of .* \$5\.00 reserved.* It waits for 1 run: first\.$/)
    if ('id' in held) ledger.settle(held.id, { costUsd: 1, tokens: 1 })
    ledger.close()
  })

  it('LIMIT-4 a reviewer works under them too', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spending.db')
    const passing: Check = { ...failing, run: async () => ({ status: 'passed' }) }
    const workspace = memoryWorkspace({ a: '1' })
    const coder: Agent = {
      spec: { name: 'coder', v: 1, settings: {} },
      work: async (_request, context) => {
        await context.started()
        workspace.files.set('a', '2')
        return { status: 'finished', costUsd: 5, tokens: 1 }
      },
    }
    const critic = agentReview({ agent: spender(1) })
    const loop = loopOf(path, coder, { checks: [passing, critic], workspace })
    expect(await loop.run('r')).toMatchObject({ status: 'escalated' })
    const errored = (await loop.events('r')).find(({ type }) => type === 'check.errored')
    expect(errored?.data).toMatchObject({ message: expect.stringContaining('The ceiling of $5.00 a day') })
  })

  it('LIMIT-5 without a usable ledger nothing begins', async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'spending.db')
    await writeFile(path, 'no database at all, and longer than a header of SQLite would be, to be sure of it')
    const seen: WorkRequest[] = []
    const loop = loopOf(path, spender(1, seen))
    expect(await loop.run('r')).toMatchObject({ status: 'escalated', message: expect.stringContaining("can't be used") })
    expect(seen).toEqual([])
  })

  it('LIMIT-6 an agent without ceilings works as before', async () => {
    const seen: WorkRequest[] = []
    const loop = createLoop({
      loop: taskLoop({ goal: 'g', baseline: false }),
      agent: spender(2, seen),
      checks: [failing],
      workspace: memoryWorkspace({ a: '1' }),
      store: memoryStore(),
      guards: [maxIterations(1)],
    })
    await loop.run('r')
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toHaveProperty('costUsdMax')
  })
})
