import { argumentList, type CommandLine, programName } from './command-options.ts'
import { closingLines } from './last-lines.ts'
import type { Captured } from './output.ts'
import type { CouldNotStart } from './find-program.ts'
import type { CommandResult } from './run-command.ts'

/** Why a command says nothing about the work: it could not run, or could not finish. */
export interface CommandTrouble {
  readonly fault: 'config' | 'environment'
  readonly message: string
  readonly fix: string
}

/** The trouble of a command that could not be started. */
export function startTrouble({ reason, message }: CouldNotStart, line: CommandLine): CommandTrouble {
  const name = programName(line)
  switch (reason) {
    case 'not-found':
      return { fault: 'config', message, fix: `Install ${name}, or correct the command: ${argumentList(line).join(' ')}` }
    case 'not-executable':
      return { fault: 'config', message, fix: `Make ${name} an executable program (chmod +x), or correct the command.` }
    case 'no-such-folder':
      return { fault: 'environment', message, fix: 'Create the folder again, or start where it exists.' }
    default:
      return {
        fault: 'environment',
        message,
        fix: 'Free what the system lacks (processes, memory, disk), or shorten the command.',
      }
  }
}

/**
 * The trouble of a command that ran: a missing program further down (a shell's exit 126 or 127 with its error message), or a signal
 * from outside. A crash of the program itself (SIGSEGV, SIGABRT) isn't trouble but a failure.
 */
export function endTrouble(result: Exclude<CommandResult, CouldNotStart>, line: CommandLine): CommandTrouble | undefined {
  if (result.status === 'killed') return endedFromOutside(result.signal, line)
  if (result.status !== 'exited') return undefined
  // How a shell or npm reports a child that got SIGKILL. Any program may exit with this code, so its output must say so.
  if (isChildKilled(result)) return endedFromOutside('SIGKILL', line)
  const unseen = closingLines(result.output.text, 1).map((each) => UNSEEN.exec(each)?.[1])[0]
  if (unseen !== undefined)
    return {
      fault: 'config',
      message: `${unseen} can't be seen in the sandbox.`,
      fix: `Move it into the project, or list its folder under \`sandbox: { readable: […] }\` in pawl.yaml.`,
    }
  if (result.exitCode === 126 || result.exitCode === 127) return missingProgram(result.output.text, line)
  return undefined
}

/** What bubblewrap, or the program that passes on the network, says of a program that is hidden in the box. */
const UNSEEN = /^(?:bwrap: execvp|spawn) (.+?)(?:: No such file or directory| ENOENT)$/

/** Whether a shell reports a child that got SIGKILL, by its exit code and in its last lines. */
export function isChildKilled({ exitCode, output }: { readonly exitCode: number; readonly output: Captured }): boolean {
  return exitCode === 128 + 9 && closingLines(output.text, 3).some((each) => KILLED.test(each))
}

/** dash and bash (`sh: line 1: 12 Killed  node x`), npm (`npm error signal SIGKILL`), make (`make: *** [Makefile:2: all] Killed`). */
const KILLED =
  /^(?:\S+: (?:(?:line )?\d+: +)?\d+ )?Killed(?: {2,}.*)?$|^npm (?:error|ERR!) signal SIGKILL$|^make(?:\[\d+\])?: \*\*\* .*\] Killed$/

function endedFromOutside(signal: NodeJS.Signals, line: CommandLine): CommandTrouble | undefined {
  if (!FROM_OUTSIDE.has(signal)) return undefined
  const message = `${programName(line)} was ended from outside by ${signal} before it was done.`
  const fix =
    signal === 'SIGKILL'
      ? 'Most often memory ran out: give it more, or run less at once; then resume.'
      : 'Resume when nothing ends it any more.'
  return { fault: 'environment', message, fix }
}

const FROM_OUTSIDE: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])

/** Any program may exit with this code, so the error message must be among the last lines. */
function missingProgram(text: string, line: CommandLine): CommandTrouble | undefined {
  const lines = text.trimEnd().split('\n').slice(-15)
  for (const [pattern, complaint] of COMPLAINTS) {
    const missing = lines.map((each) => pattern.exec(each)?.[1]).find((each) => each !== undefined)
    if (missing === undefined) continue
    const fault = missing === programName(line) ? 'config' : 'environment'
    return {
      fault,
      message: `${missing} ${complaint}.`,
      fix: `Install ${missing} where the command can find it (dependencies installed? on the PATH?), or correct the command.`,
    }
  }
  return undefined
}

const COMPLAINTS: readonly (readonly [RegExp, string])[] = [
  // bash, zsh the other way round
  [/: ([^\s:]+): command not found$/, 'was not found'],
  [/command not found: (\S+)$/, 'was not found'],
  // dash, busybox
  [/: ([^\s:]+): not found$/, 'was not found'],
  // env, and shells on a path
  [/env: ['‘"]?([^'’":]+)['’"]?: No such file or directory$/, 'was not found'],
  [/: ([^\s:]+): No such file or directory$/, 'was not found'],
  [/: ([^\s:]+): (?:cannot execute: required file not found|bad interpreter.*)$/, 'asks for an interpreter that is not there'],
  [/: error while loading shared libraries: ([^\s:]+):/, 'was not found'],
  [/: ([^\s:]+): Permission denied$/, 'is not executable'],
  [/: ([^\s:]+): (?:cannot execute binary file.*|Exec format error)$/, 'is not a program for this machine'],
]
