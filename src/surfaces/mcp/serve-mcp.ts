import { PORT_DEFAULT } from './port.ts'
import { serveHttp } from './serve-http.ts'
import { serveStdio } from './serve-stdio.ts'
import { openMcpProject, type McpProjectOptions } from './project.ts'

export interface McpOptions extends McpProjectOptions {
  /** Over streamable HTTP instead of standard input and output. Default false. */
  readonly http?: boolean
  /** Default 7295; 0 takes one that is free. */
  readonly port?: number
  /** Told where it listens. */
  readonly onListening?: (url: string) => void
}

/** Serves MCP until the client goes away or the process is told to end. What is under way is ended cleanly. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { http = false, port = PORT_DEFAULT, onListening } = options
  const project = openMcpProject(options)
  const end = new AbortController()
  const stop = (): void => end.abort()
  for (const name of SIGNALS) process.on(name, stop)
  try {
    if (!http) return await serveStdio(project, end.signal)
    const serving = await serveHttp(project, port)
    onListening?.(serving.url)
    await new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve(), { once: true }))
    await serving.close()
  } finally {
    for (const name of SIGNALS) process.off(name, stop)
    await project.close()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
