import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runShell, temporaryFolder } from '../../test/support/process-support.ts'
import { environmentTrouble, hasNothingLeft, isDiskFull } from './environment-trouble.ts'

const NPM_EPILOGUE = 'npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-16.log\n'

async function trouble(text: string, cwd = temporaryFolder(), from: 'agent' | 'check' = 'check') {
  return environmentTrouble({ text: `some output\n${text}\n`, cwd, from })
}

test.each([
  [
    'Node',
    "Error: ENOSPC: no space left on device, write\n    at writeSync (node:fs:925:3) {\n  errno: -28,\n  code: 'ENOSPC'\n}\n\nNode.js v24.21.0",
    /df -h/,
  ],
  ['npm', `npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28\n${NPM_EPILOGUE}`, /df -h/],
  ['Python', "OSError: [Errno 28] No space left on device: 'out.bin'", /df -h/],
  ['tar', 'tar: out.tar: Cannot write: No space left on device', /df -h/],
  ['cargo', 'error: could not write output: No space left on device (os error 28)', /df -h/],
  ['watchers', 'Error: ENOSPC: System limit for number of file watchers reached, watch', /max_user_watches/],
  ['fork', 'sh: fork: Cannot allocate memory', /memory/],
  ['g++', 'g++: fatal error: Killed signal terminated program cc1plus', /memory/],
  [
    'npm offline',
    `npm error code ENOTFOUND\nnpm error network request to https://r.example/x failed\n${NPM_EPILOGUE}`,
    /network/,
  ],
  ['git offline', "fatal: unable to access 'https://git.example/x/': Could not resolve host: git.example", /network/],
  ['curl offline', 'curl: (6) Could not resolve host: example.test', /network/],
  ['no name server', 'Error: getaddrinfo EAI_AGAIN api.example', /network/],
  ['Docker', 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?', /Docker/],
  ['a Python tool', '/usr/bin/python3: No module named pytest', /pip install pytest/],
  ['rustup', "error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly", /RUSTUP_HOME/],
])('PROC-18 what the machine lacks is named, with the way out: %s', async (_what, text, fix) => {
  expect(await trouble(text)).toEqual({ fault: 'environment', message: expect.any(String), fix: expect.stringMatching(fix) })
})

test.each([
  ['a test name', '✗ handles ENOSPC: no space left on device'],
  ['a failed test', 'FAIL: No space left on device'],
  ['an assertion', "AssertionError: [Errno 28] No space left on device: 'x'"],
  ['an assertion on a message', 'Error: expected "ENOSPC: no space left on device" to be undefined'],
  ['an indented error of a test', '  1) disk\n     Error: ENOSPC: no space left on device, write'],
  ['code', "  if (error.message.includes('permission denied')) throw error"],
  ['a line of code', "throw new Error('EACCES: permission denied')"],
  ['a test title', 'not ok 3 - retries after connection refused'],
  ['a test of a port', 'not ok 4 - listen EADDRINUSE: address already in use :::3000'],
  ['prose', 'The service said connect ECONNREFUSED 127.0.0.1:5432 in the log.'],
  ['a rate limit', 'Error: 429 Too Many Requests'],
  ['words', 'error: out of memory is not handled'],
  ['a leak of the work', 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'],
  ['a wrong host in the work', 'Error: getaddrinfo ENOTFOUND api.exmaple.test'],
  ['an own package that is missing', '/usr/bin/python3: No module named shop'],
  ['a quoted complaint', '"Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?"'],
  ['an old complaint', `tar: x: Cannot write: No space left on device\n${'line of the log\n'.repeat(40)}`],
])('PROC-18 a log that merely mentions such words changes nothing: %s', async (_what, text) => {
  expect(await trouble(text)).toBeUndefined()
})

test.each([
  ['a full disk', 'Error: ENOSPC: no space left on device, write'],
  ['Python’s', 'OSError: [Errno 28] No space left on device'],
  ['npm’s', 'npm error code ENOSPC'],
])('PROC-30 a full disk that is not the last word counts only while hardly any space is left: %s', async (_what, line) => {
  expect(await trouble(line)).toMatchObject({ fault: 'environment' })
  expect(await trouble(`${line}\nFAILED 1 of 3`)).toBeUndefined()
  expect(await environmentTrouble({ text: line, cwd: temporaryFolder(), from: 'test' })).toBeUndefined()
})

test.each([
  ['curl', 'curl: (6) Could not resolve host: example.test', ''],
  [
    'Docker',
    'docker: Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?',
    "See 'docker run --help'.",
  ],
  [
    'ssh',
    'ssh: Could not resolve hostname git.example: Name or service not known',
    'fatal: Could not read from remote repository.',
  ],
])('PROC-31 what cannot be looked up must be the last line that says anything: %s', async (_what, line, epilogue) => {
  expect(await trouble(`${line}\n${epilogue}`)).toMatchObject({ fault: 'environment' })
  expect(await trouble(`${line}\n1 of 4 tests failed`)).toBeUndefined()
})

test('PROC-33 a name that services have and that cannot be resolved is a service that is down, in a test as well', async () => {
  const said = 'Error: getaddrinfo ENOTFOUND localstack'
  expect(await environmentTrouble({ text: said, cwd: temporaryFolder(), from: 'test' })).toMatchObject({
    fix: expect.stringContaining('localstack'),
  })
  expect(await trouble('Error: getaddrinfo ENOTFOUND databse')).toBeUndefined()
})

test('PROC-18 no recorded output of failed tests, compilers and linters is taken for a trouble of the machine', async () => {
  const folder = join(import.meta.dirname, '../checks/reports/fixtures')
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(texts.length).toBeGreaterThan(10)
  for (const text of texts) expect(await trouble(text)).toBeUndefined()
})

test('PROC-18 of an agent only the very last lines count, and its own memory is the machine’s', async () => {
  const full = 'tar: x: Cannot write: No space left on device'
  expect(await trouble(full, undefined, 'agent')).toMatchObject({ fault: 'environment' })
  expect(await trouble(`${full}\nI will\nlook for\nanother way`, undefined, 'agent')).toBeUndefined()
  const heap =
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n 1: 0xe1 node'
  expect(await trouble(heap, undefined, 'agent')).toMatchObject({ fix: expect.stringContaining('max-old-space-size') })
})

test('PROC-19 a missing package is the machine’s only when it is declared and nothing at all is installed', async () => {
  const cwd = temporaryFolder()
  const run = async (line: string) => {
    const result = await runShell(line, { cwd })
    return environmentTrouble({ text: 'output' in result ? result.output.text : '', cwd, from: 'check' })
  }
  const imported = `node --input-type=module -e "import 'left-pad'"`
  const required = `node -e "require('@scope/thing/sub')"`
  expect(await run(required)).toBeUndefined()
  writeFileSync(join(cwd, 'package.json'), '{"dependencies": {"left-pad": "1"}, "devDependencies": {"@scope/thing": "1"}}')
  expect(await run(required)).toMatchObject({ fault: 'environment', fix: expect.stringContaining('npm install') })
  expect(await run(imported)).toMatchObject({ fault: 'environment' })
  expect(await run(`node -e "require('undeclared')"`)).toBeUndefined()
  expect(await run(`node -e "require('./left-pad')"`)).toBeUndefined()
  mkdirSync(join(cwd, 'node_modules'))
  expect(await run(required)).toBeUndefined()
})

test('PROC-19 a port counts as held only while somebody still holds it', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, () => resolve((server.address() as { port: number }).port))
  })
  onTestFinished(() => void server.close())
  const result = await runShell(`node -e "require('net').createServer().listen(${port})"`)
  const text = 'output' in result ? result.output.text : ''
  expect(await trouble(text)).toMatchObject({ fault: 'environment', fix: expect.stringContaining(`:${port}`) })
  await new Promise((resolve) => server.close(resolve))
  expect(await trouble(text)).toBeUndefined()
})

test('PROC-19 a service that answers again, and a port that is no service’s, are the work’s', async () => {
  // Nobody listens on the port for databases at this address of the loopback.
  expect(await trouble('Error: connect ECONNREFUSED 127.93.17.5:26257')).toMatchObject({
    fix: expect.stringContaining('CockroachDB'),
  })
  expect(await trouble('Error: connect ECONNREFUSED 127.93.17.5:3000')).toBeUndefined()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(26_257, '127.93.17.6', resolve))
  onTestFinished(() => void server.close())
  expect(await trouble('Error: connect ECONNREFUSED 127.93.17.6:26257')).toBeUndefined()
})

test('PROC-19 a denied file counts when it lies in the folder and really is closed', async () => {
  const cwd = temporaryFolder()
  const path = join(cwd, 'closed.txt')
  const denied = `Error: EACCES: permission denied, open '${path}'`
  expect(await trouble(denied, cwd)).toBeUndefined()
  writeFileSync(path, '')
  expect(await trouble(denied, cwd)).toBeUndefined()
  chmodSync(path, 0)
  const isRoot = process.getuid?.() === 0
  expect((await trouble(denied, cwd))?.fault).toBe(isRoot ? undefined : 'environment')
  expect(await trouble("PermissionError: [Errno 13] Permission denied: '/etc/shadow'", cwd)).toBeUndefined()
})

const ROOM = { blocks: 1_000_000, bavail: 500_000, bsize: 4096, files: 1000, ffree: 500 }

test('PROC-30 a disk is full when hardly any space or no file is left, and not where these are not counted', () => {
  expect(hasNothingLeft(ROOM)).toBe(false)
  expect(hasNothingLeft({ ...ROOM, bavail: 100 })).toBe(true)
  expect(hasNothingLeft({ ...ROOM, ffree: 0 })).toBe(true)
  expect(hasNothingLeft({ blocks: 0, bavail: 0, bsize: 4096, files: 0, ffree: 0 })).toBe(false)
})

test('PROC-30 a folder that is not there is not on a full disk', async () => {
  expect(await isDiskFull(`${temporaryFolder()}/gone`)).toBe(false)
})
