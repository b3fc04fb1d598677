import { PawlError } from '../../../core/pawl-error.ts'
import { agentSign, isTrusted, trustCommands, trustedCommands, trustFolder } from '../../../settings/user-files.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'

export interface TrustFlags {
  readonly remove?: boolean
  readonly folder?: boolean
}

/** Lets agents use commands as checks in this project, or no longer; without a command it lists them. */
export async function trust(
  context: CliContext,
  { remove = false, folder = false }: TrustFlags,
  given: readonly string[],
): Promise<number> {
  const { project, terminal, isJson } = context
  const named = given.map((command) => command.trim()).filter((command) => command !== '')
  const before = trustedCommands(project.root)
  if (folder) return trustWhole(context, named, !remove)
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
  const isWhole = isTrusted(project.root)
  if (isJson) terminal.json({ project: project.root, folder: isWhole, commands: after })
  else {
    if (isWhole) terminal.say('This folder is trusted: `pawl doctor` and `--always` may run what pawl.yaml names.')
    if (named.length > 0) terminal.say(remove ? 'Removed.' : 'Allowed. The agent can start its loop now.')
    for (const command of after) terminal.say(`  ${command}`)
    if (after.length === 0) terminal.say('No commands are allowed in this project. Allow one: pawl trust "npm test"')
  }
  return EXIT.done
}

/** Lets `pawl doctor` and `pawl hook --always` run what pawl.yaml names in this folder, or no longer. */
function trustWhole(context: CliContext, named: readonly string[], isWanted: boolean): number {
  const { project, terminal, isJson } = context
  if (named.length > 0) throw new PawlError('usage.command', 'Give commands or --folder, not both.')
  requirePerson(context, process.env)
  trustFolder(project.root, isWanted)
  if (isJson) terminal.json({ project: project.root, folder: isWanted, commands: trustedCommands(project.root) })
  else
    terminal.say(
      isWanted
        ? `Trusted: \`pawl doctor\` and \`--always\` may run what pawl.yaml names in ${project.root}.`
        : `No longer trusted: ${project.root}.`,
    )
  return EXIT.done
}

/** Throws if an agent calls it, or something else that isn't a person at a terminal. */
function requirePerson({ terminal }: CliContext, env: NodeJS.ProcessEnv): void {
  const sign = agentSign(env)
  if (terminal.isLive && sign === undefined) return
  const why = sign === undefined ? 'This is no terminal' : `${sign} says that an agent runs this`
  throw new PawlError('usage.person-only', `${why}, and only a person can allow commands. Run it in a terminal of your own.`)
}
