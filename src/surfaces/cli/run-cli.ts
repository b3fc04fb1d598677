import { type Command, CommanderError } from 'commander'
import { didYouMean } from '../../core/names.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { EXIT, exitOnClosedOutput } from './exit-codes.ts'
import { drivingCommands } from './driving-commands.ts'
import { buildProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

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
    if (process.env['PAWL_DEBUG'] !== undefined) terminal.warn(String(error instanceof Error ? error.stack : error))
    if (code === 'run.same-folder' || code === 'run.held' || code === 'run.bound') return EXIT.held
    return isUsage(code) ? EXIT.usage : EXIT.error
  }
}

/** Commander shows the general help for a command that there is not, as if all were well. */
function requireKnownTopic([first, topic]: readonly string[], { commands }: Command): void {
  const names = commands.map((command) => command.name())
  if (first !== 'help' || topic === undefined || topic.startsWith('-') || topic === 'help' || names.includes(topic)) return
  throw new PawlError('usage.command', `There is no command "${topic}"${didYouMean(topic, names)}`, { value: topic })
}

function errorDocument(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof PawlError) return error
  if (error instanceof CommanderError) {
    return { code: 'usage.command-line', message: error.message.replace(/^error: /, '').replaceAll('\n', ' ') }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message: `${message} (this is a defect of Pawl; PAWL_DEBUG=1 shows where)` }
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
    'check.command',
    'recording',
  ].some((prefix) => code === prefix || code.startsWith(`${prefix}.`))
}
