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

const PYTEST = `E   ModuleNotFoundError: No module named 'flask_login'
=========================== short test summary info ============================
ERROR test_a.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.15s`
const GO_SUM = `go: github.com/simagix/gox@v0.2.1-0.20210204133338-1ac49535b8c0: missing go.sum entry; to add it:
	go mod download github.com/simagix/gox`
const GO_SUM_OF_IMPORT = `shop.go:3:8: missing go.sum entry for module providing package github.com/lib/pq (imported by shop); to add:
	go get shop`
const CARGO_OFFLINE = `error: no matching package named \`serde\` found
location searched: crates.io index
required by package \`x v0.1.0 (/home/me/x)\`
As a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures, if this error is too confusing you may wish to retry without \`--offline\`.`
const CARGO_DOWN = `    Updating crates.io index
error: failed to get \`serde\` as a dependency of package \`x v0.1.0 (/home/me/x)\`

Caused by:
  download of config.json failed

Caused by:
  failed to download from \`https://index.crates.io/config.json\`

Caused by:
  [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9 after 0 ms: Could not connect to server)`
const BUNDLER = 'Could not find rspec-3.12.0, rack-3.0.8 in locally installed gems\nRun `bundle install` to install missing gems.'
const BUNDLER_RAISED =
  "/usr/lib/ruby/3.1.0/bundler/definition.rb:481:in `materialize': Could not find rspec-3.12.0 in locally installed gems (Bundler::GemNotFound)"
const GEMFILE = "source 'https://rubygems.org'\ngem 'sinatra', '~> 3'\n"
const PYPROJECT =
  '[project]\nname = "shop"\ndependencies = ["requests>=2", "PyYAML[fast]"]\n[dependency-groups]\ndev = ["pytest-mock"]\n'

test.each([
  ['requirements.txt', '# web\nFlask-Login==0.6 ; python_version > "3"\n', PYTEST, 'pip install -r requirements.txt'],
  ['requirements-dev.txt', 'pytest>=8\n', '/usr/bin/python3: No module named pytest', 'pip install -r requirements-dev.txt'],
  ['requirements.txt', 'python-dotenv\n', "ModuleNotFoundError: No module named 'dotenv'", 'pip install -r requirements.txt'],
  ['pyproject.toml', PYPROJECT, "ModuleNotFoundError: No module named 'requests'", 'pip install -e .'],
  ['pyproject.toml', PYPROJECT, "ModuleNotFoundError: No module named 'yaml'", 'pip install -e .'],
  ['pyproject.toml', PYPROJECT, "ModuleNotFoundError: No module named 'pytest_mock'", 'pip install -e .'],
  [
    'pyproject.toml',
    '[tool.poetry.group.dev.dependencies]\nhttpx = "^1"\n',
    "ModuleNotFoundError: No module named 'httpx'",
    'pip install -e .',
  ],
  ['go.mod', 'module x\n\nrequire github.com/simagix/gox v0.2.1\n', GO_SUM, 'go mod download'],
  ['go.mod', 'module x\n\nrequire github.com/lib/pq v1.10.0\n', GO_SUM_OF_IMPORT, 'go mod download'],
  [
    'go.mod',
    'module x\n\nrequire github.com/lib/pq v1.10.0\n',
    'shop.go:3:8: module lookup disabled by GOPROXY=off',
    'go mod download',
  ],
  [
    'go.mod',
    'module x\n\nrequire (\n\tgithub.com/pkg/errors v0.9.1\n)\n',
    'main.go:4:2: github.com/pkg/errors@v0.9.1: module lookup disabled by GOPROXY=off',
    'go mod download',
  ],
  ['Cargo.toml', '[package]\nname = "x"\n[dependencies]\nserde = "1"\n', CARGO_OFFLINE, 'cargo fetch'],
  ['Cargo.toml', '[dev-dependencies.serde]\nversion = "1"\n', CARGO_DOWN, 'cargo fetch'],
  ['Gemfile', GEMFILE, BUNDLER, 'bundle install'],
  ['Gemfile', GEMFILE, BUNDLER_RAISED, 'bundle install'],
  [
    'Gemfile',
    GEMFILE,
    "<internal:/usr/lib/ruby/3.1.0/rubygems/core_ext/kernel_require.rb>:85:in `require': cannot load such file -- sinatra/base (LoadError)",
    'bundle install',
  ],
])(
  'FAULT-1 a package that %s declares and nobody installed counts before any work: %#',
  async (file, manifest, text, command) => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, file), manifest)
    const fix = `Install the dependencies (${command}, or the project's own way), then resume.`
    expect(await environmentTrouble({ text, cwd, from: 'check', isBefore: true })).toMatchObject({ fault: 'environment', fix })
    expect((await environmentTrouble({ text, cwd, from: 'check' }))?.fix).not.toBe(fix)
    const elsewhere = await environmentTrouble({ text, cwd: temporaryFolder(), from: 'check', isBefore: true })
    expect(elsewhere?.fix).not.toBe(fix)
  },
)

test.each([
  ['an undeclared Python package', "ModuleNotFoundError: No module named 'numpy'"],
  ['the project itself', "ModuleNotFoundError: No module named 'shop'"],
  ['a module of a package that is installed', "ModuleNotFoundError: No module named 'requests.missing'"],
  ['a name that cannot be imported', "ImportError: cannot import name 'get' from 'requests'"],
  [
    'an undeclared Go package',
    'main.go:5:2: no required module provides package github.com/spf13/cobra; to add it:\n\tgo get github.com/spf13/cobra',
  ],
  [
    'an undeclared crate',
    'error[E0432]: unresolved import `serde`\n --> src/main.rs:1:5\nerror: could not compile `x` (bin "x") due to 1 previous error',
  ],
  ['an undeclared gem', "a.rb:1:in `require': cannot load such file -- shop (LoadError)"],
  ['a file of the project', "a.rb:1:in `require_relative': cannot load such file -- /home/me/x/sinatra (LoadError)"],
])('FAULT-2 what no manifest declares is the agent’s: %s', async (_what, text) => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'pyproject.toml'), PYPROJECT)
  writeFileSync(join(cwd, 'go.mod'), 'module x\n\nrequire github.com/pkg/errors v0.9.1\n')
  writeFileSync(join(cwd, 'Cargo.toml'), '[dependencies]\nanyhow = "1"\n')
  writeFileSync(join(cwd, 'Gemfile'), GEMFILE)
  expect(await environmentTrouble({ text, cwd, from: 'check', isBefore: true })).toBeUndefined()
})

// Nobody listens at this address of the loopback.
const SILENT = '127.93.17.5'

test.each([
  ['Node', `Error: connect ECONNREFUSED ${SILENT}:5432`],
  ['Node, of several addresses', `AggregateError [ECONNREFUSED]: \n    Error: connect ECONNREFUSED ${SILENT}:5432`],
  ['Sequelize', `ConnectionRefusedError [SequelizeConnectionRefusedError]: connect ECONNREFUSED ${SILENT}:5432`],
  ['Go', `error connecting to database: dial tcp ${SILENT}:5432: connect: connection refused`],
  [
    'Go’s HTTP client in a test',
    `    shop_test.go:6: fetching: Get "http://localhost:5432/x": dial tcp ${SILENT}:5432: connect: connection refused`,
  ],
  ['Go’s log', `2026/11/18 17:29:16 dial tcp ${SILENT}:5432: connect: connection refused`],
  [
    'an uncaught error of Ruby',
    `c.rb:5:in \`initialize': Connection refused - connect(2) for "${SILENT}" port 5432 (Errno::ECONNREFUSED)`,
  ],
  ['Net::HTTP', `Failed to open TCP connection to localhost:5432 (Connection refused - connect(2) for ${SILENT}:5432)`],
  ['a Go test', `conn_test.go:233: dial tcp ${SILENT}:5432: getsockopt: connection refused`],
  [
    'psycopg2',
    `psycopg2.OperationalError: connection to server at "${SILENT}" (${SILENT}), port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?`,
  ],
  ['Rails', `ActiveRecord::ConnectionNotEstablished: connection to server at "${SILENT}", port 5432 failed: Connection refused`],
  ['Ruby', `Errno::ECONNREFUSED: Connection refused - connect(2) for "${SILENT}" port 5432`],
  ['Prisma', `Can't reach database server at \`${SILENT}:5432\``],
  ['PyMongo', `pymongo.errors.ServerSelectionTimeoutError: ${SILENT}:5432: [Errno 111] Connection refused (configured timeouts)`],
])('FAULT-3 a service that refuses connections is named with its address: %s', async (_who, text) => {
  expect(await trouble(text)).toMatchObject({
    fault: 'environment',
    fix: `Start PostgreSQL, so that it answers at ${SILENT}:5432, or set the address of another one; then resume.`,
  })
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
