import { childEnvironment } from '../../../process/child-environment.ts'
import { resolveProgram } from '../../../process/resolve-program.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { AGENT_PRESETS, type AgentPreset } from '../config/agent-presets.ts'
import type { ConfiguredModel } from '../config/other-agents.ts'
import type { ConfiguredAgent, ConfiguredDriver, PawlConfig } from '../config/pawl-config.ts'
import { tinkerCommand } from '../config/tinker-command.ts'
import { examineCommand } from './examine-command.ts'
import { examineModel } from './examine-model.ts'
import type { Examined } from './examined.ts'
import { versionOf } from './version-of.ts'

/**
 * Every preset and every agent of the file: is it here, in which version. One that the file gives a part to must be. Whether it is
 * logged in is not looked at.
 */
export async function examineAgents(root: string, config: PawlConfig | undefined): Promise<readonly Examined[]> {
  const own = config?.agents ?? {}
  const isUsed = (name: string) => partsOf(name, config).length > 0
  const presets = Object.entries(AGENT_PRESETS).filter(([name]) => !Object.hasOwn(own, name))
  return Promise.all([
    ...presets.map(async ([name, preset]) =>
      withParts(await examinePreset(name, preset, root, isUsed(name)), partsOf(name, config)),
    ),
    ...Object.entries(own).map(async ([name, agent]) =>
      withParts(await examineOwn(name, agent, root, isUsed(name)), partsOf(name, config)),
    ),
    ...modelless(config),
  ])
}

/** A program of the user's own, or a known agent with settings of its own. */
async function examineOwn(name: string, agent: ConfiguredAgent, root: string, isUsed: boolean): Promise<Examined> {
  if ('command' in agent) return examineCommand(`agent ${name}`, agent, root, isUsed)
  if ('acp' in agent) return examineCommand(`agent ${name}`, agent.acp, root, isUsed)
  if (isModel(agent)) return examineModel(name, agent, isUsed)
  const { driver = name } = agent
  const preset = AGENT_PRESETS[driver]
  const { program = preset?.program } = agent
  return examinePreset(name, { title: '', ...preset, ...(program === undefined ? {} : { program }) }, root, isUsed)
}

function isModel(agent: ConfiguredModel | ConfiguredDriver): agent is ConfiguredModel {
  return 'module' in agent || 'baseUrl' in agent
}

/** The parts that the file gives to an agent, in words. */
function partsOf(name: string, config: PawlConfig | undefined): readonly string[] {
  const { agent, reviewer, questioner, experts = {}, roles = {} } = config ?? {}
  const played = Object.entries(roles).filter(([, player]) => player === name)
  const guards = Object.entries(experts).filter(([, expert]) => expert === name)
  return [
    ...(agent === name ? ['does the work'] : []),
    ...(reviewer === name ? ['is the reviewer'] : []),
    ...(questioner === name ? ['puts questions into words'] : []),
    ...played.map(([role]) => `is the ${OWN_ROLES.has(role) ? role : `coder ${role}`} of reviews`),
    ...guards.map(([guard]) => `is the expert for ${guard}`),
  ]
}

/** Roles of a review that are no coder's. */
const OWN_ROLES: ReadonlySet<string> = new Set(['reviewer', 'planner', 'repairer'])

/** Of an agent that is in order nobody asks what it is for. */
function withParts(examined: Examined, parts: readonly string[]): Examined {
  if (examined.status === 'ok' || parts.length === 0) return examined
  return { ...examined, message: `${examined.message}; in pawl.yaml it ${parts.join(' and ')}` }
}

/** tinker has no opinion. */
function modelless(config: PawlConfig | undefined): readonly Examined[] {
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

async function examinePreset(
  name: string,
  { program, npmPackage }: AgentPreset,
  root: string,
  isUsed: boolean,
): Promise<Examined> {
  const topic = `agent ${name}`
  if (program === undefined) return examineTinker(topic)
  const found = await resolveProgram(program, root, childEnvironment([], {})['PATH'])
  if (found.status === 'found') {
    const version = (await versionOf(found.path, root)) ?? 'does not say its version'
    return { topic, status: 'ok', message: `${version} (${found.path})` }
  }
  // A program that is there but cannot run deserves more than "not installed".
  const message = found.status === 'not-found' ? 'not installed' : found.message
  const status = isUsed ? 'problem' : found.status === 'not-found' ? 'absent' : 'warning'
  return { topic, status, message, fix: `npm install -g ${npmPackage}` }
}

function examineTinker(topic: string): Examined {
  try {
    tinkerCommand()
    return { topic, status: 'ok', message: 'comes with Pawl' }
  } catch (error) {
    if (!(error instanceof PawlError)) throw error
    return { topic, status: 'problem', message: error.message, fix: 'install Pawl anew' }
  }
}
