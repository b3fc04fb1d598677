// Gets a fresh clone ready (packages, Node 24, build) and then does what was asked:
//
//   node scripts/setup.mjs               only the set-up
//   node scripts/setup.mjs start ARGS    bin/pawl ARGS, without ARGS the demo
//   node scripts/setup.mjs test ARGS     vitest run ARGS
//   node scripts/setup.mjs bench ARGS    the figures of bench/, each against its peer
//   node scripts/setup.mjs node ARGS     a script under Pawl's own Node (after "&&" a shell would use the Node it found before)
//
// It runs before anything is installed and on whatever Node the machine has, so: no dependencies, and only syntax that
// Node 12 can read (no `?.`, no `??`), because an old Node has to get as far as the sentence that says it is too old.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import { withLock } from './with-lock.mjs'

const NODE_MAJOR_MIN = 18
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const BIN = join(ROOT, 'node_modules', '.bin')
const OWN_NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')
const LOCK = join(ROOT, 'node_modules', '.pawl-setup', 'lock')
const INSTALL_STAMP = join(ROOT, 'node_modules', '.pawl-setup', 'installed')
/** Inside dist, so that whatever empties dist takes the stamp with it. */
const BUILD_STAMP = join(ROOT, 'dist', '.stamp')
const INSTALL_INPUTS = ['package.json', 'package-lock.json']
const BUILD_INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'src', 'web']

const COMMANDS = {
  start: (args) => [join(ROOT, 'bin', 'pawl'), args.length > 0 ? args : ['demo']],
  test: (args) => [join(BIN, 'vitest'), ['run'].concat(args)],
  bench: (args) => ['node', [join(ROOT, 'bench', 'run.ts')].concat(args)],
  node: (args) => ['node', args],
}

class SetupError extends Error {}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error) => {
    process.stderr.write(error instanceof SetupError ? `\n${error.message}\n` : `${error.stack}\n`)
    process.exit(1)
  },
)

async function main([verb, ...args]) {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
    throw new SetupError(
      `Pawl's set-up needs Node ${NODE_MAJOR_MIN} or later and this is ${process.version}: install a newer one (https://nodejs.org) and try again.`,
    )
  }
  if (!isInstalled() || !isBuilt()) {
    await withLock(LOCK, async () => {
      // Asked again: the lock's last holder may have done it all.
      if (!isInstalled()) await install()
      if (!isBuilt()) await build()
    })
  }
  if (verb === undefined) return 0
  const [command, commandArgs] = COMMANDS[verb](args)
  return perform(command, commandArgs)
}

function isInstalled() {
  if (readStamp(INSTALL_STAMP) !== installKey() || !fs.existsSync(join(BIN, 'vitest'))) return false
  return fs.existsSync(OWN_NODE) || isNewEnough(machineNodeVersion())
}

function isBuilt() {
  return readStamp(BUILD_STAMP) === buildKey()
}

async function install() {
  const reason = fs.existsSync(INSTALL_STAMP) ? 'the list of them changed' : 'first time, about a minute'
  fs.rmSync(INSTALL_STAMP, { force: true })
  // `npm ci` refuses a lock file that lacks another platform's binaries. `--no-save` keeps the lock file as it is whatever
  // npm's version, `--include=dev` holds even with NODE_ENV=production, `--loglevel` even under `npm start --silent`.
  const args = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=notice']
  const key = installKey()
  const sentence =
    'The packages could not be installed; what npm said is above. Set-up needs the network once: check the connection (or the proxy and registry settings of npm) and try again.'
  await runNpm(args, `Installing packages (${reason})`, sentence, machineEnvironment())
  ensureNode()
  if (lacksBinaries()) {
    await runNpm(args.concat('--prefer-offline'), 'Installing what needs the newer Node', sentence, ownEnvironment())
  }
  writeStamp(INSTALL_STAMP, key)
}

async function build() {
  fs.rmSync(BUILD_STAMP, { force: true })
  const key = buildKey()
  await runNpm(['run', '--silent', 'build'], 'Building', 'The build failed; what it said is above.', ownEnvironment())
  writeStamp(BUILD_STAMP, key)
}

/** Makes sure that a Node which can run Pawl is there: the one from the package `node`, else the machine's. */
function ensureNode() {
  if (isNewEnough(versionOf(OWN_NODE, process.env))) return
  if (isNewEnough(machineNodeVersion())) {
    // One that does not run here (another libc, say) must not be preferred by bin/pawl and the PATH.
    fs.rmSync(OWN_NODE, { force: true })
    return
  }
  throw new SetupError(
    fs.existsSync(OWN_NODE)
      ? `The Node that came with the packages does not run on this machine (${process.platform} ${process.arch}): install Node ${nodeVersionMin()} or later (https://nodejs.org) and try again.`
      : `npm did not bring Node ${nodeVersionMin()}, most likely because it is set to run no install scripts: run \`npm rebuild node --ignore-scripts=false\` in ${ROOT}, or install Node ${nodeVersionMin()} or later (https://nodejs.org), and try again.`,
  )
}

/**
 * Whether binaries for this platform were left out: npm does that, without a word, to optional packages that ask for a newer Node
 * than the one npm runs on.
 */
function lacksBinaries() {
  const { packages } = JSON.parse(fs.readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return Object.keys(packages || {}).some((path) => {
    const entry = packages[path]
    if (!entry.optional || !entry.os || fs.existsSync(join(ROOT, path))) return false
    return (
      fits(entry.os, process.platform) &&
      fits(entry.cpu, process.arch) &&
      (process.platform !== 'linux' || fits(entry.libc, libc))
    )
  })
}

function fits(list, value) {
  return list === undefined || list.includes(value)
}

function nodeVersionMin() {
  return JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node.replace(/^>=/, '')
}

function isNewEnough(version) {
  if (version === undefined) return false
  const [major, minor] = version.split('.').map(Number)
  const [majorMin, minorMin] = nodeVersionMin().split('.').map(Number)
  return major > majorMin || (major === majorMin && minor >= minorMin)
}

function machineNodeVersion() {
  return versionOf('node', machineEnvironment())
}

function versionOf(node, env) {
  const result = spawnSync(node, ['--version'], { env, encoding: 'utf8' })
  return result.status === 0 ? result.stdout.trim().replace(/^v/, '') : undefined
}

/** With the machine's Node, and not the one npm is about to install. */
function machineEnvironment() {
  const folders = (process.env.PATH || '').split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
  return Object.assign({}, process.env, { PATH: folders.join(delimiter) })
}

/** With the Node that npm installed. */
function ownEnvironment() {
  const env = machineEnvironment()
  return Object.assign(env, { PATH: `${BIN}${delimiter}${env.PATH}` })
}

/** Runs npm with one line on the terminal, and with all it printed when it fails. */
async function runNpm(args, title, sentenceOnFailure, env) {
  const startedAt = Date.now()
  process.stderr.write(`${title} …`)
  const beat = setInterval(() => process.stderr.write(` ${seconds(startedAt)} …`), 20000)
  const output = []
  try {
    const [command, commandArgs] = npmCommand(args)
    const { code, interruptedBy } = await runToEnd(command, commandArgs, { env: npmEnvironment(env), output })
    if (interruptedBy) throw new SetupError('Interrupted. Run the same command again to continue.')
    if (code !== 0) throw new SetupError(`${readable(Buffer.concat(output))}\n${sentenceOnFailure}`)
    process.stderr.write(` done in ${seconds(startedAt)}.\n`)
  } catch (error) {
    process.stderr.write(' failed.\n')
    throw error.code === 'ENOENT'
      ? new SetupError('npm is not on the PATH: install it (on Debian: apt install npm) and try again.')
      : error
  } finally {
    clearInterval(beat)
  }
}

/** Under `npm start` we know where npm is, and start it with the Node first on the PATH: a wrapper might pick another. */
function npmCommand(args) {
  const npm = process.env.npm_execpath || ''
  return npm.endsWith('npm-cli.js') ? ['node', [npm].concat(args)] : ['npm', args]
}

/** Some tools colour what they print whether or not anyone can see it. */
function readable(output) {
  return process.stderr.isTTY ? String(output) : util.stripVTControlCharacters(String(output))
}

function seconds(startedAt) {
  return `${Math.max(1, Math.round((Date.now() - startedAt) / 1000))} s`
}

function npmEnvironment(baseEnv) {
  const env = Object.assign({}, baseEnv)
  // Under `npm --prefix FOLDER start` these point npm away from the machine's own settings (its registry, its certificates).
  for (const name of ['prefix', 'global_prefix', 'local_prefix', 'globalconfig']) delete env[`npm_config_${name}`]
  // Newer Nodes can use the machine's certificate store; older ones refuse to start with a flag they do not know.
  const zeroIfKnown = "process.exit(process.allowedNodeEnvironmentFlags.has('--use-system-ca') ? 0 : 1)"
  if (spawnSync('node', ['-e', zeroIfKnown], { env }).status === 0) {
    env.NODE_OPTIONS = `${env.NODE_OPTIONS || ''} --use-system-ca`.trim()
  }
  return env
}

/** Does what was asked for, on this terminal and with the Node that set-up brought; resolves to the exit code. */
async function perform(command, args) {
  const { code } = await runToEnd(command, args, { env: ownEnvironment() })
  return code
}

/** Signals are passed on, and we end only after the program has ended. Ctrl-C on a terminal reaches it without our help. */
function runToEnd(command, args, { env, output }) {
  const child = spawn(command, args, { cwd: ROOT, env, stdio: output ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
  if (output) {
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
  }
  let interruptedBy
  const passOn = (signal) => {
    interruptedBy = signal
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  signals.forEach((signal) => process.on(signal, passOn))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code: signal ? 128 + constants.signals[signal] : code, interruptedBy }))
  }).finally(() => signals.forEach((signal) => process.off(signal, passOn)))
}

function installKey() {
  return hashOf(INSTALL_INPUTS, `${process.platform} ${process.arch}`)
}

function buildKey() {
  return hashOf(BUILD_INPUTS, '')
}

function hashOf(paths, salt) {
  const hash = createHash('sha256').update(salt)
  for (const file of paths.flatMap((path) => filesUnder(join(ROOT, path)))) {
    hash.update(`\0${relative(ROOT, file).split(sep).join('/')}\0`).update(fs.readFileSync(file))
  }
  return hash.digest('hex')
}

/** Sorted, so that the hash depends on content alone. Tests and what tools leave behind do not go into a build. */
function filesUnder(path) {
  if (!fs.existsSync(path)) return []
  if (!fs.statSync(path).isDirectory()) return path.endsWith('.test.ts') ? [] : [path]
  return (
    fs
      .readdirSync(path)
      .filter((name) => name !== 'node_modules' && name !== 'dist' && !name.startsWith('.'))
      // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted
      .sort()
      .flatMap((name) => filesUnder(join(path, name)))
  )
}

function readStamp(path) {
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8').trim() : undefined
}

function writeStamp(path, key) {
  fs.mkdirSync(dirname(path), { recursive: true })
  fs.writeFileSync(path, `${key}\n`)
}
