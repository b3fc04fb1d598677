import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A real process that writes to a SQLite store (see `store-writer.ts`). */
export interface StoreWriter {
  /** Sends one line: `claim`, `drive COUNT`, `tell COUNT`. */
  ask(line: string): void
  /** The next line it says; `undefined` when it has ended. */
  hear(): Promise<string | undefined>
  /** Everything it still says until it ends, which it does when it has nothing left to do. */
  finish(): Promise<readonly string[]>
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

const SCRIPT = fileURLToPath(new URL('store-writer.ts', import.meta.url))

/** Starts a writer and waits until it is ready. What it writes to standard error makes `finish` reject. */
export async function startStoreWriter(path: string, run: string, ...options: readonly string[]): Promise<StoreWriter> {
  const child = spawn(process.execPath, [SCRIPT, path, run, ...options], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] })
  const writer = writerOver(child)
  const first = await writer.hear()
  if (first !== 'ready') throw new Error(`The writer did not start: ${(await writer.finish()).join('\n')}`)
  return writer
}

function writerOver(child: ChildProcess): StoreWriter {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error('The writer has no pipes.')
  let complaints = ''
  stderr.on('data', (chunk) => (complaints += String(chunk)))
  const ended = once(child, 'close')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()

  async function hear(): Promise<string | undefined> {
    const { done, value } = await lines.next()
    return done ? undefined : value
  }

  return {
    hear,
    ask: (line) => void stdin.write(`${line}\n`),
    signal: (name) => void child.kill(name),
    async finish() {
      stdin.end()
      const said: string[] = []
      for (let line = await hear(); line !== undefined; line = await hear()) said.push(line)
      await ended
      if (complaints !== '') throw new Error(complaints)
      return said
    },
  }
}
