import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from './programs.ts'

/** A real process that writes to a SQLite store (see `store-writer.ts`). */
export interface StoreWriter {
  /** Sends one line: `claim`, `drive COUNT`, `tell COUNT RUN`. */
  ask(line: string): void
  /** Its next `count` lines; fewer if it ends before. */
  hearMany(count: number): Promise<readonly string[]>
  /** Everything it still writes until it ends, which it does once its input is closed. */
  finish(): Promise<readonly string[]>
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
}

const SCRIPT = fileURLToPath(new URL('store-writer.ts', import.meta.url))

/** Starts a writer and waits until it is ready. `finish` rejects if it writes to standard error. */
export async function startStoreWriter(path: string, run: string, ...options: readonly string[]): Promise<StoreWriter> {
  const child = spawn(process.execPath, [SCRIPT, path, run, ...options], { env: COMPILE_CACHE, stdio: ['pipe', 'pipe', 'pipe'] })
  const writer = writerOver(child)
  const [first] = await writer.hearMany(1)
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

  async function hearMany(count: number): Promise<readonly string[]> {
    const said: string[] = []
    while (said.length < count) {
      const { done, value } = await lines.next()
      if (done) break
      said.push(value)
    }
    return said
  }

  return {
    hearMany,
    ask: (line) => void stdin.write(`${line}\n`),
    signal: (name) => void child.kill(name),
    async finish() {
      stdin.end()
      const said = await hearMany(Infinity)
      await ended
      if (complaints !== '') throw new Error(complaints)
      return said
    },
  }
}
