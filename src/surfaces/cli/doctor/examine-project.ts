import { basename, dirname, join } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import type { ConfiguredCheck, PawlConfig } from '../../../settings/pawl-config.ts'
import { isRepository, type Project, isInRepository } from '../../../settings/find-project.ts'
import { isTrusted } from '../../../settings/user-files.ts'
import { examineCommand, type Diagnosis, isOfProject, versionOf } from './examination.ts'
import { absentTarget } from '../../../process/command-target.ts'
import { childEnvironment } from '../../../process/command-options.ts'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { ProcessIdentity } from '../../../core/event-data.ts'
import type { Store } from '../../../stores/store.ts'
import { isProcessAlive } from '../../../process/process-identity.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { runCommand } from '../../../process/run-command.ts'
import { keepSecretsOf } from '../../../secrets/known-values.ts'
import { requireKeptWhole } from '../../../journal/redact-facts.ts'
import type { CommandTrouble } from '../../../process/command-trouble.ts'
import { container, engineTrouble } from '../../../sandbox/container.ts'
import { sandbox } from '../../../sandbox/sandbox.ts'
import { type ContainerOptions, isolationSpec, type WrapperOptions } from '../../../sandbox/settings.ts'
import { wrapper } from '../../../sandbox/wrapper.ts'
import { ceilingLine } from '../../../present/stats-lines.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'
import { taskConfig } from '../task-config.ts'
import { type PrepareStep, recordedSettings } from '../../../core/run-config.ts'
import { stepWords } from '../../../engine/prepare-step.ts'
import { storeAddress } from '../../../registry/store-address.ts'
import { testSide } from '../../../registry/test-side.ts'

/** What was found out about `pawl.yaml`. */
export interface ConfigDiagnosis {
  /** Absent if there is none, or none that can be used. */
  readonly config?: PawlConfig
  readonly examined: readonly Diagnosis[]
}

/** Whether `pawl.yaml` is right, whether a run could begin with it, and whether the programs of its checks are there, with what they are asked to run. */
export async function examineConfig({ configPath, root }: Project): Promise<ConfigDiagnosis> {
  const topic = basename(configPath)
  try {
    const config = await loadConfig(configPath)
    if (config === undefined) return { examined: [{ topic, status: 'absent', message: 'none; `pawl init` writes one' }] }
    const checks = config.checks.map((check) => examineCheck(check, config, root))
    const refusal = await secretInConfig(root, config)
    const untrusted = isTrusted(root) ? [] : [UNTRUSTED]
    const summary: Diagnosis = refusal === undefined ? summaryOf(config, topic) : { topic, status: 'problem', message: refusal }
    return {
      config,
      examined: [
        summary,
        ...untrusted,
        ...(await Promise.all(checks)),
        ...(config.prepare ?? []).flatMap((step) => examineStep(step, root)),
      ],
    }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return { examined: [{ topic, status: 'problem', message: error.message, fix: `correct ${configPath}` }] }
  }
}

const UNTRUSTED: Diagnosis = {
  topic: 'trust',
  status: 'absent',
  message: 'programs that pawl.yaml names were looked for, but not run',
  fix: 'if you trust this folder: pawl trust --folder',
}

function summaryOf({ agent, checks }: PawlConfig, topic: string): Diagnosis {
  const who = agent === undefined ? 'no agent' : `agent ${agent}`
  const count = `${checks.length === 0 ? 'no' : checks.length} check${checks.length === 1 ? '' : 's'}`
  if (checks.length > 0) return { topic, status: 'ok', message: `valid: ${who}, ${count}` }
  const fix = 'write the command that tests your work under `checks`, or give --check with each run'
  return { topic, status: 'warning', message: `valid: ${who}, ${count}`, fix }
}

/**
 * Whether the program of a check is there, and the script or the file that it is asked to run, without running anything. Where the
 * checks do not run before the work, what they run may still be made: then it is only a `warning`.
 */
async function examineCheck(check: ConfiguredCheck, { baseline = true }: PawlConfig, root: string): Promise<Diagnosis> {
  const folder = join(root, check.cwd ?? '')
  if (!existsSync(folder)) {
    const fix = 'correct `cwd` in pawl.yaml, or create the folder'
    return {
      topic: `check ${check.name}`,
      status: baseline ? 'problem' : 'warning',
      message: `There is no folder ${check.cwd}.`,
      fix,
    }
  }
  const examined = await examineCommand(`check ${check.name}`, check, folder, true)
  if (examined.status !== 'ok' || check.shell === true) return examined
  const { environment = [] } = check
  const absent = await absentTarget(check.command, folder, childEnvironment(environment, {})['PATH'])
  if (absent === undefined) return isTrusted(root) ? withVersion(examined, check, { root, folder, environment }) : examined
  const fix = 'correct the command in pawl.yaml, or make what it runs'
  return { topic: examined.topic, status: baseline ? 'problem' : 'warning', message: absent.message, fix }
}

interface CheckPlace {
  readonly root: string
  readonly folder: string
  readonly environment: readonly string[]
}

/** Asks the check's program for its version, in the check's own environment. A script of the project may do anything if it is asked. */
async function withVersion(
  examined: Diagnosis,
  { command: [name = ''] }: ConfiguredCheck,
  place: CheckPlace,
): Promise<Diagnosis> {
  const { root, folder, environment } = place
  const path = examined.message
  if (isOfProject(path, root)) return examined
  const asked = await versionOf(path, folder, { environment })
  if (!('trouble' in asked)) return { ...examined, message: asked.version === undefined ? path : `${asked.version} (${path})` }
  const fix = `see what \`${name} --version\` says; a variable that it needs goes under \`environment\` of the check in pawl.yaml`
  return { ...examined, status: 'warning', message: `${path} ${asked.trouble}`, fix }
}

/** A command of `prepare` whose folder is not there can make nothing ready. */
function examineStep(step: PrepareStep, root: string): readonly Diagnosis[] {
  const topic = `prepare ${stepWords(step)}`
  if (step.cwd === undefined || existsSync(join(root, step.cwd))) return [{ topic, status: 'ok', message: PREPARES }]
  const fix = 'correct `cwd` in pawl.yaml, or create the folder'
  return [{ topic, status: 'problem', message: `There is no folder ${step.cwd}.`, fix }]
}

const PREPARES = 'runs in worktrees and fresh copies'

/** Which files a proof takes for tests: an agent that changes them changes what checks its work. */
export async function examineTests(root: string, config: PawlConfig | undefined): Promise<Diagnosis> {
  const { checks = [], tests = [], protect = [], prepare = [] } = config ?? {}
  const commands = [...checks, ...prepare].map(
    ({ cwd, command }) => `${cwd === undefined ? '' : `cd ${cwd} && `}${[command].flat().join(' ')}`,
  )
  const groups = await testSide({ root, commands, globs: [...tests, ...protect], namesMax: FILES_NAMED_MAX })
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  if (count > 0)
    return { topic: 'tests', status: 'ok', message: `${count} file${count === 1 ? '' : 's'} on the test side`, testSide: groups }
  const fix = 'if there are tests, name them under `tests` in pawl.yaml'
  return { topic: 'tests', status: 'absent', message: 'no files found on the test side', fix }
}

const FILES_NAMED_MAX = 3

/** Which isolations work on this machine. Only those that pawl.yaml asks for are a problem if they don't, and only those start a container. */
export async function examineIsolation(config: PawlConfig | undefined, root: string): Promise<readonly Diagnosis[]> {
  const { isolation, roleIsolation = {}, checkIsolation = {}, worktree = false } = config ?? {}
  const wanted = new Set<string | undefined>([isolation, ...Object.values(roleIsolation), ...Object.values(checkIsolation)])
  const diagnosis = (topic: string, trouble: CommandTrouble | undefined, message = 'works here'): Diagnosis =>
    trouble
      ? { topic, status: wanted.has(topic) ? 'problem' : 'absent', message: trouble.message, fix: trouble.fix }
      : { topic, status: 'ok', message: `${message}: \`isolation: ${topic}\` uses it` }
  const isWorktree = worktree || isolation === 'worktree'
  const untrusted = wanted.has('container') ? ' (`pawl trust --folder` lets doctor try it)' : ''
  return [
    diagnosis('sandbox', await sandbox().ready()),
    wanted.has('container') && isTrusted(root)
      ? diagnosis('container', await troubleOf('container', config, root))
      : diagnosis('container', engineTrouble(), `podman or docker is installed, not tried${untrusted}`),
    ...(wanted.has('command') && isTrusted(root)
      ? [diagnosis('command', await troubleOf('command', config, root), 'the wrapper is there')]
      : []),
    ...(isWorktree && !isInRepository(root)
      ? [{ topic: 'worktree', status: 'problem', message: 'a worktree needs a git repository', fix: 'run `git init`' } as const]
      : []),
  ]
}

async function troubleOf(
  kind: 'container' | 'command',
  config: PawlConfig | undefined,
  root: string,
): Promise<CommandTrouble | undefined> {
  try {
    const options = recordedSettings(isolationSpec({ ...config, isolation: kind }, root)?.settings ?? {})
    return await (kind === 'container' ? container(options as ContainerOptions) : wrapper(options as WrapperOptions)).ready()
  } catch (error) {
    return { fault: 'config', message: (error as Error).message, fix: 'correct it in pawl.yaml' }
  }
}

/** How much of the ceilings over all runs is used. One that is reached, or can't be looked at, keeps every run from working. */
export async function examineCeilings({ storePath }: Project): Promise<readonly Diagnosis[]> {
  const topic = 'ceilings'
  try {
    const ceilings = await ceilingsOf(storePath)()
    if (ceilings.length === 0) return []
    const { ceilingUses } = await import('../../../registry/ceilings.ts')
    return ceilingUses(ceilings).map((use): Diagnosis => {
      const isReached = use.spent >= use.max
      const where = ceilings.find(({ scope }) => scope === use.scope)?.setIn ?? ''
      return {
        topic,
        status: isReached ? 'warning' : 'ok',
        message: ceilingLine(use),
        ...(isReached ? { fix: `raise it in ${where}, or wait: no agent begins to work until then` } : {}),
      }
    })
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    // What is wrong in pawl.yaml is said of pawl.yaml.
    const isOwn = error.code === 'ledger.unusable' || error.message.includes('ceilings.yaml')
    const fix = 'fix or delete the file: until then no agent begins to work'
    return isOwn ? [{ topic, status: 'problem', message: error.message, fix }] : []
  }
}

/** Whether the store can be read and written, whether its file is whole, and which runs were left behind. Makes no store. */
export async function examineStore(context: CliContext): Promise<readonly Diagnosis[]> {
  const { storePath, root } = context.project
  if (storeAddress(storePath) !== undefined) return [await examineDatabase(context)]
  // An empty file is what is left when a first run is killed at once; opening it would write tables into it.
  if (!existsSync(storePath) || statSync(storePath).size === 0) return [noStore(root, storePath)]
  try {
    return await withStore(context, async (store) => {
      const runs = (await store.runs()).map(({ run }) => run)
      const damage = damageOf(storePath)
      return [
        damage ?? {
          topic: 'store',
          status: 'ok',
          message: `${storePath}: ${runs.length} run${runs.length === 1 ? '' : 's'}, whole`,
        },
        ...(await leftBehind(store, runs)),
      ]
    })
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return [
      { topic: 'store', status: 'problem', message: error.message, fix: `see to ${storePath}, then run \`pawl doctor\` again` },
    ]
  }
}

/** Whether the database can be reached, has our tables, and lets us write them. */
async function examineDatabase(context: CliContext): Promise<Diagnosis> {
  try {
    const { shownAddress } = await import('../../../registry/open-store.ts')
    const where = await shownAddress(context.project.storePath)
    const runs = await withStore(context, (store) => store.runs())
    return { topic: 'store', status: 'ok', message: `${where}: ${runs.length} run${runs.length === 1 ? '' : 's'}, reached` }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    const [message = '', fix = ''] = error.message.split('\n').map((line) => line.trim())
    return { topic: 'store', status: 'problem', message, fix: fix || 'correct PAWL_STORE, or `store:` in pawl.yaml' }
  }
}

function noStore(root: string, storePath: string): Diagnosis {
  const folder = [dirname(storePath), root].find((each) => existsSync(each)) ?? root
  try {
    accessSync(folder, constants.W_OK)
    return { topic: 'store', status: 'absent', message: 'none yet; the first run makes one' }
  } catch (error) {
    const message = `none yet, and the first run cannot make one in ${folder} (${(error as Error).message})`
    return { topic: 'store', status: 'problem', message, fix: 'give this user the right to write there' }
  }
}

/** What SQLite itself finds wrong with its file. */
function damageOf(path: string): Diagnosis | undefined {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  try {
    const found = database
      .prepare('PRAGMA quick_check(5)')
      .all()
      .map((row) => String(row['quick_check']))
    if (found.length === 1 && found[0] === 'ok') return undefined
    return damaged(path, found.join('\n'))
  } catch (error) {
    return damaged(path, (error as Error).message)
  } finally {
    database.close()
  }
}

function damaged(path: string, what: string): Diagnosis {
  const fix = `move ${path} and its -wal file away, or bring back a copy of both; \`pawl verify\` tells which runs are whole`
  return { topic: 'store', status: 'problem', message: `${path} is damaged: ${what}`, fix }
}

const RUNS_NAMED_MAX = 5

/** Runs whose driver is dead. They wait for somebody to continue them. */
async function leftBehind(store: Store, runs: readonly string[]): Promise<readonly Diagnosis[]> {
  const dead: { run: string; holder: ProcessIdentity }[] = []
  for (const run of runs) {
    const holder = await store.holder(run, 'last')
    if (holder !== undefined && isProcessAlive(holder) === false) dead.push({ run, holder })
  }
  const named = dead.slice(0, RUNS_NAMED_MAX).map(({ run, holder }): Diagnosis => {
    const message = `its process ${holder.pid} is gone; nothing is lost`
    return { topic: `run ${run}`, status: 'warning', message, fix: `\`pawl resume ${run}\` continues it` }
  })
  const more = dead.length - named.length
  if (more === 0) return named
  return [
    ...named,
    { topic: 'runs', status: 'warning', message: `the processes of ${more} more are gone`, fix: '`pawl ls` lists them' },
  ]
}

/** Node, git, and whether the folder is a repository. */
export async function examineMachine(root: string): Promise<readonly Diagnosis[]> {
  return [examineNode(process.versions.node), ...(await examineGit(root))]
}

/** Keep in step with `engines` in package.json. */
const NODE_MIN = '24.15'

/** The first git that knows `rev-parse --path-format`. */
const GIT_MIN = '2.31'

/** Whether this Node is new enough. */
export function examineNode(version: string): Diagnosis {
  if (isAtLeast(version, NODE_MIN)) return { topic: 'node', status: 'ok', message: version }
  return {
    topic: 'node',
    status: 'problem',
    message: `${version} is too old: Pawl needs ${NODE_MIN} or later`,
    fix: 'install a newer Node from https://nodejs.org',
  }
}

/** Without git, or outside of a repository, Pawl keeps plain copies of the folder; only a repository without git is a problem. */
async function examineGit(root: string): Promise<readonly Diagnosis[]> {
  const isTop = isRepository(root)
  const program = await resolveProgram('git', root, childEnvironment([], {})['PATH'])
  if (program.status !== 'found') {
    const status = isTop ? 'problem' : 'warning'
    return [{ topic: 'git', status, message: 'not installed', fix: 'install git from https://git-scm.com' }, plainFolder(root)]
  }
  const asked = await versionOf(program.path, root)
  const version = 'version' in asked ? asked.version : undefined
  const folder = isTop ? await examineRepository(root, program.path) : plainFolder(root)
  if (version !== undefined && isAtLeast(version, GIT_MIN)) return [{ topic: 'git', status: 'ok', message: version }, folder]
  const tooOld = version === undefined ? 'does not say its version' : `${version} is too old: Pawl needs ${GIT_MIN} or later`
  const message = 'trouble' in asked ? asked.trouble : tooOld
  return [
    { topic: 'git', status: isTop ? 'problem' : 'warning', message, fix: 'install a newer git from https://git-scm.com' },
    folder,
  ]
}

function plainFolder(root: string): Diagnosis {
  const message = `${root} is not the top of a git repository: Pawl keeps copies of it instead, which takes more room and time`
  return { topic: 'folder', status: 'warning', message, fix: 'run `git init` there, if you like' }
}

async function examineRepository(root: string, git: string): Promise<Diagnosis> {
  const result = await runCommand({
    command: [git, 'rev-parse', '--is-inside-work-tree'],
    cwd: root,
    env: childEnvironment(['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'], { LC_ALL: 'C' }),
    timeoutMs: 5000,
    graceMs: 200,
    signal: new AbortController().signal,
    onStarted: async () => {},
  })
  const said = result.status === 'exited' ? result.output.text.trim() : ''
  if (said === 'true') return { topic: 'folder', status: 'ok', message: `${root} is a git repository` }
  const [why = 'git does not answer'] = said.split('\n')
  const fix = `see what \`git -C ${root} status\` says`
  return { topic: 'folder', status: 'problem', message: `${root} is a repository that git cannot use: ${why}`, fix }
}

function isAtLeast(version: string, min: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [majorMin = 0, minorMin = 0] = min.split('.').map(Number)
  return major > majorMin || (major === majorMin && minor >= minorMin)
}

/** Why a run with this file would be refused at its start: what it is made of holds a secret. In the words of that refusal. */
async function secretInConfig(root: string, config: PawlConfig): Promise<string | undefined> {
  keepSecretsOf(process.env)
  try {
    await requireKeptWhole(taskConfig(root, standIns(config), config, { goal: 'any', name: 'any', control: {} }))
    return undefined
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    // Other problems of the file are reported by the part that reads it.
    return error.code === 'run.secret-in-config' ? error.message : undefined
  }
}

/** What the file leaves to flags. */
function standIns({ agent, checks, rules = [] }: PawlConfig): {
  readonly agentCommand?: string
  readonly check?: readonly string[]
} {
  return {
    ...(agent === undefined ? { agentCommand: 'true' } : {}),
    ...(checks.length + rules.length === 0 ? { check: ['true'] } : {}),
  }
}
