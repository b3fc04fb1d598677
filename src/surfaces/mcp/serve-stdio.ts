import { once } from 'node:events'
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { mcpServer } from './mcp-server.ts'
import type { McpProject } from './project.ts'

/** Serves one client over standard input and output, and resolves when it goes away or `signal` is aborted. */
export async function serveStdio(project: McpProject, signal: AbortSignal): Promise<void> {
  const gone = Promise.race([
    once(process.stdin, 'end'),
    once(process.stdin, 'close'),
    once(process.stdout, 'close'),
    aborted(signal),
  ])
  const handle = serve(() => mcpServer(project), {
    onerror: (error) => void process.stderr.write(`pawl mcp: ${error.message}\n`),
  })
  await gone
  await handle.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
