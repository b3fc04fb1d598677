import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup, GROUP_VARIABLE, groupMark } from './end-process-group.ts'
import { currentProcessIdentity, identityOf } from './process-identity.ts'
import { isRunning, numbersIn, PLAIN_ENVIRONMENT, temporaryFolder, textOf, until } from './test-support.ts'

/** A group led by a shell that runs `line` and writes pids into the file `pids`. */
function startGroup(line: string) {
  const pids = join(temporaryFolder(), 'pids')
  const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: 'ignore', env: { ...PLAIN_ENVIRONMENT, pids } })
  const identity = identityOf(child.pid ?? 0)
  if (identity === undefined) throw new Error('the shell is not there')
  return { child, identity, pids }
}

function endAfterTest(pid: number): void {
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
}

test('PROC-3 the leader and all that it started are ended', async () => {
  const { identity, pids } = startGroup('sleep 30 & echo $! >>$pids; (sleep 30 & echo $! >>$pids; wait) & echo $! >>$pids; wait')
  const members = await numbersIn(pids, 3)
  expect(await endProcessGroup(identity)).toBe('ended')
  expect([identity.pid, ...members].filter(isRunning)).toEqual([])
})

test('PROC-3 a group that ignores SIGTERM is killed after the grace', async () => {
  const { identity, pids } = startGroup("trap '' TERM; sleep 30 & echo $! >>$pids; echo $$ >>$pids; wait; sleep 30")
  const members = await numbersIn(pids, 2)
  expect(await endProcessGroup(identity, { graceMs: 100 })).toBe('ended')
  expect(members.filter(isRunning)).toEqual([])
})

test('PROC-3 a group that is gone is already gone', async () => {
  const { child, identity } = startGroup('exit 0')
  await once(child, 'exit')
  expect(await endProcessGroup(identity)).toBe('already-gone')
})

test('PROC-4 a group whose leader is another process than the recorded one is not touched', async () => {
  const { identity, pids } = startGroup('echo $$ >>$pids; exec sleep 30')
  endAfterTest(identity.pid)
  await numbersIn(pids, 1)
  expect(await endProcessGroup({ ...identity, startedAt: `${identity.startedAt}0` })).toBe('already-gone')
  expect(await endProcessGroup({ ...identity, host: 'another-host' })).toBe('left-alone')
  expect(isRunning(identity.pid)).toBe(true)
})

test.each([0, 1, -1, 1.5, Number.NaN])('PROC-4 pid %s is never signalled: it would mean others than the group', async (pid) => {
  expect(await endProcessGroup({ ...currentProcessIdentity(), pid })).toBe('left-alone')
})

/** A group whose leader is dead and of which one process is left, with further variables in its environment. */
async function leaveOrphan(environment: (leader: ProcessIdentity) => string) {
  // The mark holds the leader's identity, so the leader waits for a file with it.
  const file = join(temporaryFolder(), 'environment')
  const { child, identity, pids } = startGroup(
    `until [ -e ${file} ]; do sleep 0.02; done; . ${file}; sleep 30 & echo $! >>$pids; wait`,
  )
  writeFileSync(`${file}.new`, environment(identity))
  renameSync(`${file}.new`, file)
  const [orphan = 0] = await numbersIn(pids, 1)
  endAfterTest(orphan)
  // Only once it has become `sleep` does it show the environment it was given.
  await until(() => process.platform !== 'linux' || textOf(`/proc/${orphan}/cmdline`).startsWith('sleep'))
  child.kill('SIGKILL')
  await once(child, 'exit')
  return { identity, orphan }
}

test.runIf(process.platform === 'linux')(
  'PROC-5 what a dead leader left behind is ended when it bears the mark of the group',
  async () => {
    const { identity, orphan } = await leaveOrphan((leader) => `export ${GROUP_VARIABLE}=${groupMark(leader)}`)
    expect(await endProcessGroup(identity)).toBe('ended')
    expect(isRunning(orphan)).toBe(false)
  },
)

test('PROC-5 what a dead leader left behind is left alone when nothing proves whose it is', async () => {
  const { identity, orphan } = await leaveOrphan(() => '')
  expect(await endProcessGroup(identity)).toBe('left-alone')
  expect(isRunning(orphan)).toBe(true)
  expect(await endProcessGroup(identity, { leaderJustExited: true })).toBe('ended')
  expect(isRunning(orphan)).toBe(false)
})
