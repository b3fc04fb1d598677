import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { customAgent } from '../agents/custom-agent.ts'
import { customCheck } from '../checks/custom.ts'
import { budget, maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { createLoop } from '../surfaces/library/create-loop.ts'
import { memoryWorkspace } from '../testing/memory-parts.ts'
import { steadyClock } from './clock.ts'

const HOUR_MS = 3_600_000

afterEach(() => vi.useRealTimers())

/** Sets the machine's time, for this process; timers and the steady clock continue. */
function jump(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + byMs)
}

test.each([2 * HOUR_MS, -2 * HOUR_MS])('SAFE-16 a clock that jumps by %d ms neither ends nor prolongs a wait', async (byMs) => {
  const clock = steadyClock()
  const before = clock.now()
  const until = before + 60
  jump(byMs)
  expect(clock.now() - before).toBeLessThan(HOUR_MS)
  expect(clock.now()).toBeGreaterThanOrEqual(before)
  await clock.sleepUntil(until, AbortSignal.timeout(30_000))
  expect(clock.now()).toBeGreaterThanOrEqual(until)
  expect(clock.now() - until).toBeLessThan(HOUR_MS)
})

test.each([
  { byMs: 2 * HOUR_MS, durationMsMax: HOUR_MS, workMs: 1, stops: false },
  { byMs: -2 * HOUR_MS, durationMsMax: 50, workMs: 150, stops: true },
])('SAFE-16 a clock that jumps neither trips nor frees a budget: %o', async ({ byMs, durationMsMax, workMs, stops }) => {
  let attempts = 0
  const loop = createLoop({
    loop: taskLoop({ goal: 'Three attempts', baseline: false }),
    guards: [maxIterations(3), budget({ durationMsMax })],
    agent: customAgent({
      name: 'jumping',
      work: async () => {
        attempts++
        jump(byMs)
        await sleep(workMs)
      },
    }),
    checks: [customCheck({ name: 'never', validatorId: 'never', validate: () => false })],
    workspace: memoryWorkspace(),
    store: memoryStore(),
  })
  await loop.run('r')
  expect(attempts).toBe(stops ? 1 : 3)
})
