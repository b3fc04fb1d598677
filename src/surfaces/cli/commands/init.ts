import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { childEnvironment } from '../../../process/command-options.ts'
import { resolveProgram } from '../../../process/find-program.ts'
import { agentSign, trustFolder } from '../../../settings/user-files.ts'
import type { CliContext } from '../cli-context.ts'
import {
  type ChosenCheck,
  type ConfigChoice,
  configText,
  type ConfigWriting,
  namedChecks,
  schemaFor,
  writeConfig,
} from '../../../settings/config-text.ts'
import { findAgents, type FoundAgent } from '../../../settings/agent-presets.ts'
import { findPrepare, findTestCommands, type FoundPrepare, type FoundTestCommand } from '../../../settings/find-test-commands.ts'
import { EXIT } from '../exit-codes.ts'
import { type TriedTestCommand, tryTestCommands } from './init-trial.ts'

/** The flags of `pawl init`. */
export interface InitOptions {
  /** Replace a `pawl.yaml` that is there; the old one is kept. */
  readonly force?: boolean
  /** Ask nothing, take what was found. Nothing is asked either if nobody looks. */
  readonly yes?: boolean
}

/** Looks at the folder, writes a `pawl.yaml` with what it found, and says what to type next. Exit 2 when another file is in the way. */
export async function init(context: CliContext, { force = false, yes = false }: InitOptions = {}): Promise<number> {
  const { project, terminal, isJson } = context
  const found = findTestCommands(project.root, { hasPytest: await isInstalled('pytest', project.root) })
  if (found.length > 0) terminal.live(`Trying ${found.map(({ command }) => command).join(', ')} …`)
  const tried = await tryTestCommands(project.root, found)
  terminal.live(undefined)
  const tests = tried.filter(({ trouble }) => trouble === undefined)
  const agents = await findAgents(project.root)
  const [first] = agents
  const prepare = findPrepare(project.root, tests)
  let choice: ConfigChoice = { ...(first && { agent: first.name }), checks: namedChecks(tests), prepare }
  const isInTheWay = existsSync(project.configPath) && !force
  if (terminal.isLive && !isJson && !yes && !isInTheWay) {
    const { askInit } = await import('./init-questions.ts')
    const answered = await askInit(choice, agents)
    if (answered === undefined) {
      terminal.say('Nothing was written.')
      return EXIT.interrupted
    }
    choice = { prepare, ...answered }
  }
  const writing = await writeConfig(project.configPath, configText({ ...choice, ...schemaFor(project.root) }), force)
  // Whoever writes the file at a terminal trusts it.
  if (writing.status === 'written' && terminal.isLive && agentSign(process.env) === undefined) trustFolder(project.root)
  if (isJson) terminal.json(asJson(context, writing, choice, agents))
  else for (const line of await linesOf(context, { writing, choice, agents, tests: tried })) terminal.say(line)
  return writing.status === 'kept' ? EXIT.usage : EXIT.done
}

function asJson({ project }: CliContext, writing: ConfigWriting, choice: ConfigChoice, agents: readonly FoundAgent[]) {
  const backup = writing.status === 'written' && writing.backup !== undefined ? { backup: writing.backup } : {}
  return {
    written: writing.status === 'written',
    path: project.configPath,
    ...backup,
    agent: choice.agent ?? null,
    checks: choice.checks,
    prepare: (choice.prepare ?? []).map(({ because: _file, ...step }) => step),
    agents,
  }
}

interface Result {
  readonly writing: ConfigWriting
  readonly choice: ConfigChoice
  readonly agents: readonly FoundAgent[]
  readonly tests: readonly TriedTestCommand[]
}

async function linesOf(context: CliContext, { writing, choice, agents, tests }: Result): Promise<readonly string[]> {
  const { project, terminal } = context
  const checks = [
    ...choice.checks.map((check) => checkLine(check, tests)),
    ...tests.flatMap(({ command, because, trouble }) =>
      trouble === undefined ? [] : [`check  left out: ${command} (from ${because}) doesn't start: ${trouble}`],
    ),
  ]
  const name = basename(project.configPath)
  const prepare = (choice.prepare ?? []).map(prepareLine)
  const found = [...checks, ...noChecks(choice, name, tests), ...prepare, ...agentLines(choice, agents)].map(
    (line) => `  ${line}`,
  )
  if (writing.status === 'kept') {
    const kept = `${project.configPath} is there already and was left as it is. \`pawl init --force\` replaces it and keeps the old one as ${name}.bak.`
    return [terminal.paint('yellow', kept), 'A new one would say:', ...found]
  }
  const next =
    choice.checks.length > 0
      ? 'pawl task "what should be true in the end"'
      : 'pawl task "what should be true in the end" --check "npm test"'
  return [headline(project.configPath, writing), ...found, '', `Next: ${terminal.paint('bold', next)}`]
}

function headline(path: string, writing: ConfigWriting): string {
  if (writing.status === 'unchanged') return `${path} says all of this already:`
  const backup =
    writing.status === 'written' && writing.backup !== undefined ? ` (the old one is ${basename(writing.backup)})` : ''
  return `Wrote ${path}${backup}:`
}

/** The check, and what it was found by. */
function checkLine({ name, command, cwd }: ChosenCheck, tests: readonly FoundTestCommand[]): string {
  const because = tests.find((test) => test.command === command && test.cwd === cwd)?.because
  return `check  ${name}: ${command}${because === undefined ? '' : ` (from ${because})`}`
}

/** What makes a worktree or a fresh copy ready, and when. */
function prepareLine({ command, unless, because }: FoundPrepare): string {
  return `prepare  ${command}${unless === undefined ? '' : ` unless ${unless} is there`} (from ${because})`
}

async function isInstalled(program: string, folder: string): Promise<boolean> {
  return (await resolveProgram(program, folder, childEnvironment([], {})['PATH'])).status === 'found'
}

function noChecks({ checks }: ConfigChoice, file: string, tests: readonly TriedTestCommand[]): readonly string[] {
  if (checks.length === 0 && tests.length > 0) return ['Install what it needs, then: pawl init --force']
  return checks.length > 0 ? [] : [`check  none found: write the command that tests your work under \`checks\` in ${file}`]
}

function agentLines({ agent }: ConfigChoice, agents: readonly FoundAgent[]): readonly string[] {
  const others = agents.filter(({ name }) => name !== agent).map(({ name }) => name)
  if (others.length > 0) return [`agent  ${agent} (also here: ${others.join(', ')})`]
  return [
    `agent  ${agent}, which comes with Pawl and only tries small edits. No coding agent found.`,
    '       Install one (npm install -g @anthropic-ai/claude-code), then: pawl init --force',
  ]
}
