import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { sqliteStore } from './sqlite-store.ts'
import { judgeClaim } from './store-rules.ts'

const holder = { pid: 1, startedAt: 'then', host: 'here' }
const claim = { epoch: 1, holder, since: 0, renewedAt: 1_000_000, renewedUpMs: 5000, isReleased: false }
const HOUR_MS = 3_600_000

test.each([
  ['a clock that jumped forward', { now: 1_000_000 + HOUR_MS, upMs: 6000, alive: true }, 'held'],
  ['a clock that jumped back, with a holder that is stuck', { now: 1_000_000 - HOUR_MS, upMs: 66_000, alive: true }, 'free'],
  ['a holder that is stuck', { now: 1_061_000, upMs: 66_000, alive: true }, 'free'],
  ['a holder that is dead', { now: 1_000_000, upMs: 5001, alive: false }, 'free'],
  ['a holder on another machine, whose own time nobody knows', { now: 1_061_000, upMs: 5001, alive: 'unknown' }, 'free'],
  ['a machine that was started again', { now: 1_000_000, upMs: 10, alive: true }, 'held'],
] as const)('SAFE-17 %s', (_what, { now, upMs, alive }, status) => {
  expect(judgeClaim(claim, { now, upMs, leaseMs: 60_000, isAlive: () => alive }).status).toBe(status)
})

test('SAFE-17 a clock that jumps takes no run from a living holder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-jump-'))
  onTestFinished(() => {
    vi.useRealTimers()
    rmSync(folder, { recursive: true, force: true })
  })
  const [one, other] = [0, 1].map(() => sqliteStore({ path: join(folder, 'pawl.db') }))
  await one?.claim('r', currentProcessIdentity())
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + HOUR_MS)
  expect(await other?.claim('r', currentProcessIdentity())).toMatchObject({ status: 'held' })
  expect(await other?.holder('r')).toMatchObject({ pid: process.pid })
  await Promise.all([one?.close(), other?.close()])
})
