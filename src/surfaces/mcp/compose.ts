import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { memoizedDefinition } from '../../core/definition.ts'
import { guardFrom } from '../../guards/index.ts'
import type { Loop } from '../../core/loop.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { recordedSettings } from '../../core/recorded-settings.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { folderCodebase } from '../../codebase/folder-codebase.ts'
import { commandCheck } from '../../checks/command-check.ts'
import { contentPattern } from '../../checks/content-pattern.ts'
import { coverage } from '../../checks/coverage.ts'
import { fileExistence } from '../../checks/file-existence.ts'
import { ruleCheck, VALIDATOR_FOLDER } from '../../checks/rule.ts'
import { reportFormats, reportParserNamed, reportParsers } from '../../checks/reports/index.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import { manifestPath } from '../../workspaces/folder-snapshots.ts'
import { dropSnapshots, gitWorkspace } from '../../workspaces/git-workspace.ts'
import { keepSecretsOf } from '../../secrets/known-values.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { LEAD, researchLoop } from '../../loops/research/index.ts'
import { testOutput } from '../../loops/task/iteration-check/test-output.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../checks/check.ts'
import type { Store } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { machineProcesses } from '../../process/processes.ts'
import { isInRepository } from '../../settings/in-repository.ts'
import type { Parts } from '../../engine/parts.ts'
import { systemClock } from '../../process/clock.ts'
import { AGENT } from './outside-agent.ts'

/** The store of a project. What is secret in our own environment gets into it from nowhere: an agent or a person may repeat it. */
export function openStore(path: string): Store {
  keepSecretsOf(process.env)
  return sqliteStore({ path })
}

/** Everything a run is made of but its agent, which is outside: it calls us. */
export function partsFrom(config: RunConfig, store: Store, storePath: string): Parts {
  if (config.agent.name !== AGENT) throw notOurs(config.agent.name)
  return {
    definition: memoizedDefinition({ loop: loopFrom, guard: (spec) => guardFrom(spec) }),
    config,
    agent: outsideAgent(config.agent),
    checks: config.checks.map(checkFrom),
    workspace: workspaceFrom(config.workspace),
    store,
    clock: systemClock,
    processes: machineProcesses,
    textsFolder: join(dirname(storePath), 'texts'),
  }
}

/** The parts of research that a lead agent drives: its specialists work outside, and hand in what they found. */
export function leadParts(config: RunConfig, store: Store, storePath: string): Parts {
  if (config.agent.name !== LEAD.name) throw notOurs(config.agent.name)
  const loop = researchLoop(recordedSettings(config.loop.settings))
  return {
    definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec) }),
    config,
    agent: outsideAgent(config.agent),
    checks: [],
    workspace: workspaceFrom(config.workspace),
    ...(config.codebase ? { codebase: folderCodebase(recordedSettings(config.codebase.settings)) } : {}),
    store,
    clock: systemClock,
    processes: machineProcesses,
    textsFolder: join(dirname(storePath), 'texts'),
  }
}

/** The files of a folder as data; what was read of them is kept beside the store. */
export function codebaseSpec(path: string, storePath: string): PartSpec {
  return { name: 'folder-codebase', v: 1, settings: { path, cachePath: join(dirname(storePath), 'code.db') } }
}

/** The data of the check that a validation rule describes; throws `config.rule` for one that cannot be. */
export function ruleSpec(rule: unknown): PartSpec {
  return ruleCheck(rule, {
    validatorFolder: VALIDATOR_FOLDER,
    command: (options) => commandCheck({ ...options, ...REPORTS }),
  }).spec
}

/** Git where there is a repository, else plain copies. */
export function workspaceSpec(path: string): PartSpec {
  return isInRepository(path)
    ? { name: 'git', v: 1, settings: { path, worktree: false } }
    : { name: 'folder', v: 1, settings: { path } }
}

/**
 * Forgets snapshots with these labels and says which were dropped; the files stay as they are. Of plain copies only the names go: their
 * contents may be those of other snapshots.
 */
export async function dropLabels(
  { name, settings }: PartSpec,
  run: string,
  labels: readonly string[],
): Promise<readonly string[]> {
  const path = String(settings['path'])
  if (labels.length === 0) return []
  if (name === 'git') return dropSnapshots(path, run, labels)
  const names = labels.map((label) => `refs/pawl/${run}/${label}`)
  const copies = String(settings['store'] ?? join(path, '.pawl', 'snapshots'))
  await Promise.all(names.map((each) => rm(manifestPath(copies, each), { force: true })))
  return names
}

/** Reads what tests printed, in every format that Pawl knows. */
export const readTestOutput = testOutput(reportParsers)

const REPORTS = { parsers: reportParsers, parserNamed: reportParserNamed, parserNames: reportFormats }

/** It works by itself: what it is told is on record with the decision that led to it, and nobody here may start it. */
function outsideAgent(spec: PartSpec): Agent {
  return {
    spec,
    isInProcess: true,
    work: () => Promise.reject(new PawlError('agent.outside', 'The agent of this run works in its own session.')),
  }
}

function loopFrom({ name, settings }: PartSpec): Loop {
  if (name === 'ralph') return ralphLoop(recordedSettings(settings))
  throw unknownPart('loop', name)
}

function workspaceFrom({ name, settings }: PartSpec): Workspace {
  if (name === 'git') return gitWorkspace(recordedSettings(settings))
  if (name === 'folder') return folderWorkspace(recordedSettings(settings))
  throw unknownPart('workspace', name)
}

function checkFrom({ name, settings }: PartSpec): Check {
  if (name === 'command') return commandCheck(recordedSettings({ ...settings, ...REPORTS }))
  if (name === 'content-pattern') return contentPattern(recordedSettings(settings))
  if (name === 'coverage') return coverage(recordedSettings(settings))
  if (name === 'file-existence') return fileExistence(recordedSettings(settings))
  throw unknownPart('check', name)
}

function notOurs(agent: string): PawlError {
  const message = `This run is driven by the agent "${agent}", not through MCP: look at it with run_history, drive it with \`pawl resume\`.`
  return new PawlError('mcp.not-ours', message, { value: agent })
}

function unknownPart(kind: string, name: string): PawlError {
  return new PawlError('run.unknown-part', `This run uses the ${kind} "${name}", which the MCP server cannot build.`, {
    value: name,
  })
}
