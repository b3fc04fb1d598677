import type { JsonObject } from '../../core/json.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec } from '../../core/run-config.ts'
import { driverNames } from '../../settings/agent-presets.ts'
import { partName } from '../../present/config-view.ts'

/** What the flags set of the agent itself. */
export interface AgentFlags {
  readonly model?: string
  readonly session?: string
  readonly permissionMode?: string
}

/** The agent with what the flags set of it. A flag that its driver cannot take is a `usage.agent-setting` error that says what is right for it. */
export function withAgentFlags(spec: PartSpec, { model, session, permissionMode }: AgentFlags): PartSpec {
  const given = Object.entries({ model, session, permissionMode }) as readonly (readonly [keyof AgentFlags, string | undefined])[]
  return given.reduce((each, [flag, value]) => (value === undefined ? each : withFlag(each, flag, value)), spec)
}

function withFlag(spec: PartSpec, flag: keyof AgentFlags, value: string): PartSpec {
  if (flag === 'model') requireModel(value)
  const taken = settingOf(spec, flag, value)
  if (typeof taken !== 'string') return { ...spec, settings: { ...spec.settings, ...taken } }
  throw new PawlError('usage.agent-setting', `${NAMES[flag]} is not for ${partName(spec)}: ${taken}`, { value })
}

/** Agents get it as one word of their command line, where a dash would begin an option. */
function requireModel(value: string): void {
  if (/^[^-\s]\S*$/.test(value)) return
  throw new PawlError('usage.model', `--model takes the name of a model, which is one word, not ${JSON.stringify(value)}.`, {
    value,
  })
}

const NAMES: Readonly<Record<keyof AgentFlags, string>> = {
  model: '--model',
  session: '--session',
  permissionMode: '--permission-mode',
}

/** What the flag sets, or why it cannot. */
function settingOf(spec: PartSpec, flag: keyof AgentFlags, value: string): JsonObject | string {
  if (driverNames().includes(spec.name)) return { [flag]: value }
  if (spec.name === 'acp') return flag === 'permissionMode' ? ACP_MODES : { [flag]: value }
  if (spec.name === 'ai-sdk') return settingOfModel(spec, flag, value)
  if (spec.settings['name'] === 'tinker' || spec.name === 'explorer')
    return 'it comes with Pawl, works without a model and has none of this.'
  return `it is a command of your own, which Pawl hands nothing but the brief; write it into that command, in the program's own words. The agents that take it are ${driverNames().join(', ')}.`
}

const ACP_MODES =
  "it speaks ACP, where the modes are the agent's own: name one of them with `mode:`, and say what becomes of what it asks with `permissions: ask`, `allow` or `deny`, both under its name in `agents:` of pawl.yaml."

function settingOfModel({ settings }: PartSpec, flag: keyof AgentFlags, value: string): JsonObject | string {
  const { module } = settings
  switch (flag) {
    case 'model':
      return module === undefined ? { model: value } : `which model it is, the file says that exports it: ${String(module)}.`
    case 'session':
      return value === 'fresh'
        ? {}
        : 'a model has no session to continue; each piece of work starts fresh, with a complete brief.'
    case 'permissionMode':
      if (value === 'read') return { tools: 'read' }
      if (value === 'edit') return {}
      return 'a model has tools of Pawl that read and edit the files of its folder, and no others; leave it out, or take read or edit.'
  }
}
