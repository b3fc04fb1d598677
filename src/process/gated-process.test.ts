import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup } from './end-process-group.ts'
import { isProcessAlive } from './process-identity.ts'
import {
  isRunning,
  numbersIn,
  PLAIN_ENVIRONMENT,
  runShell,
  temporaryFolder,
  textOf,
  until,
} from '../../test/support/process-support.ts'
import { COMPILE_CACHE } from '../../test/support/programs.ts'

test('PROC-7 the program does not begin before onStarted has resolved', async () => {
  const mark = join(temporaryFolder(), 'mark')
  const seen: boolean[] = []
  const onStarted = async () => {
    await sleep(200)
    seen.push(existsSync(mark))
  }
  expect(await runShell(`: >${mark}`, { onStarted })).toMatchObject({ exitCode: 0 })
  expect([...seen, existsSync(mark)]).toEqual([false, true])
})

test('PROC-7 when onStarted rejects, the program never runs, nothing is left, and the error comes out', async () => {
  const mark = join(temporaryFolder(), 'mark')
  let identity: ProcessIdentity | undefined
  const onStarted = async (started: ProcessIdentity) => {
    identity = started
    throw new Error('the disk is full')
  }
  await expect(runShell(`: >${mark}`, { onStarted })).rejects.toThrow('the disk is full')
  expect(existsSync(mark)).toBe(false)
  expect(identity && isProcessAlive(identity)).toBe(false)
})

test('PROC-7 when the run is aborted while the start is being journaled, the program never runs', async () => {
  const mark = join(temporaryFolder(), 'mark')
  const controller = new AbortController()
  const onStarted = async () => controller.abort()
  expect(await runShell(`: >${mark}`, { signal: controller.signal, onStarted })).toMatchObject({ status: 'aborted' })
  expect(existsSync(mark)).toBe(false)
})

/** Starts its own process that runs `line` through runCommand, and says where its parts write. */
function startRunner(line: string, journal: 'before' | 'never') {
  const folder = temporaryFolder()
  const [script, identityFile, pids, mark] = ['runner.ts', 'identity', 'pids', 'mark'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  const modulePath = new URL('./run-command.ts', import.meta.url).href
  writeFileSync(
    script,
    `import { renameSync, writeFileSync } from 'node:fs'
    import { runCommand } from ${JSON.stringify(modulePath)}
    await runCommand({
      command: ['/bin/sh', '-c', ${JSON.stringify(line)}], cwd: '/', env: { PATH: '/usr/bin:/bin', pids: ${JSON.stringify(pids)}, mark: ${JSON.stringify(mark)} },
      timeoutMs: 60_000, signal: new AbortController().signal,
      onStarted: async (identity) => {
        writeFileSync(${JSON.stringify(`${identityFile}.new`)}, JSON.stringify(identity))
        renameSync(${JSON.stringify(`${identityFile}.new`)}, ${JSON.stringify(identityFile)})
        ${journal === 'never' ? 'await new Promise((resolve) => setTimeout(resolve, 60_000))' : ''}
      },
    })`,
  )
  const runner = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: { ...PLAIN_ENVIRONMENT, ...COMPILE_CACHE },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void runner.kill('SIGKILL'))
  const identity = async () => JSON.parse(await until(() => textOf(identityFile) || undefined)) as ProcessIdentity
  return { runner, identity, pids, mark }
}

test('PROC-7 when we are killed before the start is journaled, the program never runs and the waiting process goes away', async () => {
  const { runner, identity, mark } = startRunner(': >"$mark"', 'never')
  const waiting = await identity()
  expect(isProcessAlive(waiting)).toBe(true)
  runner.kill('SIGKILL')
  await once(runner, 'exit')
  await until(() => isProcessAlive(waiting) === false)
  expect(existsSync(mark)).toBe(false)
})

test('PROC-5 when we are killed later, the next process ends the group, whether or not its leader still lives', async () => {
  const { runner, identity, pids } = startRunner('sleep 30 & echo $! >>"$pids"; sleep 30 & echo $! >>"$pids"; wait', 'before')
  const leader = await identity()
  const members = await numbersIn(pids, 2)
  runner.kill('SIGKILL')
  await once(runner, 'exit')
  expect(members.filter(isRunning)).toEqual(members)
  if (process.platform === 'linux') {
    await until(() => members.every((pid) => textOf(`/proc/${pid}/cmdline`).startsWith('sleep')))
    process.kill(leader.pid, 'SIGKILL')
    await until(() => isProcessAlive(leader) === false)
  }
  expect(await endProcessGroup(leader)).toBe('ended')
  expect(members.filter(isRunning)).toEqual([])
})
