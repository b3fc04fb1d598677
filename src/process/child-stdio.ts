import { execFile, type ExecFileOptions } from 'node:child_process'
import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface ChildStdio {
  /** File descriptors for the child: its stdin, and the one pipe that is both its stdout and its stderr. */
  readonly stdin: number
  readonly output: number
  /** Our end of that pipe. */
  readonly reader: Socket
  /** Closes the child's ends on our side: once it has them, or when it could not be started. */
  closeChildEnds(): void
}

/**
 * A real pipe for the output and an unlinked file for stdin. What `spawn` calls a pipe is a socket: programs cannot open
 * /dev/stdin or /dev/stderr on it ("No such device or address"), and bash takes it for a login from afar and reads ~/.bashrc.
 * One pipe for stdout and stderr keeps their order; a file as stdin needs no care for a child that does not read it.
 */
export async function openChildStdio(stdin: string | undefined): Promise<ChildStdio> {
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
    // The reader first and without waiting for a writer, then the writer, which finds a reader: neither blocks.
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

/** Node has no call for a pipe of its own, POSIX has a program. */
async function makePipe(path: string): Promise<void> {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/bin:/bin` }
  // A group of its own: Ctrl-C at a terminal must not end it half-way.
  const options = { env, detached: true } as ExecFileOptions
  await promisify(execFile)('/bin/sh', ['-c', 'exec mkfifo -m 600 "$1"', 'sh', path], options)
}

function inputFile(folder: string, content: string): string {
  const path = join(folder, 'input')
  writeFileSync(path, content, { mode: 0o600 })
  return path
}
