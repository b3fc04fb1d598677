import type { PartSpec } from '../core/run-config.ts'
import { driverNames } from '../settings/agent-presets.ts'

/** What an agent is set to, as far as that is known. */
export interface AgentSettings {
  readonly model?: string
  readonly permissionMode?: string
  /** Whether an iteration goes on in the session of the one before; absent for an agent that has no sessions. */
  readonly sessionMode?: 'fresh' | 'continue'
}

/** Reads the settings of an agent. */
export function agentSettings({ name, settings }: PartSpec): AgentSettings {
  const { model, permissionMode, session } = settings
  const hasSessions = driverNames().includes(name) || name === 'acp'
  return {
    ...(typeof model === 'string' ? { model } : {}),
    ...(typeof permissionMode === 'string' ? { permissionMode } : {}),
    ...(hasSessions ? { sessionMode: session === 'continue' ? 'continue' : 'fresh' } : {}),
  }
}

/** ` (model gpt-5, permission mode read, session continue)`; nothing where nothing is set, or only what holds anyway. */
export function settingsWords(spec: PartSpec): string {
  const { model, permissionMode, sessionMode } = agentSettings(spec)
  const { mode } = spec.settings
  const words = [
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(permissionMode === undefined ? [] : [`permission mode ${permissionMode}`]),
    ...(typeof mode === 'string' ? [`mode ${mode}`] : []),
    ...(sessionMode === 'continue' ? ['session continue'] : []),
  ]
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}
