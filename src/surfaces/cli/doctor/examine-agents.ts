import { childEnvironment } from '../../../process/child-environment.ts'
import { resolveProgram } from '../../../process/resolve-program.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import { AGENT_PRESETS, type AgentPreset } from '../config/agent-presets.ts'
import type { PawlConfig } from '../config/pawl-config.ts'
import { tinkerCommand } from '../config/tinker-command.ts'
import { examineCommand } from './examine-command.ts'
import type { Examined } from './examined.ts'
import { versionOf } from './version-of.ts'

/** Every preset and every agent of the file: is it here, in which version. Whether it is logged in is not looked at. */
export async function examineAgents(root: string, config: PawlConfig | undefined): Promise<readonly Examined[]> {
  const own = config?.agents ?? {}
  const presets = Object.entries(AGENT_PRESETS).filter(([name]) => !Object.hasOwn(own, name))
  return Promise.all([
    ...presets.map(([name, preset]) => examinePreset(name, preset, root, config?.agent === name)),
    ...Object.entries(own).map(([name, agent]) => examineCommand(`agent ${name}`, agent, root, config?.agent === name)),
  ])
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
