import { spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const SOURCE = join(ROOT, 'src', 'surfaces', 'cli', 'main.ts')
const BUNDLE = join(ROOT, 'dist', 'cli.mjs')

/** What the tests start: PAWL_E2E_ENTRY, else what users get where it is built and newer than the source, else the source. */
const ENTRY = process.env['PAWL_E2E_ENTRY'] ?? (isBuilt() ? join(ROOT, 'bin', 'pawl') : SOURCE)
/** How the command line is called here. */
export const COMMAND: readonly string[] = /\.m?[jt]s$/.test(ENTRY) ? [process.execPath, ENTRY] : [ENTRY]

function isBuilt(): boolean {
  if (!existsSync(BUNDLE)) return false
  const builtAt = statSync(BUNDLE).mtimeMs
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  return sources.every((path) => (statSync(join(ROOT, 'src', path), { throwIfNoEntry: false })?.mtimeMs ?? 0) < builtAt)
}

/** How a command of the command line ended. */
export interface Finished {
  /** The exit code; a signal's name where one ended it. */
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

/** Starts the command line as a process of its own, with an environment that holds what is named here and nothing else. */
export function startPawl(words: readonly string[], options: PawlProcessOptions): PawlProcess {
  const { cwd, home, env = {}, hasTerminal = false } = options
  const [program, ...args] = hasTerminal ? onTerminal([...COMMAND, ...words]) : [...COMMAND, ...words]
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
    // Where the command line keeps its compiled source anyway; named here it holds the first file too, which spares a third of the start.
    NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
  }
}
