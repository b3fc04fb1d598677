import { Command, CommanderError } from 'commander'
import { didYouMean } from '../../core/names.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { EXIT, exitOnClosedOutput } from './exit-codes.ts'
import { drivingCommands } from './driving-commands.ts'
import { processTerminal } from './terminal.ts'
import { cliContext, type CommandEntry } from './cli-context.ts'
import { lookingCommands } from './looking-commands.ts'
import { setUpCommands } from './set-up-commands.ts'
import { VERSION } from './version.ts'

/** Runs one command line and gives its exit code. Every error becomes one sentence on standard error, or one JSON document. */
export async function runCli(words: readonly string[]): Promise<number> {
  const isJson = words.includes('--json')
  const exit = { code: EXIT.done as number }
  exitOnClosedOutput(drivingCommands.some(({ usage }) => usage.split(' ')[0] === words[0]))
  try {
    const program = await buildProgram(words, (code) => (exit.code = code))
    requireKnownTopic(words, program)
    await program.parseAsync([...words], { from: 'user' })
    return exit.code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done
    // Called without a command, commander has shown the help already.
    if (error instanceof CommanderError && error.code === 'commander.help') return EXIT.usage
    const { code, message } = errorDocument(error)
    const terminal = processTerminal(isJson)
    if (isJson) terminal.json({ error: { code, message } })
    else terminal.warn(terminal.paint('red', `pawl: ${message}`))
    if (!isJson && error instanceof CommanderError && !message.includes('Did you mean')) terminal.warn(helpLine(words))
    if (process.env['PAWL_DEBUG'] !== undefined) terminal.warn(String(error instanceof Error ? error.stack : error))
    if (code === 'run.same-folder' || code === 'run.held' || code === 'run.bound') return EXIT.held
    if (isSetUp(code)) return EXIT.setUp
    return isUsage(code) ? EXIT.usage : EXIT.error
  }
}

/** Commander shows the general help for a command that there is not, as if all were well. */
function requireKnownTopic([first, topic]: readonly string[], { commands }: Command): void {
  const names = commands.map((command) => command.name())
  if (first !== 'help' || topic === undefined || topic.startsWith('-') || topic === 'help' || names.includes(topic)) return
  throw new PawlError('usage.command', `There is no command "${topic}"${didYouMean(topic, names)}`, { value: topic })
}

function helpLine([name = '']: readonly string[]): string {
  const isKnown = [...drivingCommands, ...lookingCommands, ...setUpCommands].some(({ usage }) => usage.split(' ')[0] === name)
  return `See ${isKnown ? `pawl ${name} --help` : 'pawl --help'}`
}

function errorDocument(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof PawlError) return error
  if (error instanceof CommanderError) {
    return { code: 'usage.command-line', message: error.message.replace(/^error: /, '').replaceAll('\n', ' ') }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message: `${message} (this is a defect of Pawl; PAWL_DEBUG=1 shows where)` }
}

/** The store is where a person has to fix it: its address, password, server, version or package. */
function isSetUp(code: string): boolean {
  return /^store\.(?:address|no-package|unreachable|refused|newer-schema)$/.test(code)
}

function isUsage(code: string): boolean {
  return [
    'usage',
    'config',
    'question',
    'run.bad-id',
    'run.unknown',
    'setting',
    'loop',
    'agent.command',
    'agent.cannot-write',
    'agent.missing',
    'check.missing',
    'check.command',
    'workspace.git-missing',
    'recording',
  ].some((prefix) => code === prefix || code.startsWith(`${prefix}.`))
}

/** The whole command line: names, flags, help. The flags of a command, and what it does, are loaded only if `words` name it. */
export async function buildProgram(words: readonly string[], exitWith: (code: number) => void): Promise<Command> {
  const program = new Command('pawl')
    .description('Runs your coding agent in a loop, checks every iteration itself, and proves when it is done.')
    .version(VERSION, '-V, --version')
    .exitOverride()
    .configureOutput(ERRORS_ELSEWHERE)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpCommand(new Command('help').argument('[command]').description('show the help of a command').helpGroup('Advanced:'))
    .addHelpText('after', AFTER_HELP)
  for (const entry of [...drivingCommands, ...lookingCommands, ...setUpCommands].toSorted(byGroup)) {
    const command = commandFrom(entry, exitWith)
    if (words.includes(command.name())) await entry.options?.(command)
    program.addCommand(command)
  }
  return program
}

function commandFrom({ usage, group, description, examples, run }: CommandEntry, exitWith: (code: number) => void): Command {
  const [name = '', ...words] = usage.split(' ')
  const command = new Command(name)
    .description(description)
    .helpGroup(`${group}:`)
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

const GROUPS: readonly CommandEntry['group'][] = ['Run', 'Continue', 'Inspect', 'Set up', 'Advanced']

function byGroup(one: CommandEntry, other: CommandEntry): number {
  return GROUPS.indexOf(one.group) - GROUPS.indexOf(other.group)
}

/** Errors are reported in one place and one form, see `runCli`. */
const ERRORS_ELSEWHERE = { outputError: () => undefined }

const AFTER_HELP = `
Exit codes:
  0 done   1 error   2 bad usage or configuration   3 needs your answer
  4 stopped by a limit   5 aborted   6 another process drives the run
  7 the set-up has to be fixed   10 another iteration is wanted
  (check --exit-code)   130 paused by Ctrl-C

Examples:
  $ pawl demo
  $ pawl init
  $ pawl task "Login returns a numeric userId" --agent claude --check "npm test"
  $ pawl answer fix-login 1 --note "Ids are integers." --resume`
