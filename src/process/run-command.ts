import { stat } from 'node:fs/promises'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { Box } from './box.ts'
import { endProcessGroup } from './end-process-group.ts'
import { couldNotStart, type CouldNotStart, resolveProgram } from './find-program.ts'
import { type GatedProcess, type GatedProcessOptions, type ProcessExit, startGatedProcess } from './gated-process.ts'
import { LastLineReporter } from './last-lines.ts'
import { BoundedOutput, type Captured } from './output.ts'

export interface RunCommandOptions {
  /** The program and its arguments; no shell reads them. */
  readonly command: readonly string[]
  readonly cwd: string
  /** Where the program is started. Default: on the machine itself. */
  readonly box?: Box
  /** The child's whole environment, including PATH: it inherits nothing. */
  readonly env: Readonly<Record<string, string>>
  /** The program's stdin. Default: empty. */
  readonly stdin?: string
  readonly timeoutMs: number
  /** How long it may take to end after SIGTERM. Default 3 s. */
  readonly graceMs?: number
  /** How much output is kept, half from the beginning and half from the end. Default 512 KiB. */
  readonly outputBytesMax?: number
  /** Abort it to end the program with everything it started. */
  readonly signal: AbortSignal
  /**
   * The program begins only after this has resolved; if it rejects, the program never runs and `runCommand` rejects too.
   */
  readonly onStarted: (identity: ProcessIdentity) => Promise<void>
  /** The newest non-empty line of output, at most five times a second. */
  readonly onOutput?: (lastLine: string) => void
  /** Every piece of output as it comes, including what is not kept. */
  readonly onBytes?: (bytes: Buffer) => void
}

interface Ran {
  readonly output: Captured
  /** Set if the system didn't let us end everything: something still runs. */
  readonly survived?: true
}

/** How a command ended. `killed`: by a signal that was not ours. */
export type CommandResult =
  | ({ readonly status: 'exited'; readonly exitCode: number } & Ran)
  | ({ readonly status: 'killed'; readonly signal: NodeJS.Signals } & Ran)
  | ({ readonly status: 'timed-out' } & Ran)
  | ({ readonly status: 'aborted' } & Ran)
  | CouldNotStart

/** Runs a program to its end, within limits of time and memory, and leaves nothing of its session behind. */
export async function runCommand(options: RunCommandOptions): Promise<CommandResult> {
  if (options.signal.aborted) return { status: 'aborted', output: { text: '', bytesCut: 0 } }
  const { stdin } = options
  const gated = await startAtGate(options, (program) => startGatedProcess({ ...program, stdin }))
  if ('status' in gated) return gated
  const output = new BoundedOutput(options.outputBytesMax ?? 512 * 1024)
  const reporter = options.onOutput && new LastLineReporter(options.onOutput)
  gated.output.on('data', (chunk: Buffer) => {
    output.push(chunk)
    options.onBytes?.(chunk)
    options.box?.see?.(chunk)
    reporter?.push(chunk)
  })
  gated.output.on('error', (error) => output.push(Buffer.from(`\n[the output could not be read further: ${error.message}]\n`)))
  try {
    await options.onStarted(gated.identity)
  } catch (error) {
    await gated.discard()
    throw error
  }
  const ended = await runToEnd(gated, options, output)
  reporter?.end()
  return { ...ended, output: output.captured() }
}

/** Finds the program and starts it with `start`, held at its gate. */
export async function startAtGate<Started>(
  options: Pick<RunCommandOptions, 'command' | 'cwd' | 'env' | 'box'>,
  start: (program: Omit<GatedProcessOptions, 'stdin'>) => Promise<Started>,
): Promise<Started | CouldNotStart> {
  const [name = '', ...args] = options.command
  const folder = await stat(options.cwd).catch(() => undefined)
  if (!folder?.isDirectory()) return couldNotStart('no-such-folder', `There is no folder ${options.cwd} to run \`${name}\` in.`)
  const program = options.box?.hasOwnPrograms
    ? ({ status: 'found', path: name } as const)
    : await resolveProgram(name, options.cwd, options.env['PATH'])
  if (program.status !== 'found') return couldNotStart(program.status, program.message)
  try {
    const { cwd, env, box } = options
    const [first = program.path, ...rest] = [...(box?.prefix ?? []), program.path, ...args]
    return await start({ program: first, arguments: rest, cwd, env })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'E2BIG' ? 'its arguments are longer than the system allows' : message
    return couldNotStart('other', `\`${name}\` could not be started: ${why}.`)
  }
}

type Ending =
  | { readonly status: 'exited'; readonly exitCode: number; readonly survived?: true }
  | { readonly status: 'killed'; readonly signal: NodeJS.Signals; readonly survived?: true }
  | { readonly status: 'timed-out' | 'aborted'; readonly survived?: true }

async function runToEnd(gated: GatedProcess, options: RunCommandOptions, output: BoundedOutput): Promise<Ending> {
  const { graceMs = 3000 } = options
  if (options.signal.aborted) {
    await gated.discard()
    return { status: 'aborted' }
  }
  gated.open()
  const first = await exitOrLimit(gated.exited, options)
  if (typeof first === 'string') {
    const end = await endProcessGroup(gated.identity, { graceMs })
    if (end === 'still-there') {
      gated.forget()
      return { status: first, survived: true }
    }
    await gated.exited
  }
  // The leader is gone. What it left in its session would keep the pipe open and continue unnoticed.
  const sparesDaemons = typeof first !== 'string'
  const rest = await endProcessGroup(gated.identity, { graceMs, leaderJustExited: true, sparesDaemons })
  await drain(gated, output)
  const survived = rest === 'still-there' ? ({ survived: true } as const) : {}
  if (typeof first === 'string') return { status: first, ...survived }
  if (first.exitCode === null) return { status: 'killed', signal: first.signal ?? 'SIGKILL', ...survived }
  return { status: 'exited', exitCode: first.exitCode, ...survived }
}

/** Resolves with what comes first. */
async function exitOrLimit(
  exited: Promise<ProcessExit>,
  { signal, timeoutMs }: RunCommandOptions,
): Promise<ProcessExit | 'timed-out' | 'aborted'> {
  return new Promise((resolve) => {
    const abort = () => settle('aborted')
    const timer = setTimeout(() => settle('timed-out'), Math.min(timeoutMs, TIMER_MS_MAX))
    const settle = (first: ProcessExit | 'timed-out' | 'aborted') => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      resolve(first)
    }
    signal.addEventListener('abort', abort)
    void exited.then(settle)
  })
}

/** Longer timers fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Reads what is still in the pipe. A process that left the session (a daemon) may keep the pipe open forever, so this also ends if
 * nothing comes for a moment, and at the latest after a second.
 */
async function drain(gated: GatedProcess, output: BoundedOutput): Promise<void> {
  // Usually closed already: the program was the last one that had it open.
  const closed = new Promise((resolve) => gated.output.once('close', resolve))
  for (let round = 0; round < 20 && !gated.output.closed; round++) {
    const before = output.bytes
    await Promise.race([closed, sleep(round === 0 ? 5 : 50)])
    // Timers come before reads in the event loop; this lets it read first.
    await turn()
    if (round > 0 && output.bytes === before) break
  }
  gated.output.destroy()
}
