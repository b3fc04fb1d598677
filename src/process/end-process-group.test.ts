import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isRunning, numbersIn, PLAIN_ENVIRONMENT, temporaryFolder, textOf, until } from '../../test/support/process-support.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup, GROUP_VARIABLE, groupMark } from './end-process-group.ts'
import { currentProcessIdentity, identityOf } from './process-identity.ts'

/** A group led by a shell that runs `line` and writes pids into the file `pids`. */
function startGroup(line: string, env: Readonly<Record<string, string>> = {}) {
  const pids = join(temporaryFolder(), 'pids')
  const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: 'ignore', env: { ...PLAIN_ENVIRONMENT, ...env, pids } })
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

/** Ways in which what a program starts leaves its process group: `setpgid`, job control, and its own session. */
const ELSEWHERE = {
  timeout: 'timeout 100 sh -c "echo \\$\\$ >>$pids; sleep 30; :" &',
  // The plain shell of Debian has job control on a terminal only.
  'job control': 'bash -mc "sh -c \'echo \\$\\$ >>$pids; sleep 30; :\' & wait" &',
  setsid: 'setsid sh -c "echo \\$\\$ >>$pids; sleep 30; :" &',
  'a deaf one': 'setsid sh -c "trap : TERM; echo \\$\\$ >>$pids; while :; do sleep 30; done" &',
}

describe.runIf(process.platform === 'linux').each(Object.entries(ELSEWHERE))('what left the group by %s', (_, line) => {
  test('PROC-35 is ended with its leader', async () => {
    const { identity, elsewhere, leader } = await leaveElsewhere(line)
    expect(leader.exitCode).toBe(null)
    expect(await endProcessGroup(identity, { graceMs: 100 })).toBe('ended')
    expect([identity.pid, elsewhere].filter(isRunning)).toEqual([])
  })

  test('PROC-35 is ended when its leader is gone', async () => {
    const { identity, elsewhere, leader } = await leaveElsewhere(line)
    leader.kill('SIGKILL')
    await once(leader, 'exit')
    expect(await endProcessGroup(identity, { graceMs: 100 })).toBe('ended')
    expect(isRunning(elsewhere)).toBe(false)
    expect(await endProcessGroup(identity)).toBe('already-gone')
  })
})

/** A leader at work that bears its mark, and one that it started, which runs in another group. */
async function leaveElsewhere(line: string) {
  const file = join(temporaryFolder(), 'environment')
  const wait = `until [ -e ${file} ]; do sleep 0.02; done; . ${file}; exec sh -c "$line"`
  const { child, identity, pids } = startGroup(wait, { line: `${line} wait; sleep 30` })
  endAfterTest(identity.pid)
  writeFileSync(`${file}.new`, `export ${GROUP_VARIABLE}=${groupMark(identity)}`)
  renameSync(`${file}.new`, file)
  const [elsewhere = 0] = await numbersIn(pids, 1)
  endAfterTest(elsewhere)
  return { identity, elsewhere, leader: child, pids }
}

test.runIf(process.platform === 'linux')('PROC-36 what bears the mark of another piece of work is not touched', async () => {
  const outer = await leaveElsewhere(ELSEWHERE.setsid)
  const inner = await leaveElsewhere(ELSEWHERE.setsid)
  expect(await endProcessGroup(inner.identity)).toBe('ended')
  expect([outer.identity.pid, outer.elsewhere, inner.identity.pid, inner.elsewhere].map(isRunning)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(await endProcessGroup(outer.identity)).toBe('ended')
})

test.runIf(process.platform === 'linux')('PROC-36 ending a group never ends the caller or its ancestors', async () => {
  const module = new URL('./end-process-group.ts', import.meta.url).href
  const identities = new URL('./process-identity.ts', import.meta.url).href
  // The one that ends bears the mark and so does its parent, in their own session; a sleeper beside them bears it too.
  const script = join(temporaryFolder(), 'within.ts')
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs'
    import { endProcessGroup } from ${JSON.stringify(module)}
    const [pid, startedAt] = process.env['${GROUP_VARIABLE}'].split('@')
    const { host } = (await import(${JSON.stringify(identities)})).currentProcessIdentity()
    const end = await endProcessGroup({ pid: Number(pid), startedAt, host }, { graceMs: 100 })
    writeFileSync(process.env['pids'] + '.end', end)`,
  )
  const within = `until [ -e $pids.go ]; do sleep 0.02; done; ${process.execPath} ${script}; echo survived >>$pids.end`
  const { leader, elsewhere, pids } = await leaveElsewhere(`setsid sh -c "sleep 30 & echo \\$! >>$pids; ${within}; sleep 0.01" &`)
  leader.kill('SIGKILL')
  await once(leader, 'exit')
  writeFileSync(`${pids}.go`, '')
  expect(await until(() => textOf(`${pids}.end`).includes('survived') && textOf(`${pids}.end`))).toBe('endedsurvived\n')
  expect(isRunning(elsewhere)).toBe(false)
})
