import { join } from 'node:path'
import { childEnvironment } from '../../../process/command-options.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { AGENT_PRESETS, type AgentPreset, type LoginSigns, type Support } from '../../../settings/agent-presets.ts'
import type { ConfiguredModel } from '../../../settings/other-agents.ts'
import type { ConfiguredAgent, ConfiguredDriver, PawlConfig } from '../../../settings/pawl-config.ts'
import { transcriptsOf } from '../../../registry/agent-tools.ts'
import { agentFrom } from '../../../registry/parts-from.ts'
import { resolveAgent, tinkerCommand } from '../../../settings/resolve-agent.ts'
import { isTrusted } from '../../../settings/user-files.ts'
import { examineCommand, type Diagnosis, isOfProject, type Login, versionOf } from './examination.ts'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { connect } from 'node:net'

/**
 * Every preset and every agent of the file: is it here, in which version, does somebody seem to be logged in, and what can be had of it.
 * One that the file gives a part to must be here. Secrets are not read.
 */
export async function examineAgents(root: string, config: PawlConfig | undefined): Promise<readonly Diagnosis[]> {
  const own = config?.agents ?? {}
  const isUsed = (name: string) => partsOf(name, config).length > 0
  const whole = async (name: string, examined: Diagnosis): Promise<Diagnosis> =>
    isUsed(name) && examined.status === 'ok' ? await withTrouble(examined, name, root, config) : examined
  const presets = Object.entries(AGENT_PRESETS).filter(([name]) => !Object.hasOwn(own, name))
  return Promise.all([
    ...presets.map(async ([name, preset]) =>
      withParts(await whole(name, await examinePreset(name, preset, root, isUsed(name))), partsOf(name, config)),
    ),
    ...Object.entries(own).map(async ([name, agent]) =>
      withParts(await whole(name, await examineOwn(name, agent, root, isUsed(name))), partsOf(name, config)),
    ),
    ...modelless(config),
  ])
}

/** What a run would ask about before its first attempt, such as a key that is not passed on. Nothing is run for it. */
async function withTrouble(examined: Diagnosis, name: string, root: string, config: PawlConfig | undefined): Promise<Diagnosis> {
  const { topic } = examined
  const trouble = await (await agentFrom(resolveAgent(name, config))).ready?.(root)
  return trouble
    ? { topic, status: 'problem', message: trouble.message, fix: trouble.fix.replace(/[,;] then resume.*$/, '') }
    : examined
}

/** The user's own program, or a known agent with its own settings. */
async function examineOwn(name: string, agent: ConfiguredAgent, root: string, isUsed: boolean): Promise<Diagnosis> {
  if ('command' in agent) return examineCommand(`agent ${name}`, agent, root, isUsed)
  if ('acp' in agent) return { ...(await examineCommand(`agent ${name}`, agent.acp, root, isUsed)), supports: OF_ACP }
  if (isModel(agent))
    return { ...(await examineModel(name, agent, isUsed)), supports: agent.prices ? [...OF_MODELS, 'cost'] : OF_MODELS }
  const { driver = name } = agent
  const preset = AGENT_PRESETS[driver]
  const own = agent.program === preset?.program ? undefined : agent.program
  return examinePreset(name, { title: '', ...preset }, root, isUsed, own)
}

const OF_ACP: readonly Support[] = ['stream', 'resume', 'acp', 'permissions']
const OF_MODELS: readonly Support[] = ['stream', 'tokens']

function isModel(agent: ConfiguredModel | ConfiguredDriver): agent is ConfiguredModel {
  return 'module' in agent || 'baseUrl' in agent
}

/** The parts that the file gives to an agent, in words. */
function partsOf(name: string, config: PawlConfig | undefined): readonly string[] {
  const { agent, fallback = [], reviewer, questioner, experts = {}, roles = {} } = config ?? {}
  const played = Object.entries(roles).filter(([, player]) => player === name)
  const guards = Object.entries(experts).filter(([, expert]) => expert === name)
  return [
    ...(agent === name ? ['does the work'] : []),
    ...(fallback.includes(name) ? ['is a fallback'] : []),
    ...(reviewer === name ? ['is the reviewer'] : []),
    ...(questioner === name ? ['puts questions into words'] : []),
    ...played.map(([role]) => `is the ${OWN_ROLES.has(role) ? role : `coder ${role}`} of reviews`),
    ...guards.map(([guard]) => `is the expert for ${guard}`),
  ]
}

/** Roles of a review that are no coder's. */
const OWN_ROLES: ReadonlySet<string> = new Set(['reviewer', 'planner', 'repairer'])

function withParts(examined: Diagnosis, parts: readonly string[]): Diagnosis {
  if (parts.length === 0) return examined
  // What is wrong with it matters for what it is there for.
  const wrong = examined.message.replace(/\.$/, '')
  const message = examined.status === 'ok' ? examined.message : `${wrong}; in pawl.yaml it ${parts.join(' and ')}`
  return { ...examined, message, parts }
}

/** tinker has no opinion. */
function modelless(config: PawlConfig | undefined): readonly Diagnosis[] {
  if (config?.agents['tinker'] !== undefined) return []
  const fix = 'name another agent in pawl.yaml'
  const { roles = {} } = config ?? {}
  const parts = {
    reviewer: [config?.reviewer, roles['reviewer']],
    questioner: [config?.questioner],
    planner: [roles['planner']],
  }
  return Object.entries(parts)
    .filter(([, players]) => players.includes('tinker'))
    .map(([part]) => ({ topic: part, status: 'problem', message: `tinker cannot be the ${part}: it has no model`, fix }))
}

/** `own` is a program that the file names in the place of the preset's: no package of the preset brings that one. */
async function examinePreset(name: string, preset: AgentPreset, root: string, isUsed: boolean, own?: string): Promise<Diagnosis> {
  const { login, supports } = preset
  const program = own ?? preset.program
  const npmPackage = own === undefined ? preset.npmPackage : undefined
  const topic = `agent ${name}`
  if (program === undefined) return examineTinker(topic)
  const found = await resolveProgram(program, root, childEnvironment([], {})['PATH'])
  if (found.status === 'found') {
    const isForeign = own !== undefined || isOfProject(found.path, root)
    if (isForeign && !isTrusted(root))
      return { topic, status: 'ok', message: `${found.path}; not run`, ...(supports ? { supports } : {}) }
    const asked = await versionOf(found.path, root)
    if ('trouble' in asked) return brokenAgent(topic, `${found.path} ${asked.trouble}`, npmPackage, isUsed)
    const { version = 'does not say its version' } = asked
    const sessions = await transcriptsOf(preset.program ?? name, process.env)
    const more = {
      ...(login ? { login: loginOf(login) } : {}),
      ...(supports ? { supports } : {}),
      ...(sessions.length === 0 ? {} : { sessions }),
    }
    return { topic, status: 'ok', message: `${version} (${found.path})`, ...more }
  }
  const local = program.includes('/') ? undefined : await inModules(program, root)
  if (local !== undefined) return localOnly(topic, local, npmPackage, isUsed)
  if (own !== undefined) {
    const missing = own.includes('/') ? 'put it there' : `install ${own}`
    const mending = found.status === 'not-found' ? missing : 'fix that file'
    const fix = `${mending}, or correct \`program\` of ${name} in pawl.yaml, which names it`
    return { topic, status: isUsed ? 'problem' : 'warning', message: found.message, fix }
  }
  // A program that is there but cannot run deserves more than "not installed".
  const message = found.status === 'not-found' ? 'not installed' : found.message
  const status = isUsed ? 'problem' : found.status === 'not-found' ? 'absent' : 'warning'
  return { topic, status, message, fix: `npm install -g ${npmPackage}` }
}

/** A program that can't report its version won't work either. */
function brokenAgent(topic: string, message: string, npmPackage: string | undefined, isUsed: boolean): Diagnosis {
  const anew = npmPackage === undefined ? '' : `, or npm install -g ${npmPackage}`
  return { topic, status: isUsed ? 'problem' : 'warning', message, fix: `see what it says to --version${anew}` }
}

/** The program in the project's own packages, which npm's scripts find and a shell does not. */
async function inModules(program: string, root: string): Promise<string | undefined> {
  const found = await resolveProgram(join('node_modules', '.bin', program), root)
  return found.status === 'found' ? found.path : undefined
}

function localOnly(topic: string, path: string, npmPackage: string | undefined, isUsed: boolean): Diagnosis {
  const name = topic.slice('agent '.length)
  const message = `only in the project's own packages (${path}), which are not on the PATH`
  const anew = npmPackage === undefined ? '' : `, or npm install -g ${npmPackage}`
  const fix = `name it in pawl.yaml (agents: { ${name}: { program: ${path} } })${anew}`
  return { topic, status: isUsed ? 'problem' : 'warning', message, fix }
}

function examineTinker(topic: string): Diagnosis {
  try {
    tinkerCommand()
    return { topic, status: 'ok', message: 'comes with Pawl' }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return { topic, status: 'problem', message: error.message, fix: 'reinstall Pawl' }
  }
}

/**
 * Whether the file is there that exports the model; or the variable set that holds its key, and somebody to be had at its address. None
 * of it is read, and the model is not asked.
 */
async function examineModel(name: string, agent: ConfiguredModel, isUsed: boolean): Promise<Diagnosis> {
  const { module, model = '', baseUrl = '', key } = agent
  const topic = `agent ${name}`
  const status = isUsed ? 'problem' : 'warning'
  if (module !== undefined)
    return existsSync(module)
      ? { topic, status: 'ok', message: `the model that ${module} exports; not tried` }
      : { topic, status, message: `There is no file ${module}.`, fix: 'write it, or correct `module` in pawl.yaml' }
  if (key !== undefined && (process.env[key] ?? '') === '')
    return { topic, status, message: `The variable ${key}, which holds its key, is not set.`, fix: `set ${key}` }
  const problem = await reachAddress(baseUrl)
  // Only the host: the rest of an address may hold a password or a key.
  const { host } = new URL(baseUrl)
  if (problem !== undefined)
    return {
      topic,
      status,
      message: `The model ${model} cannot be reached at ${host}: ${problem}.`,
      fix: 'start what serves it, or correct `base_url` in pawl.yaml',
    }
  return { topic, status: 'ok', message: `the model ${model}; somebody answers at ${host}, the model was not tried` }
}

/**
 * Whether somebody seems to be logged in: a variable is set, or the file is there in which the agent keeps its log-in. Neither is read.
 * What a key chain of the system holds nobody sees from here, so `none` is no proof.
 */
function loginOf({ file, folder, variables, how }: LoginSigns, env = process.env): Login {
  const variable = variables.find((name) => (env[name] ?? '') !== '')
  if (variable !== undefined) return { status: 'found', by: `${variable} is set` }
  const home = env['HOME'] ?? homedir()
  const own = folder === undefined ? undefined : env[folder.variable]
  const path = own && folder ? join(own, file.slice(folder.of.length)) : join(home, file)
  return existsSync(path) ? { status: 'found', by: path } : { status: 'none', how }
}

/** Why nobody is to be had at an address; `undefined` where somebody takes the call. Nothing is said to them. */
async function reachAddress(address: string, limitMs = 1500): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(address)
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
      timeout: limitMs,
    })
    const end = (problem: string | undefined): void => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end(`nobody answered within ${limitMs / 1000} s`))
    socket.once('error', (error: NodeJS.ErrnoException) => end(REASONS[error.code ?? ''] ?? error.message))
  })
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host could not be looked up',
}
