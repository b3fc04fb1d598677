import { Command } from 'commander'
import { cliContext, type CommandEntry } from './cli-context.ts'
import { drivingCommands } from './driving-commands.ts'
import { lookingCommands } from './looking-commands.ts'
import { setUpCommands } from './set-up-commands.ts'
import { VERSION } from './version.ts'

/** The whole command line: names, flags, help. The flags of a command, and what it does, are loaded only if `words` name it. */
export async function buildProgram(words: readonly string[], exitWith: (code: number) => void): Promise<Command> {
  const program = new Command('pawl')
    .description('Runs an AI agent again and again on a goal, checks every iteration itself, and says why it goes on or stops.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    .configureOutput(ERRORS_ELSEWHERE)
    .addHelpText('after', AFTER_HELP)
  for (const entry of [...drivingCommands, ...lookingCommands, ...setUpCommands]) {
    const command = commandFrom(entry, exitWith)
    if (words.includes(command.name())) await entry.options?.(command)
    program.addCommand(command)
  }
  return program
}

function commandFrom({ usage, description, examples, run }: CommandEntry, exitWith: (code: number) => void): Command {
  const [name = '', ...words] = usage.split(' ')
  const command = new Command(name)
    .description(description)
    .exitOverride()
    .configureOutput(ERRORS_ELSEWHERE)
    .option('--json', 'print JSON only')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ pawl ${line}`).join('\n')}`)
  for (const word of words) command.argument(word)
  return command.action(async () => {
    const flags = command.opts()
    exitWith(await run(cliContext(flags), flags, command.args))
  })
}

/** Errors are told in one place and one form, see `runCli`. */
const ERRORS_ELSEWHERE = { outputError: () => undefined }

const AFTER_HELP = `
Exit codes:
  0 done   1 error   2 bad usage or configuration   3 a person must answer   4 stopped by a limit
  5 aborted   6 another process drives the run   10 another iteration is wanted (check --exit-code)
  130 interrupted (paused: resume it)

Begin with:
  $ pawl demo
  $ pawl init
  $ pawl task "What should be true in the end" --agent claude --check "npm test"`
