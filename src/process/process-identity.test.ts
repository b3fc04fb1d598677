import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { PLAIN_ENVIRONMENT, until } from '../../test/support/process-support.ts'
import { currentProcessIdentity, identityOf, isProcessAlive, lineageOf, processAround, readProcess } from './process-identity.ts'

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

function parentIdentity() {
  const parent = identityOf(process.ppid)
  if (!parent) throw new Error('the parent of this process cannot be seen')
  return parent
}

test('PROC-34 a process works for itself and for those it descends from, and for nobody else', () => {
  const child = spawn('sleep', ['30'], { env: PLAIN_ENVIRONMENT, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const other = identityOf(child.pid ?? 0)
  if (!other) throw new Error('the child cannot be seen')
  const [self, parent] = [currentProcessIdentity(), parentIdentity()]
  expect(processAround([other, self])).toBe(self)
  expect(processAround([other, parent])).toBe(parent)
  expect(processAround([other])).toBeUndefined()
  expect(processAround([])).toBeUndefined()
})

test('PROC-34 one that is not the recorded process any more, or of another host, is nobody to work for', () => {
  const parent = parentIdentity()
  expect(processAround([{ ...parent, startedAt: `${parent.startedAt}0` }])).toBeUndefined()
  expect(processAround([{ ...parent, host: 'another-host' }])).toBeUndefined()
})

test('PROC-34 a lineage begins with the process and goes up from parent to parent', () => {
  const lineage = lineageOf(process.pid)
  expect(lineage[0]?.pid).toBe(process.pid)
  expect(lineage[1]?.pid).toBe(process.ppid)
  expect(lineage.slice(1).map(({ pid }) => pid)).toEqual(lineage.slice(0, -1).map(({ parent }) => parent))
  expect(lineageOf(2 ** 30)).toEqual([])
})
