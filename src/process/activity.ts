import { appendFileSync, closeSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/*
 * What the agent of a run does right now, for people who watch from another process. It isn't part of the journal: it begins again with
 * every process that drives the run, is bounded, and goes with the run.
 */

/** The file with it, beside the store. */
export function activityPath({ storePath }: { readonly storePath: string }, run: string): string {
  return join(dirname(storePath), 'live', `${run}.log`)
}

export interface ActivityWriter {
  /** Takes a line that has no secrets. */
  write(line: string): void
  close(): void
}

/** Writes what the agent does. A disk that is full or read-only must not end a run for this. */
export function activityWriter(path: string): ActivityWriter {
  const waiting: string[] = []
  let bytes = 0
  let last = ''
  const flush = (): void => {
    const text = waiting.splice(0).slice(-LINES_AT_ONCE_MAX).join('')
    if (text === '') return
    try {
      bytes += Buffer.byteLength(text)
      if (bytes > BYTES_MAX) rmSync(path, { force: true })
      if (bytes > BYTES_MAX) bytes = Buffer.byteLength(text)
      appendFileSync(path, text, { mode: 0o600 })
    } catch {
      // The journal has what matters.
    }
  }
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(path, { force: true })
  } catch {
    // The same: nobody can watch then.
  }
  const timer = setInterval(flush, FLUSH_MS)
  timer.unref()
  return {
    write(line) {
      const words = line.replaceAll(CONTROL, ' ').trim()
      if (words === '' || words === last) return
      last = words
      waiting.push(`${words}\n`)
    },
    close() {
      clearInterval(timer)
      flush()
      rmSync(path, { force: true })
    },
  }
}

const LINES_AT_ONCE_MAX = 20
const FLUSH_MS = 200
const BYTES_MAX = 1_000_000

/** An agent wrote it: it must not move a terminal's cursor. */
const CONTROL = /\p{Cc}+/gu

/** Reads what was added since the last call, whole lines only. The first call gives the last few lines. */
export function activityReader(path: string): () => readonly string[] {
  let offset: number | undefined
  let inode = 0
  let rest = ''
  return () => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found) return []
    const isAnother = inode !== 0 && (found.ino !== inode || found.size < (offset ?? 0))
    if (isAnother) rest = ''
    const from = isAnother ? 0 : (offset ?? Math.max(0, found.size - TAIL_BYTES))
    const isFirst = offset === undefined
    inode = found.ino
    offset = found.size
    if (found.size === from) return []
    const lines = `${rest}${textFrom(path, from, found.size - from)}`.split('\n')
    rest = lines.pop() ?? ''
    return isFirst ? lines.slice(-TAIL_LINES) : lines
  }
}

const TAIL_BYTES = 4096
const TAIL_LINES = 5

function textFrom(path: string, from: number, length: number): string {
  const buffer = Buffer.alloc(length)
  const file = openSync(path, 'r')
  try {
    return buffer.subarray(0, readSync(file, buffer, 0, length, from)).toString('utf8')
  } finally {
    closeSync(file)
  }
}
