import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const PAWL = join(import.meta.dirname, '..', 'bin', 'pawl')
const ITERATIONS = 100

/** An agent thinks for longer between two calls. */
const THINKING_MS = 20

/**
 * Milliseconds of every `iteration_next` of a loop of a hundred iterations, one for each, as a client of a server process sees them:
 * every one is validated before, which is not counted.
 */
export async function mcpRoundTrips(folder: string): Promise<readonly number[]> {
  writeFileSync(join(folder, 'there.txt'), '')
  const server = spawn(PAWL, ['mcp'], { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: 'pipe' })
  const waiting = new Map<number, (message: Message) => void>()
  createInterface({ input: server.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message
    waiting.get(message.id)?.(message)
  })
  let lastId = 0
  const request = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      waiting.set(++lastId, resolve)
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`)
    })
  const call = async (name: string, given: object): Promise<void> => {
    const { result, error } = await request('tools/call', { name, arguments: given })
    if (error || result?.isError || result?.structuredContent?.error !== undefined)
      throw new Error(`${name} failed: ${JSON.stringify(error ?? result)}`)
  }
  try {
    await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } })
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const validationRules = [{ type: 'file_existence', name: 'there', config: { paths: ['there.txt'] } }]
    const completionPromises = ['<promise>COMPLETE</promise>']
    await call('iteration_start', { taskId: 'bench', maxIterations: ITERATIONS, completionPromises, validationRules })
    const times: number[] = []
    for (let iteration = 1; iteration < ITERATIONS; iteration++) {
      await call('iteration_validate', { iterationId: 'bench', agentOutput: 'Not done yet.' })
      await sleep(THINKING_MS)
      const startedAt = performance.now()
      await call('iteration_next', { iterationId: 'bench' })
      times.push(performance.now() - startedAt)
    }
    return times
  } finally {
    server.kill('SIGKILL')
  }
}

interface Message {
  readonly id: number
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: { readonly error?: string } }
  readonly error?: unknown
}
