import { dirname, join } from 'node:path'
import type { Loop } from '../../core/loop.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { recordedSettings } from '../../core/recorded-settings.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { keepSecretsOf } from '../../secrets/known-values.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../checks/check.ts'
import type { Store } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { machineProcesses } from '../../process/processes.ts'
import type { Parts } from '../../engine/parts.ts'
import { systemClock } from '../../process/clock.ts'

/** The store of runs. The hook before this one has looked at what lies further back, and the one after it reads the whole log that is left. */
export function openStore(path: string): Store {
  // The environment is that of the agent, which may repeat what is secret in it.
  keepSecretsOf(process.env)
  return sqliteStore({ path, eventsLookedAt: 2, logPagesMax: 64 })
}

/** Everything a run is made of but its agent, which is outside. Loaded here and not at the top: a tool's hook needs none of it. */
export async function partsFrom(config: RunConfig, store: Store, storePath: string): Promise<Parts> {
  const { memoizedDefinition } = await import('../../core/definition.ts')
  const { guardFrom } = await import('../../guards/guard-from.ts')
  const loop = await loopsFor(config.loop)
  const [checks, workspace] = await Promise.all([Promise.all(config.checks.map(checkFrom)), workspaceFrom(config.workspace)])
  return {
    definition: memoizedDefinition({ loop, guard: (spec) => guardFrom(spec) }),
    config,
    agent: outsideAgent(config.agent),
    checks,
    workspace,
    store,
    textsFolder: join(dirname(storePath), 'texts'),
    clock: systemClock,
    processes: machineProcesses,
  }
}

async function loopsFor({ name }: PartSpec): Promise<(spec: PartSpec) => Loop> {
  if (name === 'task') {
    const { taskLoop } = await import('../../loops/task/index.ts')
    return ({ settings }) => taskLoop(recordedSettings(settings))
  }
  if (name === 'ralph') {
    const { ralphLoop } = await import('../../loops/ralph/index.ts')
    return ({ settings }) => ralphLoop(recordedSettings(settings))
  }
  throw unknownPart('loop', name)
}

/** It works by itself; nobody here may start it. */
function outsideAgent(spec: PartSpec): Agent {
  return {
    spec,
    work: () => Promise.reject(new PawlError('agent.outside', 'The agent of this run works in its own session.')),
  }
}

async function workspaceFrom({ name, settings }: PartSpec): Promise<Workspace> {
  if (name === 'git') {
    const { gitWorkspace } = await import('../../workspaces/git-workspace.ts')
    return gitWorkspace(recordedSettings(settings))
  }
  if (name === 'folder') {
    const { folderWorkspace } = await import('../../workspaces/folder-workspace.ts')
    return folderWorkspace(recordedSettings(settings))
  }
  throw unknownPart('workspace', name)
}

async function checkFrom({ name, settings }: PartSpec): Promise<Check> {
  if (name === 'command') {
    const { commandCheck } = await import('../../checks/command-check.ts')
    const { reportFormats, reportParserNamed, reportParsers } = await import('../../checks/reports/index.ts')
    const reports = { parsers: reportParsers, parserNamed: reportParserNamed, parserNames: reportFormats }
    return commandCheck(recordedSettings({ ...settings, ...reports }))
  }
  if (name === 'person-review') {
    const { personReview } = await import('../../checks/person-review.ts')
    return personReview({ name: String(settings['name']) })
  }
  if (name === 'agent-review') {
    const { agentReview } = await import('../../checks/agent-review.ts')
    const { commandAgent } = await import('../../agents/command-agent.ts')
    const { settings: options } = settings['agent'] as unknown as PartSpec
    return agentReview({
      name: String(settings['name']),
      agent: commandAgent(recordedSettings(options)),
    })
  }
  return await ruleFrom(name, settings)
}

/** The other kinds of rules. A validator is a function of a program, and no hook has it. */
async function ruleFrom(name: string, settings: PartSpec['settings']): Promise<Check> {
  if (name === 'content-pattern') {
    const { contentPattern } = await import('../../checks/content-pattern.ts')
    return contentPattern(recordedSettings(settings))
  }
  if (name === 'coverage') {
    const { coverage } = await import('../../checks/coverage.ts')
    return coverage(recordedSettings(settings))
  }
  if (name === 'file-existence') {
    const { fileExistence } = await import('../../checks/file-existence.ts')
    return fileExistence(recordedSettings(settings))
  }
  throw unknownPart('check', name)
}

function unknownPart(kind: string, name: string): PawlError {
  return new PawlError('run.unknown-part', `This run uses the ${kind} "${name}", which a hook cannot build.`, { value: name })
}
