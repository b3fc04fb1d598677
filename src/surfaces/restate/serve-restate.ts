import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler, type LoggerTransport } from '@restatedev/restate-sdk'
import { PawlError } from '../../core/pawl-error.ts'
import { COUNT, type EntriesOf, needed, optional, settingsSchema, TEXT, TEXTS } from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'
import { restateRuns, type RestateRunsOptions, RUNS_OPTIONS } from './restate-runs.ts'

/** Where runs are served to Restate. */
export interface ServeRestateOptions extends RestateRunsOptions {
  /** 0 takes a free port. Keep it: Restate finds unfinished runs at this address again. */
  readonly port: number
  /** Default: this machine only. */
  readonly host?: string
  /** Public keys of the Restate servers that may call. Default: whoever reaches the address. */
  readonly identityKeys?: readonly string[]
}

const OPTIONS = settingsSchema({
  ...RUNS_OPTIONS.entries,
  port: needed(COUNT),
  host: optional(TEXT),
  identityKeys: optional(TEXTS),
} satisfies EntriesOf<ServeRestateOptions>)

/** Runs that are served to Restate. */
export interface ServedRuns {
  /** `http://127.0.0.1:9080`: what to register with Restate. */
  readonly url: string
  close(): Promise<void>
}

/** The SDK also reports each retry, which is how it works, and that nobody signs calls. */
const logProblems: LoggerTransport = ({ level }, ...words) => {
  if (String(level) === 'error') process.stderr.write(`pawl: ${words.map(String).join(' ')}\n`)
}

/**
 * Serves runs to Restate, on this machine only unless told otherwise (the SDK's own `serve` listens everywhere).
 *
 * @example
 * const served = await serveRestate({ loopOf: () => createLoop(options), port: 9080 })
 */
export function serveRestate(options: ServeRestateOptions): Promise<ServedRuns> {
  readOptions('serveRestate', OPTIONS, options)
  return listening(options)
}

async function listening({ port, host = '127.0.0.1', identityKeys = [], ...runs }: ServeRestateOptions): Promise<ServedRuns> {
  const server = createServer(
    createEndpointHandler({ services: [restateRuns(runs)], identityKeys: [...identityKeys], logger: logProblems }),
  )
  server.listen(port, host)
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new PawlError('usage.port', `Port ${port} on ${host} can't be used (${error.code}): name another with --port.`, {
      cause: error,
    })
  })
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const session of sessions) session.destroy()
      await closed
    },
  }
}
