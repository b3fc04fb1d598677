import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { COMPILE_CACHE, pawlCommand } from '../support/programs.ts'

/** How a command of the command line ended. */
export interface Finished {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

/** A command that is under way. */
export interface PawlProcess {
  readonly pid: number
  /** Resolves when it is over and its output is read. */
  readonly finished: Promise<Finished>
  isOver(): boolean
  /** What it has printed so far. */
  printed(): string
  signal(name: NodeJS.Signals): void
  /** Stops reading what it prints, as `head` does. */
  closeOutput(): void
}

export interface PawlProcessOptions {
  readonly cwd: string
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  /** Gives it a terminal, by the program `script` of util-linux; what is typed comes from nobody. Default false. */
  readonly hasTerminal?: boolean
}

/** Starts the command line as its own process, with an environment that holds what is named here and nothing else. */
export function startPawl(words: readonly string[], options: PawlProcessOptions): PawlProcess {
  const { cwd, home, env = {}, hasTerminal = false } = options
  const [program, ...args] = hasTerminal ? onTerminal(pawlCommand(...words)) : pawlCommand(...words)
  const child = spawn(program as string, args, {
    cwd,
    env: { ...plainEnvironment(home), ...env },
    // A pipe that stays open and empty: `script` would pass the end of its input on to the terminal.
    stdio: [hasTerminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  if (child.pid === undefined) throw new Error(`${program} could not be started`)
  let stdout = ''
  let stderr = ''
  let isOver = false
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.once('exit', () => (isOver = true))
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code, signal) => resolve({ code: code ?? signal ?? 'unknown', stdout, stderr }))
  })
  return {
    pid: child.pid,
    finished,
    isOver: () => isOver,
    printed: () => stdout + stderr,
    signal: (name) => void child.kill(name),
    closeOutput: () => void child.stdout?.destroy(),
  }
}

/** Whether a command can be given a terminal here. */
export const CAN_HAVE_TERMINAL = process.platform === 'linux' && existsSync('/usr/bin/script')

function onTerminal(command: readonly string[]): readonly string[] {
  const line = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return ['/usr/bin/script', '--quiet', '--flush', '--return', '--command', `stty cols 100 rows 40; exec ${line}`, '/dev/null']
}

/** Nobody's settings, and the way to Node and the system's programs. */
function plainEnvironment(home: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    ...COMPILE_CACHE,
  }
}
