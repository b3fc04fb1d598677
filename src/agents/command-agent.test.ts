import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { numbersIn, isRunning, temporaryFolder } from '../../test/support/process-support.ts'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { WorkRequest } from './agent.ts'
import { commandAgent, type CommandAgentOptions } from './command-agent.ts'

async function work(
  options: CommandAgentOptions,
  request: Partial<WorkRequest> = {},
  signal = new AbortController().signal,
  onProgress: () => void = () => undefined,
) {
  const starts: (ProcessIdentity | undefined)[] = []
  const lines: string[] = []
  const context = {
    signal,
    started: async (process?: ProcessIdentity) => void starts.push(process),
    progress: (line: string) => {
      lines.push(line)
      onProgress()
    },
  }
  const whole = {
    run: 'fix-login',
    iteration: 2,
    role: 'worker',
    brief: 'Mend it.\n',
    cwd: request.cwd ?? temporaryFolder(),
    ...request,
  }
  const result = await commandAgent(options).work(whole, context)
  return { result, starts, lines }
}

const shell = (command: string, more: Partial<CommandAgentOptions> = {}) =>
  ({ ...more, command, shell: true }) as CommandAgentOptions

test('AGENT-1 exit 0 is finished; the brief comes on stdin; the start is reported before, with the process', async () => {
  const { result, starts, lines } = await work({ command: ['cat'] })
  expect(result).toEqual({ status: 'finished', exitCode: 0, output: { text: 'Mend it.\n', bytesCut: 0 } })
  expect(starts).toEqual([expect.objectContaining({ pid: expect.any(Number), startedAt: expect.any(String) })])
  expect(lines).toEqual(['Mend it.'])
})

test('AGENT-1 a silent agent is finished without a word', async () => {
  const { result, lines } = await work({ command: ['true'] })
  expect(result).toEqual({ status: 'finished', exitCode: 0, output: { text: '', bytesCut: 0 } })
  expect(lines).toEqual([])
})

test('AGENT-1 another exit code is a failure of the agent, with the last it said', async () => {
  const { result } = await work(shell('echo thinking; echo "cannot log in" >&2; exit 3'))
  expect(result).toMatchObject({
    status: 'failed',
    fault: 'agent',
    exitCode: 3,
    message: expect.stringMatching(/code 3[\s\S]*cannot log in/),
  })
  expect((await work(shell('exit 1'))).result).toMatchObject({ message: expect.stringContaining('printed nothing') })
})

test('AGENT-2 as an argument the brief replaces {brief}, else comes last, and is never read by a shell', async () => {
  const brief = 'say "$(id)" & $& {x}'
  const command = ['printf', '%s|']
  const said = async (options: CommandAgentOptions) =>
    (await work({ ...options, briefAs: 'argument' } as CommandAgentOptions, { brief })).result
  expect(await said({ command: [...command, 'a={brief}', 'b'] })).toMatchObject({ output: { text: `a=${brief}|b|` } })
  expect(await said({ command: [...command, 'a'] })).toMatchObject({ output: { text: `a|${brief}|` } })
  expect(await said({ command: 'printf "%s|" "$1"', shell: true })).toMatchObject({ output: { text: `${brief}|` } })
  expect(() => commandAgent({ command: 'echo {brief}', shell: true, briefAs: 'argument' })).toThrow(
    expect.objectContaining({ code: 'agent.command.brief' }),
  )
})

test('AGENT-2 a brief that cannot be an argument is a fault of the configuration, and the fix is stdin', async () => {
  const { result } = await work({ command: ['true'], briefAs: 'argument' }, { brief: 'x'.repeat(3_000_000) })
  expect(result).toMatchObject({ status: 'failed', fault: 'config', fix: expect.stringContaining('stdin') })
})

test('AGENT-3 the program knows run, iteration and role, gets what is passed on, and nothing else of ours', async () => {
  Object.assign(process.env, { PAWL_TEST_PLANTED: 'secret', PAWL_TEST_NAMED: 'named' })
  const { result } = await work({
    command: ['env'],
    environment: ['PAWL_TEST_NAMED'],
    variables: { MODE: 'quick', PAWL_RUN: 'no' },
  })
  delete process.env['PAWL_TEST_PLANTED']
  delete process.env['PAWL_TEST_NAMED']
  const text = 'output' in result ? (result.output?.text ?? '') : ''
  const lines = text.split('\n')
  expect(lines).toEqual(
    expect.arrayContaining(['PAWL_RUN=fix-login', 'PAWL_ITERATION=2', 'PAWL_ROLE=worker', 'PAWL_TEST_NAMED=named', 'MODE=quick']),
  )
  expect(text).not.toContain('secret')
})

test('AGENT-4 a program that is not there is a fault of the configuration, with the fix; a start is reported all the same', async () => {
  const { result, starts } = await work({ command: ['no-such-agent', '-p'] })
  expect(result).toMatchObject({
    status: 'failed',
    fault: 'config',
    message: expect.stringContaining('no-such-agent'),
    fix: expect.stringContaining('Install no-such-agent'),
  })
  expect(starts).toEqual([undefined])
  expect((await work(shell('no-such-agent -p'))).result).toMatchObject({ status: 'failed', fault: 'config', exitCode: 127 })
  expect((await work({ command: ['true'] }, { cwd: '/no/such/folder' })).result).toMatchObject({
    status: 'failed',
    fault: 'environment',
  })
})

test('AGENT-9 a program that is not there is found before the work, and nothing of a program that is there is run', async () => {
  const cwd = temporaryFolder()
  const ready = (options: CommandAgentOptions, folder = cwd) => commandAgent(options).ready(folder)
  const missing = { fault: 'config', message: expect.stringContaining('no-such-agent'), fix: expect.stringContaining('Install') }
  expect(await ready({ command: ['no-such-agent', '-p'] })).toEqual(missing)
  expect(await ready(shell('no-such-agent -p'))).toEqual(missing)
  expect(await ready(shell('./no-such-agent -p'))).toEqual(missing)
  writeFileSync(join(cwd, 'agent'), '#!/bin/sh\ntouch ran\n')
  expect(await ready(shell('./agent'))).toMatchObject({ fault: 'config', fix: expect.stringContaining('chmod') })
  chmodSync(join(cwd, 'agent'), 0o755)
  const fine = [
    './agent -p',
    'cd sub && no-such-agent',
    'A=1 no-such-agent',
    '"$AGENT"',
    '(no-such-agent)',
    'if true; then x; fi',
  ]
  for (const line of fine) expect(await ready(shell(line))).toBeUndefined()
  expect(await ready({ command: ['./agent'] })).toBeUndefined()
  expect(await ready({ command: ['./agent'] }, tmpdir())).toMatchObject({ fault: 'config' })
  expect(readdirSync(cwd)).toEqual(['agent'])
  const path = { command: ['agent'], variables: { PATH: cwd } } as const
  expect(await ready(path)).toBeUndefined()
  expect(await ready(shell('agent', { variables: { PATH: cwd } }))).toBeUndefined()
})

test('AGENT-10 a provider’s limit in its JSON is no failure of the agent, and says when to continue', async () => {
  const resetsAt = Math.round(Date.now() / 1000) + 600
  const event = `{"type":"result","is_error":true,"result":"Claude AI usage limit reached|${resetsAt}"}`
  const { result } = await work(shell(`echo '${event}'; exit 1`))
  expect(result).toMatchObject({
    status: 'failed',
    fault: 'provider-limit',
    exitCode: 1,
    message: expect.stringContaining('limit'),
  })
  expect(result).toHaveProperty('retryAt', resetsAt * 1000)
  const success = '{"type":"result","is_error":false,"result":"I handled the rate limit: 429"}'
  expect((await work(shell(`echo '${success}'`))).result).toMatchObject({ status: 'finished' })
  expect((await work(shell(`echo '${success}'; exit 1`))).result).toMatchObject({ status: 'failed', fault: 'agent' })
})

test('AGENT-5 the report is believed before anything the agent prints', async () => {
  const report = '{"fault": "environment", "message": "No database.", "fix": "Start it."}'
  const { result } = await work(shell(`echo '${report}' >"$PAWL_REPORT_FILE"; echo "Error: 429 Too Many Requests"; exit 1`))
  expect(result).toMatchObject({ status: 'failed', fault: 'environment', fix: 'Start it.' })
  expect(result).not.toHaveProperty('retryAt')
})

test('AGENT-5 a report gives cost, tokens, summary and session', async () => {
  const report = '{"costUsd": 0.5, "tokens": 10, "summary": "Changed two files.", "session": "s1"}'
  const { result } = await work(shell(`echo '${report}' >"$PAWL_REPORT_FILE"`))
  expect(result).toMatchObject({ status: 'finished', costUsd: 0.5, tokens: 10, summary: 'Changed two files.', session: 's1' })
})

test('AGENT-5 the report says whose fault it was, whatever the exit code', async () => {
  const report = '{"fault": "provider-limit", "message": "Come back at ten.", "retryAt": 1790000000000, "costUsd": 1}'
  for (const exitCode of [0, 1]) {
    const { result } = await work(shell(`echo '${report}' >"$PAWL_REPORT_FILE"; exit ${exitCode}`))
    expect(result).toMatchObject({
      status: 'failed',
      fault: 'provider-limit',
      retryAt: 1_790_000_000_000,
      costUsd: 1,
      exitCode,
      message: expect.stringContaining('Come back at ten.'),
    })
  }
})

test('AGENT-5 a malformed report is never fatal and never swallowed', async () => {
  const { result, lines } = await work(shell('echo "{nonsense" >"$PAWL_REPORT_FILE"'))
  expect(result).toMatchObject({ status: 'finished', summary: expect.stringContaining('PAWL_REPORT_FILE') })
  expect(lines).toEqual([expect.stringContaining('not JSON')])
})

test('AGENT-6 DRIVE-60 the shorter of its own limit and the time left applies, and is named; what it started is ended with it', async () => {
  const pids = join(temporaryFolder(), 'pids')
  const line = shell(`echo '{"tokens": 7}' >"$PAWL_REPORT_FILE"; echo busy; sleep 30 & echo $! >>${pids}; wait`, {
    timeoutMs: 60_000,
  })
  const { result } = await work(line, { deadlineMs: 700 })
  expect(result).toMatchObject({
    status: 'timed-out',
    fault: 'agent',
    tokens: 7,
    message: expect.stringMatching(/^No more time was left for \w+: it was ended after 700 ms of work\. It last said:\nbusy$/),
  })
  expect((await numbersIn(pids, 1)).filter(isRunning)).toEqual([])
  const slow = await work(shell('sleep 30', { timeoutMs: 300 }), { deadlineMs: 60_000 })
  expect(slow.result).toMatchObject({ message: expect.stringMatching(/^\w+ was not done within 0\.3 s and was ended\./) })
  expect((await work({ command: ['true'] }, { deadlineMs: 0 })).result).toMatchObject({ status: 'timed-out', fault: 'agent' })
})

test('AGENT-6 an abort ends the work', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  expect((await work({ command: ['sleep', '30'] }, {}, controller.signal)).result).toEqual({ status: 'aborted' })
})

test('DRIVE-51 keeps what it had reported when it was interrupted', async () => {
  const controller = new AbortController()
  const line = shell(`echo '{"tokens": 7, "costUsd": 0.5}' >"$PAWL_REPORT_FILE"; echo reported; sleep 30`)
  const { result } = await work(line, {}, controller.signal, () => void controller.abort())
  expect(result).toEqual({ status: 'aborted', tokens: 7, costUsd: 0.5, isUsagePartial: true })
})

test('DRIVE-63 an agent that reported its use before has used something if it is cut off before it can report', async () => {
  const line = shell(`read -r first; [ "$first" = hang ] && exec sleep 30; echo '{"tokens": 7}' >"$PAWL_REPORT_FILE"`)
  const agent = commandAgent({ ...line, timeoutMs: 5000 })
  const context = { signal: new AbortController().signal, started: async () => undefined, progress: () => undefined }
  const asked = (brief: string, deadlineMs: number) =>
    agent.work({ run: 'r', iteration: 1, role: 'coder', brief: `${brief}\n`, cwd: tmpdir(), deadlineMs }, context)
  expect(await asked('hang', 300)).not.toHaveProperty('isUsagePartial')
  expect(agent.tellsUsage).toBe(undefined)
  expect(await asked('work', 5000)).toMatchObject({ status: 'finished', tokens: 7 })
  expect(agent.tellsUsage).toBe(true)
  expect(await asked('hang', 300)).toMatchObject({ status: 'timed-out', isUsagePartial: true })
})

test('AGENT-7 the spec holds the options as data, and the agent can be built from it again', async () => {
  const spec = commandAgent({ command: ['/opt/claude', '-p'], environment: ['KEY'] }).spec
  expect(spec).toEqual({
    name: 'command',
    v: 1,
    settings: {
      command: ['/opt/claude', '-p'],
      briefAs: 'stdin',
      timeoutMs: 1_800_000,
      environment: ['KEY'],
      variables: {},
      name: 'claude',
    },
  })
  const again = JSON.parse(JSON.stringify(spec.settings)) as CommandAgentOptions
  expect(commandAgent(again).spec).toEqual(spec)
  expect(commandAgent(shell('claude -p')).spec.settings).toMatchObject({ command: 'claude -p', shell: true, name: 'claude' })
})

test.each<[unknown, string]>([
  [{ command: [] }, 'agent.command.empty'],
  [{ command: ['x'], briefAs: 'post' }, 'agent.command.brief'],
  [{ command: ['x'], name: ' ' }, 'agent.command.name'],
  [{ command: ['x'], timeoutMs: -1 }, 'agent.command.timeout'],
])('AGENT-7 options that cannot work are refused at construction: %j', (options, code) => {
  expect(() => commandAgent(options as CommandAgentOptions)).toThrow(expect.objectContaining({ name: 'PawlError', code }))
})

test('AGENT-8 nothing is left in the temporary folder', async () => {
  const temporary = temporaryFolder()
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = temporary
  await work({ command: ['true'] })
  await work({ command: ['no-such-agent'] })
  const left = readdirSync(temporary).filter((name) => name.startsWith('pawl-') && !name.startsWith('pawl-test-'))
  writeFileSync(join(temporary, 'file'), '')
  process.env['TMPDIR'] = join(temporary, 'file')
  const { result } = await work({ command: ['true'] }, { cwd: temporary })
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  expect(left).toEqual([])
  expect(result).toMatchObject({ status: 'failed', fault: 'environment', fix: expect.stringContaining('TMPDIR') })
})
