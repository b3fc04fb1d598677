import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { ProcessIdentity } from '../core/event-data.ts'
import { isProcessAlive } from './process-identity.ts'
import { runCommand } from './run-command.ts'
import { isRunning, numbersIn, PLAIN_ENVIRONMENT, runShell, temporaryFolder } from '../../test/support/process-support.ts'

test('PROC-6 the exit code, the output in the order it was written and nothing else come back', async () => {
  const result = await runShell('echo one; echo two >&2; echo three; exit 3')
  expect(result).toEqual({ status: 'exited', exitCode: 3, output: { text: 'one\ntwo\nthree\n', bytesCut: 0 } })
})

test('PROC-6 no shell reads the arguments', async () => {
  const result = await runShell('', { command: ['printf', '%s|', '$HOME', '; exit 9', "a'b", ''] })
  expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { text: "$HOME|; exit 9|a'b||" } })
})

test('PROC-6 the program gets the given environment, its working folder and the mark of its group, and nothing of ours', async () => {
  process.env['PAWL_TEST_PLANTED'] = 'secret'
  const cwd = temporaryFolder()
  let identity: ProcessIdentity | undefined
  const result = await runCommand({
    command: ['env'],
    cwd,
    env: { ...PLAIN_ENVIRONMENT, GIVEN: 'a b' },
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onStarted: async (started) => {
      identity = started
    },
  })
  delete process.env['PAWL_TEST_PLANTED']
  const lines = 'output' in result ? result.output.text.trim().split('\n') : []
  const names = lines
    .map((line) => line.slice(0, line.indexOf('=')))
    .filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name))
  expect(names.toSorted()).toEqual(['GIVEN', 'PATH', 'PAWL_PROCESS_GROUP'])
  expect(lines).toContain(`PAWL_PROCESS_GROUP=${identity?.pid}@${identity?.startedAt}`)
})

test('PROC-6 programs can open /dev/stdin, /dev/stdout and /dev/stderr', async () => {
  const result = await runShell('cat /dev/stdin; echo out >/dev/stdout; echo err >/dev/stderr', { stdin: 'brief\n' })
  expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'brief\nout\nerr\n' } })
})

test('PROC-6 without stdin a program that reads finds the end at once', async () => {
  expect(await runShell('cat; echo done')).toMatchObject({ exitCode: 0, output: { text: 'done\n' } })
})

test('PROC-6 a program that is ended by a signal from elsewhere was killed', async () => {
  expect(await runShell('kill -9 $$')).toMatchObject({ status: 'killed', signal: 'SIGKILL' })
})

test('PROC-8 a missing program, one that may not be run and a missing folder are distinguished, and nothing was started', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'plain'), 'text', { mode: 0o644 })
  let starts = 0
  const onStarted = async () => void starts++
  const run = async (command: string[], folder = cwd) => runShell('', { command, cwd: folder, onStarted })
  expect(await run(['no-such-program'])).toMatchObject({ status: 'could-not-start', reason: 'not-found' })
  expect(await run(['./plain'])).toMatchObject({ status: 'could-not-start', reason: 'not-executable' })
  expect(await run(['true'], join(cwd, 'gone'))).toMatchObject({ status: 'could-not-start', reason: 'no-such-folder' })
  expect(await run(['echo', 'x'.repeat(5_000_000)])).toMatchObject({
    status: 'could-not-start',
    reason: 'other',
    message: expect.stringContaining('longer than'),
  })
  expect(await run(['echo', 'a\0b'])).toMatchObject({ status: 'could-not-start', reason: 'other' })
  expect(starts).toBe(0)
})

test('PROC-8 a program that exits with 127 did start', async () => {
  expect(await runShell('exit 127')).toMatchObject({ status: 'exited', exitCode: 127 })
})

test('PROC-9 a program that prints a gigabyte costs bounded memory and is read to its end', async () => {
  const before = process.memoryUsage().rss
  const result = await runShell('', { command: ['head', '-c', '1000000000', '/dev/zero'], timeoutMs: 50_000 })
  const grownMegabytes = (process.memoryUsage().rss - before) / 1e6
  expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { bytesCut: 1_000_000_000 - 512 * 1024 + 8192 } })
  expect('output' in result && result.output.text).toBe('�\n[… 999,483,904 bytes cut …]\n�')
  expect(grownMegabytes).toBeLessThan(250)
})

test('PROC-10 binary junk comes back as text', async () => {
  const result = await runShell('head -c 100000 /dev/urandom; printf "\\nend\\n"')
  expect(result).toMatchObject({ status: 'exited', exitCode: 0 })
  const text = 'output' in result ? result.output.text : ''
  expect(text.isWellFormed() && text.endsWith('\nend\n')).toBe(true)
  expect(text).not.toContain('\0')
})

test('PROC-11 the newest line is reported while the program runs; a silent one reports nothing', async () => {
  const lines: string[] = []
  await runShell('echo first; sleep 0.5; printf "\\033[32mlast\\033[0m\\n\\n"', { onOutput: (line) => lines.push(line) })
  expect(lines).toEqual(['first', 'last'])
  const silent: string[] = []
  expect(await runShell('exit 0', { onOutput: (line) => silent.push(line) })).toMatchObject({ exitCode: 0, output: { text: '' } })
  expect(silent).toEqual([])
})

test('PROC-12 a large stdin that nobody reads does no harm, and one that is read arrives whole', async () => {
  const stdin = 'x'.repeat(10_000_000)
  expect(await runShell('exit 0', { stdin })).toMatchObject({ status: 'exited', exitCode: 0 })
  expect(await runShell('exec <&-; echo closed', { stdin })).toMatchObject({ exitCode: 0, output: { text: 'closed\n' } })
  expect(await runShell('wc -c', { stdin })).toMatchObject({ exitCode: 0, output: { text: expect.stringContaining('10000000') } })
})

test('PROC-13 a program that runs out of time is ended with all that it started', async () => {
  const pids = join(temporaryFolder(), 'pids')
  const result = await runShell(`echo working; sleep 30 & echo $! >>${pids}; echo $$ >>${pids}; wait`, { timeoutMs: 700 })
  expect(result).toEqual({ status: 'timed-out', output: { text: 'working\n', bytesCut: 0 } })
  expect((await numbersIn(pids, 2)).filter(isRunning)).toEqual([])
})

test('PROC-13 on abort a program that ignores SIGTERM is ended too, with children and grandchildren', async () => {
  const pids = join(temporaryFolder(), 'pids')
  const controller = new AbortController()
  const line = `trap '' TERM; (sleep 30 & echo $! >>${pids}; wait) & echo $! >>${pids}; echo $$ >>${pids}; while :; do sleep 1; done`
  const running = runShell(line, { signal: controller.signal })
  const members = await numbersIn(pids, 3)
  expect(members.filter(isRunning)).toEqual(members)
  controller.abort()
  expect(await running).toMatchObject({ status: 'aborted' })
  expect(members.filter(isRunning)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'PROC-35 out of time, what went into another group or session is ended too, and what it was about to write is never written',
  async () => {
    const cwd = temporaryFolder()
    const late = 'echo begun >>began; sleep 1; echo late >>late'
    const line = `setsid sh -c '${late}' & timeout 100 sh -c '${late}; sleep 30'`
    expect(await runShell(line, { cwd, timeoutMs: 500 })).toMatchObject({ status: 'timed-out' })
    expect(readFileSync(join(cwd, 'began'), 'utf8')).toBe('begun\n'.repeat(2))
    await sleep(800)
    expect(existsSync(join(cwd, 'late'))).toBe(false)
  },
)

test('PROC-36 a Pawl within the work of another one ends what it started itself, and nothing of the work around it', async () => {
  const around = { ...PLAIN_ENVIRONMENT, PAWL_PROCESS_GROUP: '12345@around' }
  const sibling = spawn('sleep', ['30'], { env: around, detached: true, stdio: 'ignore' })
  onTestFinished(() => void sibling.kill('SIGKILL'))
  const result = await runShell('echo $PAWL_PROCESS_GROUP; sleep 30', { env: around, timeoutMs: 300 })
  expect(result).toMatchObject({ status: 'timed-out', output: { text: expect.not.stringContaining('around') } })
  expect(isRunning(sibling.pid ?? 0)).toBe(true)
})

test('PROC-13 with a signal that is aborted already nothing is started', async () => {
  let starts = 0
  const onStarted = async () => void starts++
  expect(await runShell('exit 0', { signal: AbortSignal.abort(), onStarted })).toMatchObject({ status: 'aborted' })
  expect(starts).toBe(0)
})

test('PROC-14 what the program leaves in its group is ended with it and does not hold us up', async () => {
  const pids = join(temporaryFolder(), 'pids')
  const result = await runShell(`(trap '' TERM; sleep 30) & echo $! >>${pids}; echo done`)
  expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'done\n' } })
  expect((await numbersIn(pids, 1)).filter(isRunning)).toEqual([])
})

test.runIf(process.platform === 'linux')(
  'PROC-14 what the program leaves in another group of its session is ended with it',
  async () => {
    const pids = join(temporaryFolder(), 'pids')
    const result = await runShell(
      `timeout 100 sh -c 'echo $$ >>${pids}; sleep 30; :' & while [ ! -s ${pids} ]; do sleep 0.02; done; echo done`,
    )
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'done\n' } })
    expect((await numbersIn(pids, 1)).filter(isRunning)).toEqual([])
  },
)

test.runIf(process.platform === 'linux')(
  'PROC-14 a daemon in its own session that keeps the pipe open does not hold us up, and works on after a normal end',
  async () => {
    const pids = join(temporaryFolder(), 'pids')
    const result = await runShell(
      `setsid sh -c 'echo $$ >>${pids}; sleep 30' & while [ ! -s ${pids} ]; do sleep 0.02; done; echo done`,
    )
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, output: { text: 'done\n' } })
    const [daemon = 0] = await numbersIn(pids, 1)
    expect(isRunning(daemon)).toBe(true)
    process.kill(-daemon, 'SIGKILL')
  },
)

test('PROC-14 a program that closes its output and works on is waited for', async () => {
  const mark = join(temporaryFolder(), 'mark')
  expect(await runShell(`echo bye; exec >&- 2>&-; sleep 0.3; : >${mark}; exit 5`)).toMatchObject({
    exitCode: 5,
    output: { text: 'bye\n' },
  })
  expect(existsSync(mark)).toBe(true)
})

test('PROC-7 the identity handed to onStarted is that of the program', async () => {
  let started: ProcessIdentity | undefined
  const result = await runShell('echo $$', {
    onStarted: async (identity) => {
      started = identity
      expect(isProcessAlive(identity)).toBe(true)
    },
  })
  expect(result).toMatchObject({ output: { text: `${started?.pid}\n` } })
})
