import { type ChildProcess, execFile, type ExecFileOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import type { ProcessIdentity } from '../core/event-data.ts'
import { endProcessGroup, GROUP_VARIABLE, groupMark } from './end-process-group.ts'
import { identityOf } from './process-identity.ts'

export interface GatedProcessOptions {
  /** Absolute path of the program. */
  readonly program: string
  readonly arguments: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | undefined
}

export interface ProcessExit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that exists and has an identity, but does nothing until `open` is called. */
export interface GatedProcess {
  readonly identity: ProcessIdentity
  /** Stdout and stderr, in order. */
  readonly output: Socket
  readonly exited: Promise<ProcessExit>
  /** Lets the program begin. */
  open(): void
  /** Ends it before the program begins. */
  discard(): Promise<void>
  /** Stops waiting for a process that can't be ended, so that it doesn't keep this process alive. */
  forget(): void
}

/**
 * Starts a program in its own session and process group, held at a gate: /bin/sh waits for a line on descriptor 3 and then becomes the
 * program (`exec` keeps the pid). If this process dies first, the shell reads the end of the pipe and the program never runs. The line
 * contains the group's mark, see `groupMark`. Rejects if the system refuses the start.
 *
 * Uses node:child_process and not execa: the gate needs the bare child with its descriptors, and `runCommand` buffers, limits and kills
 * differently (head and tail, whole group, proof of ownership).
 */
export async function startGatedProcess(options: GatedProcessOptions): Promise<GatedProcess> {
  const stdio = await openChildStdio(options.stdin)
  try {
    const child = spawn('/bin/sh', ['-c', GATE, 'pawl', options.program, ...options.arguments], {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: [stdio.stdin, stdio.output, stdio.output, 'pipe'],
    })
    const exited = exitOf(child)
    if (child.pid === undefined) throw (await once(child, 'error'))[0]
    return gatedProcess(child, exited, stdio.reader, identified(child, child.pid))
  } catch (error) {
    stdio.reader.destroy()
    throw error
  } finally {
    stdio.closeChildEnds()
  }
}

/** A gated process to talk to while it runs: `output` is only its stdout. */
export interface TalkingProcess extends GatedProcess {
  readonly input: Writable
  readonly errors: Readable
}

/** The same with three separate pipes, for a program that reads and writes line by line. */
export async function startTalkingProcess(options: Omit<GatedProcessOptions, 'stdin'>): Promise<TalkingProcess> {
  const child = spawn('/bin/sh', ['-c', GATE, 'pawl', options.program, ...options.arguments], {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  const exited = exitOf(child)
  if (child.pid === undefined) throw (await once(child, 'error'))[0]
  const { stdin, stdout, stderr } = child as ChildProcess & Record<'stdin' | 'stdout' | 'stderr', Socket>
  // EPIPE if it has ended or stopped reading: its exit says so.
  stdin.on('error', () => {})
  return { ...gatedProcess(child, exited, stdout, identified(child, child.pid)), input: stdin, errors: stderr }
}

const GATE = `IFS= read -r ${GROUP_VARIABLE} <&3 || exit 125; exec 3<&-; export ${GROUP_VARIABLE}; exec "$@"`

function gatedProcess(
  child: ChildProcess,
  exited: Promise<ProcessExit>,
  output: Socket,
  identity: ProcessIdentity,
): GatedProcess {
  const gate = child.stdio[3] as Writable
  // EPIPE if something else ended it at the gate: its exit says so.
  gate.on('error', () => {})
  return {
    identity,
    output,
    exited,
    open: () => gate.end(`${groupMark(identity)}\n`),
    discard: async () => {
      gate.destroy()
      await endProcessGroup(identity)
      await exited
      output.destroy()
    },
    forget: () => {
      child.unref()
      output.destroy()
    },
  }
}

async function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
}

/** It must still be in the table, even if it has ended: this process hasn't collected its exit yet. */
function identified(child: ChildProcess, pid: number): ProcessIdentity {
  const identity = identityOf(pid)
  if (identity !== undefined) return identity
  child.kill('SIGKILL')
  throw new Error(`the system does not show process ${pid}, which was just started`)
}

export interface ChildStdio {
  /** File descriptors for the child: its stdin, and the one pipe that is both its stdout and its stderr. */
  readonly stdin: number
  readonly output: number
  /** Our end of that pipe. */
  readonly reader: Socket
  /** Closes our copies of the child's ends, once it has them or could not be started. */
  closeChildEnds(): void
}

/**
 * A real pipe for the output and an unlinked file for stdin. A `pipe` of `spawn` is a socket: programs can't open /dev/stdin or
 * /dev/stderr on it ("No such device or address"), and bash takes it for a remote login and reads ~/.bashrc. One pipe for stdout and
 * stderr keeps their order; a file as stdin works even if the child doesn't read it.
 */
async function openChildStdio(stdin: string | undefined): Promise<ChildStdio> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-stdio-'))
  const opened: number[] = []
  const open = (path: string, flags: number) => {
    const descriptor = openSync(path, flags, 0o600)
    opened.push(descriptor)
    return descriptor
  }
  try {
    const pipe = join(folder, 'output')
    await makePipe(pipe)
    // First the reader, without waiting for a writer, then the writer, which finds a reader: neither blocks.
    const readEnd = open(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    const output = open(pipe, constants.O_WRONLY)
    const input = stdin === undefined ? open('/dev/null', constants.O_RDONLY) : open(inputFile(folder, stdin), constants.O_RDONLY)
    const reader = new Socket({ fd: readEnd, readable: true, writable: false })
    return { stdin: input, output, reader, closeChildEnds: () => [input, output].forEach((each) => closeSync(each)) }
  } catch (error) {
    opened.forEach((each) => closeSync(each))
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Node has no function for a named pipe, but POSIX has a program. */
async function makePipe(path: string): Promise<void> {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` }
  // Its own group: Ctrl-C at a terminal must not end it half-way.
  const options = { env, detached: true } as ExecFileOptions
  await promisify(execFile)('/bin/sh', ['-c', 'exec mkfifo -m 600 "$1"', 'sh', path], options)
}

function inputFile(folder: string, content: string): string {
  const path = join(folder, 'input')
  writeFileSync(path, content, { mode: 0o600 })
  return path
}
