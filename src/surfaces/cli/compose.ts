import { dirname, join } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import { acpAgent } from '../../agents/acp/acp-agent.ts'
import { modelAgent } from '../../agents/ai-sdk/model-agent.ts'
import { claudeAgent } from '../../agents/claude.ts'
import { codexAgent } from '../../agents/codex.ts'
import { explorerAgent } from '../../agents/explorer/explorer-agent.ts'
import { folderCodebase } from '../../codebase/folder-codebase.ts'
import type { Question } from '../../core/question.ts'
import type { ReadableCodebase } from '../../codebase/codebase.ts'
import { commandAgent } from '../../agents/command-agent.ts'
import { geminiAgent } from '../../agents/gemini.ts'
import { opencodeAgent } from '../../agents/opencode.ts'
import { qwenAgent } from '../../agents/qwen.ts'
import type { StreamAgentOptions } from '../../agents/streams/stream-agent.ts'
import { commandCheck } from '../../checks/command-check.ts'
import { contentPattern } from '../../checks/content-pattern.ts'
import { coverage } from '../../checks/coverage.ts'
import { fileExistence } from '../../checks/file-existence.ts'
import { ruleCheck, VALIDATOR_FOLDER } from '../../checks/rule.ts'
import { agentReview } from '../../checks/agent-review.ts'
import { personReview } from '../../checks/person-review.ts'
import { terminalPerson } from './terminal-person.ts'
import { recordingFiles } from '../../evidence/recordings/recording-files.ts'
import { recordingLines } from '../../evidence/recordings/recording-lines.ts'
import { reportFormats, reportParserNamed, reportParsers } from '../../checks/reports/index.ts'
import { agentOfTranscript, UNREADABLE_AGENTS } from '../../evidence/transcripts/agent-of-transcript.ts'
import { claudeTranscript } from '../../evidence/transcripts/claude-transcript.ts'
import { codexTranscript } from '../../evidence/transcripts/codex-transcript.ts'
import { geminiTranscript } from '../../evidence/transcripts/gemini-transcript.ts'
import { transcriptFiles } from '../../evidence/transcripts/transcript-files.ts'
import { transcriptLines } from '../../evidence/transcripts/transcript-lines.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { sqliteStore } from '../../stores/sqlite-store.ts'
import { folderWorkspace } from '../../workspaces/folder-workspace.ts'
import { git } from '../../workspaces/git-program.ts'
import { gitWorkspace } from '../../workspaces/git-workspace.ts'
import { unifiedDiff } from '../../workspaces/unified-diff.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../checks/check.ts'
import type { Person } from '../../engine/person.ts'
import type { Store } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import { guardFrom } from '../../guards/index.ts'
import type { Loop } from '../../core/loop.ts'
import { recordedSettings } from '../../core/recorded-settings.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { keepSecretsOf } from '../../secrets/known-values.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { reviewLoop } from '../../loops/review/index.ts'
import { researchLoop } from '../../loops/research/index.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { testOutput } from '../../loops/task/iteration-check/test-output.ts'
import { machineProcesses } from '../../process/processes.ts'
import type { Parts } from '../../engine/parts.ts'
import { systemClock } from '../../process/clock.ts'
import type { Project } from '../../settings/find-project.ts'

/** The names of the report formats that a check may name. */
export { reportFormats }

/** The agents whose transcripts can be read. */
export const TRANSCRIPT_AGENTS = [claudeTranscript, codexTranscript, geminiTranscript]

/** The files of transcripts, their lines, and whose a file is, also of agents that cannot be read. */
export { agentOfTranscript, transcriptFiles, transcriptLines, UNREADABLE_AGENTS }

/** Reads the reports that tests print, where a command may have run anything. */
export const testReportParsers = reportParsers

/** Files of recorded loops, and their lines. */
export { recordingFiles, recordingLines }

/** The worktrees that runs have for themselves. */
export {
  listWorktrees,
  removeLeftovers,
  removeWorktree,
  worktreeLosses,
  type WorktreeLosses,
} from '../../workspaces/git-worktree-removal.ts'

/** The project's store. What is secret in our own environment gets into it from nowhere: an agent, a file or a person may repeat it. */
export function openStore(project: Project): Store {
  keepSecretsOf(process.env)
  return sqliteStore({ path: project.storePath })
}

/** A store that nobody finds again, for looking at what would be written. */
export function noStore(): Store {
  return memoryStore()
}

/** Builds everything a run is made of from its configuration: the same way for a new run and for one that is resumed. */
export function partsFrom(config: RunConfig, store: Store, project: Project, agent: Agent = agentFrom(config.agent)): Parts {
  return {
    definition: memoizedDefinition({ loop: loopFrom, guard: (spec) => guardFrom(spec) }),
    config,
    agent,
    ...(config.roles ? { roles: mapped(config.roles, agentFrom) } : {}),
    ...(config.fallbacks ? { fallbacks: config.fallbacks.map(agentFrom) } : {}),
    agentOf: agentFrom,
    checks: config.checks.map(checkFrom),
    ...(config.questioner ? { questioner: agentFrom(config.questioner) } : {}),
    textsFolder: join(dirname(project.storePath), 'texts'),
    workspace: workspaceFrom(config.workspace),
    ...(config.codebase ? { codebase: codebaseFrom(config.codebase) } : {}),
    store,
    clock: systemClock,
    processes: machineProcesses,
  }
}

function loopFrom({ name, settings }: PartSpec): Loop {
  if (name === 'task') return taskLoop(recordedSettings(settings))
  if (name === 'ralph') return ralphLoop(recordedSettings(settings))
  if (name === 'review') return reviewLoop(recordedSettings(settings))
  if (name === 'research') return researchLoop(recordedSettings(settings))
  throw unknownPart('loop', name)
}

function mapped<From, To>(record: Readonly<Record<string, From>>, make: (from: From) => To): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([name, from]) => [name, make(from)]))
}

/** The person at this terminal; `before` makes room for the question, and shows what it rests on. */
export function personAtTerminal(before: (question: Question) => void): Person {
  return terminalPerson({ before })
}

/** Builds a workspace from its data. */
export function workspaceFrom({ name, settings }: PartSpec): Workspace {
  if (name === 'git') return gitWorkspace(recordedSettings(settings))
  if (name === 'folder') return folderWorkspace(recordedSettings(settings))
  if (name === 'imported')
    throw new PawlError(
      'run.imported',
      'This run was imported from a transcript: its files were never seen, so there is nothing to compare or to bring back.',
    )
  throw unknownPart('workspace', name)
}

/** Builds a codebase from its data: one for all who look at the same folder, since reading it takes a while. */
function codebaseFrom({ name, settings }: PartSpec): ReadableCodebase {
  if (name !== 'folder-codebase') throw unknownPart('codebase', name)
  const key = JSON.stringify(settings)
  const known = codebases.get(key) ?? folderCodebase(recordedSettings(settings))
  codebases.set(key, known)
  return known
}

const codebases = new Map<string, ReadableCodebase>()

/** Builds an agent from its data. */
export function agentFrom({ name, settings }: PartSpec): Agent {
  if (name === 'command') return commandAgent(recordedSettings(settings))
  if (name === 'acp') return acpAgent(recordedSettings(settings))
  if (name === 'explorer') return explorerAgent({ codebase: codebaseFrom(settings['codebase'] as unknown as PartSpec) })
  if (name === 'ai-sdk') return modelAgent(recordedSettings(settings))
  const driver = Object.hasOwn(AGENT_DRIVERS, name) ? AGENT_DRIVERS[name] : undefined
  if (driver) return driver(recordedSettings(settings))
  throw unknownPart('agent', name)
}

const AGENT_DRIVERS: Readonly<Record<string, (options: StreamAgentOptions) => Agent>> = {
  claude: claudeAgent,
  codex: codexAgent,
  gemini: geminiAgent,
  qwen: qwenAgent,
  opencode: opencodeAgent,
}

/** The agent of a run that another program drives; nobody here may start it. */
export function outsideAgent(spec: PartSpec): Agent {
  return {
    spec,
    work: () => Promise.reject(new PawlError('agent.outside', 'The agent of this run works in its own session.')),
  }
}

/** Builds a check from its data. */
function checkFrom({ name, settings }: PartSpec): Check {
  if (name === 'agent-review')
    return agentReview({ name: String(settings['name']), agent: agentFrom(settings['agent'] as unknown as PartSpec) })
  if (name === 'person-review') return personReview({ name: String(settings['name']) })
  if (name === 'command') return commandCheck(recordedSettings({ ...settings, ...REPORTS }))
  if (name === 'content-pattern') return contentPattern(recordedSettings(settings))
  if (name === 'coverage') return coverage(recordedSettings(settings))
  if (name === 'file-existence') return fileExistence(recordedSettings(settings))
  throw unknownPart('check', name)
}

/** The check that a validation rule describes, as data. Throws `config.rule` with the field that is wrong. */
export function ruleSpec(rule: unknown): PartSpec {
  const { spec } = ruleCheck(rule, {
    validatorFolder: VALIDATOR_FOLDER,
    command: (options) => commandCheck({ ...options, ...REPORTS }),
  })
  return { ...spec, settings: { ...spec.settings, [RULE]: true } }
}

/** Marks a check that was made from a rule: `--check` does not replace it. */
export const RULE = 'rule'

const REPORTS = { parsers: reportParsers, parserNamed: reportParserNamed, parserNames: reportFormats }

function unknownPart(kind: string, name: string): PawlError {
  return new PawlError(
    'run.unknown-part',
    `This run uses the ${kind} "${name}", which the command line cannot build; resume it with the program that started it.`,
    { value: name },
  )
}

/** Reads what tests printed, in every format that Pawl knows. */
export const readTestOutput = testOutput(reportParsers)

/** What is changed in a git repository against its last commit, the first `bytesMax` bytes of it; nothing where there is no commit. */
export async function workingDiff(path: string, bytesMax: number): Promise<string> {
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', 'HEAD']
  const { exitCode, stdout } = await git(args, { cwd: path, exitCodes: [0, 128] })
  return exitCode === 0
    ? stdout
        .subarray(0, bytesMax)
        .toString('utf8')
        .replace(/\uFFFD+$/, '')
    : ''
}

/** The difference of a file as lines of a patch; `undefined` stands for a file that is not there. */
export function fileDiff(path: string, before: string | undefined, after: string | undefined): readonly string[] {
  const { text } = unifiedDiff(path, fileVersion(before), fileVersion(after))
  return text.toString('utf8').trimEnd().split('\n').slice(1)
}

function fileVersion(text: string | undefined) {
  return text === undefined ? undefined : { mode: '100644', content: Buffer.from(text) }
}
