import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../../core/pawl-error.ts'
import { resolveProgram } from '../../process/find-program.ts'

/** Ports of a local Restate server; its nodes' own port is the one above `adminPort`. */
export interface RestatePorts {
  readonly ingressPort: number
  readonly adminPort: number
}

/** A Restate server on this machine. */
export interface RestateServer extends RestatePorts {
  readonly pid: number
  /** Settles when it ends; with a sentence if it ended by itself. */
  readonly ended: Promise<string | undefined>
  stop(): Promise<void>
}

/** The package with the server of this machine. */
const PACKAGE = `@restatedev/restate-server-${process.platform}-${process.arch}`

/** Finds the server: in the project's packages, beside Pawl, or on PATH. */
export async function findRestateServer(root: string): Promise<string> {
  for (const place of [join(root, 'package.json'), import.meta.filename]) {
    try {
      const path = join(dirname(createRequire(place).resolve(`${PACKAGE}/package.json`)), 'bin', 'restate-server')
      if (existsSync(path)) return path
    } catch {
      // Not installed there.
    }
  }
  const found = await resolveProgram('restate-server', root, process.env['PATH'])
  if (found.status === 'found') return found.path
  throw new PawlError(
    'engine.missing',
    `There is no Restate server in this project or on PATH.\nInstall it: npm i -D ${PACKAGE}   (licence: BSL 1.1)`,
    { value: PACKAGE },
  )
}

/** Starts a server that only this machine reaches, without telemetry, and waits until it takes calls. */
export async function startRestateServer(program: string, folder: string, ports: RestatePorts): Promise<RestateServer> {
  const { ingressPort, adminPort } = ports
  mkdirSync(folder, { recursive: true })
  const child = spawn(program, ['--base-dir', folder, '--node-name', 'pawl', '--no-logo'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      RESTATE_DISABLE_TELEMETRY: 'true',
      DO_NOT_TRACK: '1',
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: LOOPBACK,
      RESTATE_ADVERTISED_HOST: LOOPBACK,
      RESTATE_BIND_PORT: String(adminPort + 1),
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
      RESTATE_DEFAULT_NUM_PARTITIONS: '4',
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MiB',
    },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-SAID_MAX)))
  let isStopping = false
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`The Restate server could not be started: ${error.message}`))
    child.once('exit', (code, signal) =>
      resolve(isStopping ? undefined : `The Restate server ended (${signal ?? `exit code ${code}`}): ${lastLine(said)}`),
    )
  })
  const stop = async (): Promise<void> => {
    isStopping = true
    await stopped(child, ended)
  }
  const early = await Promise.race([ended, reached(`http://${LOOPBACK}:${adminPort}`)])
  if (early === true) return { ...ports, pid: child.pid ?? 0, ended, stop }
  await stop()
  throw new PawlError(
    'engine.start',
    early || `The Restate server took no calls within ${START_MS_MAX / 1000} s: ${lastLine(said)}`,
  )
}

/** Whether a server runs there already: one outlives a killed `pawl engine up`. */
export async function isServing(adminUrl: string): Promise<boolean> {
  const response = await fetch(`${adminUrl}/health`).catch(() => undefined)
  return response?.ok ?? false
}

/** Tells a server where the runs are. The same address replaces what it knew of it. */
export async function registerRuns(adminUrl: string, url: string): Promise<void> {
  const body = JSON.stringify({ uri: url, force: true })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${adminUrl}/deployments`, { method: 'POST', headers, body }).catch((error: Error) => error)
  if (response instanceof Error)
    throw new PawlError('engine.unreachable', `Restate's admin API isn't reachable at ${adminUrl}.\nStart one: pawl engine up`)
  if (!response.ok)
    throw new PawlError('engine.register', `Restate refused the runs at ${url}: ${(await response.text()).slice(0, SAID_MAX)}`)
}

const LOOPBACK = '127.0.0.1'
const SAID_MAX = 2000
const START_MS_MAX = 60_000
const STOP_MS_MAX = 15_000
const LOOK_MS = 100

async function reached(url: string): Promise<boolean> {
  for (const giveUpAt = performance.now() + START_MS_MAX; performance.now() < giveUpAt; await sleep(LOOK_MS)) {
    if (await isServing(url)) return true
  }
  return false
}

async function stopped(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await ended
  clearTimeout(timer)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
