import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('SETUP-1 bin/pawl runs the CLI with its own Node, from any folder, with spaces in the path, and passes arguments on', async () => {
  const root = launcherCopy()
  giveOwnNode(root)
  const { stdout, code } = await run(join(root, 'bin', 'pawl'), ['task', 'two words', ''], { cwd: tmpdir(), path: '/nowhere' })
  expect(JSON.parse(stdout)).toEqual({ node: process.version, args: ['task', 'two words', ''] })
  expect(code).toBe(7)
})

test('SETUP-1 bin/pawl finds its package through a chain of absolute and relative symlinks', async () => {
  const root = launcherCopy()
  giveOwnNode(root)
  const links = join(temporaryFolder(), 'a b')
  mkdirSync(links)
  symlinkSync(join(root, 'bin', 'pawl'), join(links, 'first'))
  symlinkSync('./first', join(links, 'second'))
  const { stdout } = await run('./second', ['x'], { cwd: links, path: '/usr/bin:/bin' })
  expect(JSON.parse(stdout)).toMatchObject({ args: ['x'] })
})

test('SETUP-1 bin/pawl can be started by its bare name through sh', async () => {
  const root = launcherCopy()
  giveOwnNode(root)
  const { stdout } = await run('/bin/sh', ['pawl', 'x'], { cwd: join(root, 'bin'), path: '/nowhere' })
  expect(JSON.parse(stdout)).toMatchObject({ args: ['x'] })
})

test('SETUP-2 without its own Node bin/pawl takes the one on the PATH when that is new enough', async () => {
  const root = launcherCopy()
  const { stdout } = await run(join(root, 'bin', 'pawl'), ['x'], { path: dirname(process.execPath) })
  expect(JSON.parse(stdout)).toMatchObject({ node: process.version })
})

test('SETUP-2 an own Node that is too old is passed over', async () => {
  const root = launcherCopy()
  giveOwnNode(root, '24.14.9')
  const { stderr, code } = await run(join(root, 'bin', 'pawl'), ['x'], { path: '/nowhere' })
  expect(stderr).toBe(
    'pawl: Pawl needs Node 24.15 or later and the PATH has none: install a newer one from https://nodejs.org.\n',
  )
  expect(code).toBe(1)
})

test.each(['v20.20.2', 'v24.14.1', 'nonsense'])(
  'SETUP-3 with only Node %s on the PATH bin/pawl says in one sentence what to do',
  async (version) => {
    const root = launcherCopy()
    mkdirSync(join(root, 'scripts'))
    writeFileSync(join(root, 'scripts', 'setup.mjs'), '')
    const { stderr, stdout, code } = await run(join(root, 'bin', 'pawl'), [], {
      path: `${programs({ node: `echo ${version}` })}:/usr/bin:/bin`,
    })
    expect(stderr).toBe(
      `pawl: Pawl needs Node 24.15 or later and the PATH has ${version}: run \`npm start\` once in ${root}, which brings its own Node, or install a newer one.\n`,
    )
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  },
)

test('SETUP-3 bin/pawl that is not built says so', async () => {
  const root = launcherCopy()
  rmSync(join(root, 'dist'), { recursive: true })
  const { stderr, code } = await run(join(root, 'bin', 'pawl'), [], { path: '/nowhere' })
  expect(stderr).toBe(`pawl: not built yet: run \`npm start\` once in ${root}.\n`)
  expect(code).toBe(1)
})

test('SETUP-4 the first set-up installs and builds, the second does neither', async () => {
  const clone = setupCopy()
  const first = await clone.setUp()
  expect(first.stderr).toMatch(
    /^Installing packages \(first time, about a minute\) … done in \d+ s\.\nBuilding … done in \d+ s\.\n$/,
  )
  expect(first.code).toBe(0)
  expect(clone.npmCalls()).toEqual([
    'install --no-save --include=dev --no-audit --no-fund --loglevel=notice',
    'run --silent build',
  ])
  expect(await clone.setUp()).toMatchObject({ stdout: '', stderr: '', code: 0 })
  expect(clone.npmCalls()).toHaveLength(2)
})

test('SETUP-5 a changed lock file installs and builds again, a changed source only builds, a changed test does nothing', async () => {
  const clone = setupCopy()
  await clone.setUp()
  clone.write('src/a.test.ts', 'changed')
  expect((await clone.setUp()).stderr).toBe('')
  clone.write('src/a.ts', 'changed')
  expect((await clone.setUp()).stderr).toMatch(/^Building … done/)
  clone.write('package-lock.json', '{ "changed": true }')
  expect((await clone.setUp()).stderr).toMatch(/^Installing packages \(the list of them changed\) … done in .*\nBuilding … done/)
  rmSync(join(clone.root, 'dist'), { recursive: true })
  expect((await clone.setUp()).stderr).toMatch(/^Building … done/)
})

test('SETUP-6 when npm fails, all it printed is shown, with one sentence on what to do, and the next set-up tries again', async () => {
  const clone = setupCopy()
  clone.write('npm-fails', 'install')
  const { stderr, code } = await clone.setUp('start')
  expect(stderr).toContain('Installing packages (first time, about a minute) … failed.\n')
  expect(stderr).toContain('npm warn noise\nnpm error ECONNREFUSED')
  expect(stderr).toMatch(/Set-up needs the network once: .* and try again\.\n$/)
  expect(code).toBe(1)
  rmSync(join(clone.root, 'npm-fails'))
  expect(await clone.setUp()).toMatchObject({ code: 0 })
})

test('SETUP-6 when the build fails, all it printed is shown and nothing is started', async () => {
  const clone = setupCopy()
  clone.write('npm-fails', 'run')
  const { stdout, stderr, code } = await clone.setUp('start')
  expect(stderr).toContain('Building … failed.\n')
  expect(stderr).toContain('npm error ECONNREFUSED')
  expect(stderr).toMatch(/The build failed; what it said is above\.\n$/)
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
})

test('SETUP-7 without a Node that can run Pawl after the install, set-up says how to get one', async () => {
  const clone = setupCopy()
  clone.write('npm-brings-no-node', '')
  const { stderr, code } = await clone.setUp()
  expect(stderr).toContain(
    `npm did not bring Node 24.15, most likely because it is set to run no install scripts: run \`npm rebuild node`,
  )
  expect(code).toBe(1)
})

test('SETUP-8 `start` runs the demo or what is asked for and `test` runs vitest, each with its exit code', async () => {
  const clone = setupCopy()
  expect(await clone.setUp('start')).toMatchObject({ stdout: 'pawl demo\n', code: 7 })
  expect(await clone.setUp('start', 'show', 'two words')).toMatchObject({ stdout: 'pawl show two words\n', code: 7 })
  expect(await clone.setUp('test', 'src/a.test.ts')).toMatchObject({ stdout: 'vitest run src/a.test.ts\n', code: 8 })
})

test('SETUP-9 two set-ups at the same time do the work once', async () => {
  const clone = setupCopy()
  const results = await Promise.all([clone.setUp('start'), clone.setUp('test')])
  expect(results.map(({ stdout }) => stdout)).toEqual(['pawl demo\n', 'vitest run\n'])
  expect(results.filter(({ stderr }) => stderr.includes('Waiting for another set-up'))).toHaveLength(1)
  expect(clone.npmCalls()).toHaveLength(2)
  expect(existsSync(clone.lock)).toBe(false)
})

test('SETUP-9 a lock that was left behind is passed over, one whose holder lives is not', async () => {
  const lock = join(temporaryFolder(), 'lock')
  writeFileSync(lock, 'left by one that was killed')
  // Beats of 40 ms: quiet for 800 ms is dead, and the work takes twice as long.
  const work = `import { withLock } from ${JSON.stringify(join(ROOT, 'scripts', 'with-lock.mjs'))}
    await withLock(process.argv[1], async () => {
      console.log('begin')
      await new Promise((resolve) => setTimeout(resolve, 1600))
      console.log('end')
    }, 40)`
  const hold = () => run(process.execPath, ['--input-type=module', '-e', work, lock], { path: '/nowhere' })
  const first = hold()
  await waitUntil(() => existsSync(lock) && !readFileSync(lock, 'utf8').startsWith('left'))
  const results = await Promise.all([first, hold()])
  expect(results.map(({ stdout, code }) => `${stdout}${code}`)).toEqual(['begin\nend\n0', 'begin\nend\n0'])
  expect(results[0]?.stderr).toContain('It gave no sign of life: going on without it.\n')
  expect(results[1]?.stderr).toBe('Waiting for another set-up of this folder to finish …\n')
  expect(existsSync(lock)).toBe(false)
})

test('SETUP-10 package.json says of every install script whether it runs, so that an npm that asks need not', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { allowScripts: Record<string, boolean> }
  const withScripts = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  )
  // fsevents is for macOS only, where its script does nothing that is needed here.
  expect(withScripts.filter((name) => name !== 'fsevents')).toEqual(Object.keys(manifest.allowScripts))
  // The one that brings Node; parsers come built.
  expect(Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name])).toEqual(['node'])
})

test('SETUP-12 binaries that npm left out because the machine has an older Node are installed with the newer one', async () => {
  const clone = setupCopy()
  const binary = 'node_modules/@rolldown/binding'
  const other = 'node_modules/@rolldown/binding-of-another-platform'
  const packages = {
    [binary]: { optional: true, os: [process.platform], cpu: [process.arch] },
    [other]: { optional: true, os: ['another'] },
  }
  clone.write('package-lock.json', JSON.stringify({ packages }))
  const { stderr } = await clone.setUp()
  expect(stderr).toMatch(
    /^Installing packages .* done in .*\nInstalling what needs the newer Node … done in .*\nBuilding … done in .*\n$/,
  )
  expect(clone.npmCalls()[1]).toMatch(/^install .* --prefer-offline$/)
  expect(existsSync(join(clone.root, binary))).toBe(true)
  expect((await clone.setUp()).stderr).toBe('')
})

test("SETUP-11 npm is run on the machine's Node with the machine's certificates, if that Node knows how", async () => {
  const clone = setupCopy()
  const ownFirst = join(clone.root, 'node_modules', '.bin')
  await clone.setUpOn(`${ownFirst}:${clone.path}`)
  expect(clone.npmOptions()).toBe('')
  rmSync(join(clone.root, 'node_modules'), { recursive: true })
  await clone.setUpOn(`${ownFirst}:${dirname(process.execPath)}:${clone.path}`)
  expect(clone.npmOptions()).toBe('--use-system-ca')
})

/** A package with bin/pawl and a CLI that says what it was given, in a folder with a space in its name. */
function launcherCopy(): string {
  const root = join(temporaryFolder(), 'my pawl')
  mkdirSync(join(root, 'bin'), { recursive: true })
  cpSync(join(ROOT, 'bin', 'pawl'), join(root, 'bin', 'pawl'))
  mkdirSync(join(root, 'dist'))
  writeFileSync(
    join(root, 'dist', 'cli.mjs'),
    'console.log(JSON.stringify({ node: process.version, args: process.argv.slice(2) })); process.exitCode = 7',
  )
  return root
}

function giveOwnNode(root: string, version = process.versions.node): void {
  const own = join(root, 'node_modules', 'node')
  mkdirSync(join(own, 'bin'), { recursive: true })
  symlinkSync(process.execPath, join(own, 'bin', 'node'))
  writeFileSync(join(own, 'package.json'), JSON.stringify({ name: 'node', version }, undefined, 2))
}

/**
 * A clone with the real set-up and a PATH on which `node` claims to be Node 20 and `npm` only notes how it was called, and makes
 * what an install and a build leave behind.
 */
function setupCopy() {
  const root = temporaryFolder()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  cpSync(join(ROOT, 'scripts'), join(root, 'scripts'), { recursive: true })
  write('package.json', '{ "engines": { "node": ">=24.15" } }')
  write('package-lock.json', '{}')
  write('src/a.ts', '')
  write('src/a.test.ts', '')
  write('bin/pawl', '#!/bin/sh\necho "pawl $*"\nexit 7\n')
  chmodSync(join(root, 'bin', 'pawl'), 0o755)
  const path = `${programs({ node: 'echo v20.20.2\nexit 1', npm: FAKE_NPM })}:/usr/bin:/bin`
  const setUpOn = (pathToUse: string, ...args: string[]) =>
    run(process.execPath, [join(root, 'scripts', 'setup.mjs'), ...args], { path: pathToUse })
  return {
    root,
    write,
    lock: join(root, 'node_modules', '.pawl-setup', 'lock'),
    npmCalls: () => readFileSync(join(root, 'npm-calls'), 'utf8').trim().split('\n'),
    npmOptions: () => readFileSync(join(root, 'npm-options'), 'utf8').trim(),
    path,
    setUpOn,
    setUp: (...args: string[]) => setUpOn(path, ...args),
  }
}

const FAKE_NPM = `
echo "$*" >> npm-calls
[ "$1" = run ] || echo "$NODE_OPTIONS" > npm-options
echo "npm warn noise"
if [ "$(cat npm-fails 2>/dev/null)" = "$1" ]; then echo "npm error ECONNREFUSED" >&2; exit 1; fi
sleep 0.1
if [ "$1" = run ]; then mkdir -p dist; exit 0; fi
mkdir -p node_modules/.bin node_modules/node/bin
printf '#!/bin/sh\\necho "vitest $*"\\nexit 8\\n' > node_modules/.bin/vitest
chmod +x node_modules/.bin/vitest
[ -e npm-brings-no-node ] || ln -sf "${process.execPath}" node_modules/node/bin/node
[ -e npm-brings-no-node ] || ln -sf ../node/bin/node node_modules/.bin/node
[ "$(node --version)" = v20.20.2 ] || mkdir -p node_modules/@rolldown/binding
`

/** A folder with these programs, to be put on a PATH. */
function programs(scripts: Record<string, string>): string {
  const folder = temporaryFolder()
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-setup-'))
  folders.push(folder)
  return folder
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isTrue(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10))
}

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

function run(program: string, args: readonly string[], { cwd, path }: { cwd?: string; path: string }): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { PATH: path }, timeout: 30_000, stdio: ['ignore', 'pipe', 'pipe'] })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ stdout, stderr, code }))
  })
}
