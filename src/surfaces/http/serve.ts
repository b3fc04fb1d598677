import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { serve as serveNode } from '@hono/node-server'
import { PawlError } from '../../core/pawl-error.ts'
import type { ProcessIdentity } from '../../core/event-data.ts'
import { currentProcessIdentity, isProcessAlive } from '../../process/process-identity.ts'
import { openStore } from '../../registry/open-store.ts'
import type { Project } from '../../settings/find-project.ts'
import { writePrivate } from '../../settings/user-files.ts'
import { httpApp } from './app.ts'
import type { NoticeSettings } from '../../settings/notice-settings.ts'
import { signedLink } from './answer-link.ts'
import { Devices } from './devices.ts'
import { Notices } from './notices.ts'
import { Gate } from './gate.ts'
import { RunCache } from './run-cache.ts'
import { RunIndex } from './run-index.ts'

export interface ServeOptions extends Project {
  /** 0 takes a free port. */
  readonly port: number
  /** Default: this machine only. */
  readonly host?: string
  /** Other names under which the server may be reached. */
  readonly names?: readonly string[]
  /** Where people reach it, if a proxy or a tunnel is in front. */
  readonly publicUrl?: string
  /** The program that starts and resumes runs; absent: the server only shows and answers. */
  readonly program?: readonly string[]
  /** The folder with the page's built files. */
  readonly page?: string
  readonly userFolder?: string
  /** Where notices go; absent: nowhere. */
  readonly notices?: NoticeSettings
  /** Tells whoever started the server what went wrong beside it. */
  readonly warn?: (line: string) => void
}

export interface Serving {
  /** Where it listens: `http://127.0.0.1:7296`. */
  readonly url: string
  /** The same with the token, for the first visit. */
  readonly link: string
  readonly devices: Devices
  close(): Promise<void>
}

/** Whoever sends slowly keeps others out neither for long nor by number. */
const SLOW = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 }
const CONNECTIONS_MAX = 1000

const LOOPBACK = '127.0.0.1'

/** How long a link in a notice answers its question. */
const LINK_MS = 24 * 3_600_000

/** Serves a project's runs until it is closed. One server at a time: a second one would send every notice twice. */
export async function serveProject(options: ServeOptions): Promise<Serving> {
  const {
    root,
    configPath,
    storePath,
    port,
    host = LOOPBACK,
    names = [],
    publicUrl,
    program,
    page,
    notices: settings,
    warn = () => undefined,
  } = options
  const devices = new Devices(options.userFolder)
  const { token } = devices
  const other = servingNow(storePath)
  if (other) {
    // A process on another machine can't be seen from here; its note may be old.
    const seen = isProcessAlive(other.holder) === true ? '' : `. If it doesn't any more, delete ${servingPath(storePath)}`
    throw new PawlError(
      'serve.running',
      `Process ${other.holder.pid} on ${other.holder.host} serves this project already, at ${other.url}${seen}`,
    )
  }
  const store = openStore(storePath)
  const index = new RunIndex(store)
  const project = { root, configPath, storePath, store, index, runs: new RunCache(store), ...(program ? { program } : {}) }
  let url = publicUrl ?? ''
  const gate = new Gate({ devices, host, names: [...names, ...(publicUrl ? [new URL(publicUrl).hostname] : [])] })
  const linkFor = (run: string, question: number): string =>
    `${url}/a/${signedLink({ run, question, expiresAt: Date.now() + LINK_MS }, devices.secret)}`
  const notices = new Notices({ store, storePath, devices, linkFor, warn, url: () => url, ...(settings ? { settings } : {}) })
  const app = httpApp({ project, gate, devices, notices, ...(page === undefined ? {} : { page }), url: () => url })
  try {
    const server = await listening(app.fetch, host, port)
    const { port: taken } = server.address() as AddressInfo
    const own = `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? LOOPBACK : host}:${taken}`
    url ||= own
    const path = servingPath(storePath)
    notices.start()
    writePrivate(path, `${JSON.stringify({ holder: currentProcessIdentity(), url: own })}\n`)
    return {
      url: own,
      link: `${url}/?token=${token}`,
      devices,
      close: async () => {
        rmSync(path, { force: true })
        await notices.close()
        server.close()
        server.closeAllConnections()
        await index.close()
        await store.close()
      },
    }
  } catch (error) {
    await index.close()
    await store.close()
    throw error
  }
}

async function listening(fetch: Parameters<typeof serveNode>[0]['fetch'], host: string, port: number): Promise<Server> {
  const server = serveNode({ fetch, hostname: host, port, serverOptions: SLOW }) as Server
  server.maxConnections = CONNECTIONS_MAX
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new PawlError('usage.port', `Port ${port} on ${host} can't be used (${error.code}): name another with --port.`, {
      cause: error,
    })
  })
  return server
}

/** Who serves a project, noted beside its store. */
export interface ServingNow {
  readonly holder: ProcessIdentity
  readonly url: string
}

/** The server of a project that runs now; `undefined` if there is none. One that was killed leaves its note, which counts for nothing. */
export function servingNow(storePath: string): ServingNow | undefined {
  try {
    const noted = JSON.parse(readFileSync(servingPath(storePath), 'utf8')) as ServingNow
    return isProcessAlive(noted.holder) === false ? undefined : noted
  } catch {
    return undefined
  }
}

function servingPath(storePath: string): string {
  return join(dirname(storePath), `${basename(storePath, '.db')}.serve.json`)
}
