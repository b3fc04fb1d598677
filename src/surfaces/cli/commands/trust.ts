import { PawlError } from '../../../core/pawl-error.ts'
import { trustCommands, trustedCommands } from '../../../settings/user-files.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'

export interface TrustFlags {
  readonly remove?: boolean
}

/** Lets agents use commands as checks in this project, or no longer; without a command it lists them. */
export async function trust(context: CliContext, { remove = false }: TrustFlags, given: readonly string[]): Promise<number> {
  const { project, terminal, isJson } = context
  const named = given.map((command) => command.trim()).filter((command) => command !== '')
  const before = trustedCommands(project.root)
  if (named.length === 0 && remove)
    throw new PawlError('usage.command', 'Name the command to remove: pawl trust --remove "npm test"')
  if (named.length > 0) requirePerson(context, process.env)
  const unknown = remove ? named.find((command) => !before.includes(command)) : undefined
  if (unknown !== undefined)
    throw new PawlError('usage.command', `"${unknown}" isn't allowed in this project. List what is: pawl trust`, {
      value: unknown,
    })
  const after = remove ? before.filter((command) => !named.includes(command)) : [...new Set([...before, ...named])]
  if (named.length > 0) trustCommands(project.root, after)
  if (isJson) terminal.json({ project: project.root, commands: after })
  else {
    if (named.length > 0) terminal.say(remove ? 'Removed.' : 'Allowed. The agent can start its loop now.')
    for (const command of after) terminal.say(`  ${command}`)
    if (after.length === 0) terminal.say('No commands are allowed in this project. Allow one: pawl trust "npm test"')
  }
  return EXIT.done
}

/** Throws if an agent calls it, or something else that isn't a person at a terminal. */
function requirePerson({ terminal }: CliContext, env: NodeJS.ProcessEnv): void {
  const sign = AGENT_VARIABLES.find((name) => (env[name] ?? '') !== '')
  if (terminal.isLive && sign === undefined) return
  const why = sign === undefined ? 'This is no terminal' : `${sign} says that an agent runs this`
  throw new PawlError('usage.person-only', `${why}, and only a person can allow commands. Run it in a terminal of your own.`)
}

/** Variables that agents, and Pawl itself, set for the programs they start. */
const AGENT_VARIABLES = [
  'PAWL_RUN',
  'CLAUDECODE',
  'CLAUDE_CODE_SESSION_ID',
  'CODEX_THREAD_ID',
  'CODEX_SANDBOX',
  'GEMINI_CLI',
  'GEMINI_SESSION_ID',
  'QWEN_CODE',
  'OPENCODE',
] as const
