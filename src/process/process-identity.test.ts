import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { currentProcessIdentity, identityOf, isProcessAlive } from './process-identity.ts'
import { PLAIN_ENVIRONMENT, until } from '../../test/support/process-support.ts'
import { readProcess } from './process-table.ts'

function startSleeper() {
  const child = spawn('sleep', ['30'], { env: PLAIN_ENVIRONMENT, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, pid: child.pid ?? 0 }
}

test('PROC-1 a process knows itself as alive, always by the same identity', () => {
  expect(currentProcessIdentity()).toEqual(currentProcessIdentity())
  expect(currentProcessIdentity()).toMatchObject({ pid: process.pid, host: hostname() })
  expect(isProcessAlive(currentProcessIdentity())).toBe(true)
})

test('PROC-1 a process that has ended is not alive and has no identity', async () => {
  const { child, pid } = startSleeper()
  const identity = identityOf(pid)
  expect(identity && isProcessAlive(identity)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(identity && isProcessAlive(identity)).toBe(false)
  expect(identityOf(pid)).toBeUndefined()
})

test('PROC-1 another process with the same pid is not taken for the recorded one', () => {
  const identity = currentProcessIdentity()
  expect(isProcessAlive({ ...identity, startedAt: `${identity.startedAt}0` })).toBe(false)
  expect(isProcessAlive({ ...identity, startedAt: 'nonsense' })).toBe(false)
})

test.runIf(process.platform === 'linux')('PROC-1 the same pid and start time before a reboot is another process', () => {
  const identity = currentProcessIdentity()
  const [, ...rest] = identity.startedAt.split('/')
  expect(isProcessAlive({ ...identity, startedAt: ['00000000-0000-0000-0000-000000000000', ...rest].join('/') })).toBe(false)
})

test('PROC-2 whether a process of another host is alive is unknown', () => {
  expect(isProcessAlive({ ...currentProcessIdentity(), host: 'another-host' })).toBe('unknown')
})

test.runIf(process.platform === 'linux')(
  'PROC-2 whether a process of another container under the same host name is alive is unknown',
  () => {
    const identity = currentProcessIdentity()
    const [boot, , ticks] = identity.startedAt.split('/')
    expect(isProcessAlive({ ...identity, startedAt: [boot, '1', ticks].join('/') })).toBe('unknown')
  },
)

test.runIf(process.platform === 'linux')('PROC-1 a zombie is not alive', async () => {
  // The shell becomes a program that never asks after its children, so the one it started stays a zombie.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 30'], {
    env: PLAIN_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(line.toString())
  await until(() => readProcess(pid)?.isZombie)
  const identity = identityOf(pid)
  expect(identity && isProcessAlive(identity)).toBe(false)
})
