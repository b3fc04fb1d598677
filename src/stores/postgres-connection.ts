import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { PawlError } from '../core/pawl-error.ts'
import { steadyMs } from '../process/clock.ts'
import { keepSecret } from '../secrets/known-values.ts'

/** A row as it comes from the server. */
export type Row = Readonly<Record<string, unknown>>

/** Asks the server. Unnamed statements only, so that a pooler may send each to another connection. */
export interface PostgresClient {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }>
}

/** How a statement is to be asked. */
export interface AskOptions {
  /** Called if the connection was lost meanwhile and the statement is asked again: it may have been done already. */
  readonly onRetry?: () => void
  /** On a connection of its own, so that it never waits for others. */
  readonly isUrgent?: boolean
}

/** A database. Its methods outlast a server that restarts, and keep nothing in a session: it may be a pooler's. */
export interface PostgresConnection {
  /** The address without credentials. */
  readonly where: string
  /** Rows of one statement, which is a transaction of its own. */
  ask(sql: string, values?: readonly unknown[], options?: AskOptions): Promise<readonly Row[]>
  /** Several statements as one transaction; it is asked again as a whole if the connection is lost before its end. */
  transact<Result>(work: (client: PostgresClient) => Promise<Result>, options?: Pick<AskOptions, 'onRetry'>): Promise<Result>
  close(): Promise<void>
}

export interface PostgresConnectionOptions {
  readonly url: string
  readonly connectionsMax: number
  /** How long an operation waits for a server that was there before. */
  readonly retryMsMax: number
}

/** Longer than any statement takes; a network that loses everything is noticed by it. */
const ANSWER_MS_MAX = 20_000
const CONNECT_MS_MAX = 10_000
const PAUSE_MS_MAX = 1000

/** Connects when first asked. Throws if the package `pg` is not installed. */
export async function openPostgres(options: PostgresConnectionOptions): Promise<PostgresConnection> {
  const { url, connectionsMax, retryMsMax } = options
  const where = withoutCredentials(url)
  const { Pool: PoolClass } = await loadPackage()
  const connection = connectionSettings(url)
  const poolOf = (max: number): Pool => {
    const pool = new PoolClass({
      ...connection,
      max,
      application_name: 'pawl',
      connectionTimeoutMillis: CONNECT_MS_MAX,
      query_timeout: ANSWER_MS_MAX,
      keepAlive: true,
      allowExitOnIdle: true,
    })
    // An idle connection that breaks: the next statement makes another one.
    pool.on('error', ignore)
    return pool
  }
  const shared = poolOf(connectionsMax)
  const urgent = poolOf(1)
  let wasThere = false
  let isClosed = false
  async function insist<Result>(attempt: () => Promise<Result>, onRetry?: () => void): Promise<Result> {
    const giveUpAt = steadyMs() + retryMsMax
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
      try {
        if (isClosed) throw storeClosed(where)
        const result = await attempt()
        wasThere = true
        return result
      } catch (error) {
        // The first time somebody waits at the terminal, and a wrong address is likelier than a restart.
        const isPatient = (wasThere && isLost(error)) || isTransient(error)
        if (!isPatient || isClosed || steadyMs() >= giveUpAt) throw isClosed ? storeClosed(where) : storeError(error, where)
        onRetry?.()
        await sleep(pauseMs * (0.5 + Math.random()))
      }
    }
  }
  return {
    where,
    ask: (sql, values, { onRetry, isUrgent = false } = {}) =>
      insist(async () => (await (isUrgent ? urgent : shared).query(sql, values as unknown[] | undefined)).rows as Row[], onRetry),
    transact: (work, { onRetry } = {}) => insist(() => transacted(shared, work), onRetry),
    async close() {
      isClosed = true
      await Promise.all([shared.end(), urgent.end()])
    },
  }
}

function ignore(): void {}

async function transacted<Result>(pool: Pool, work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
  const client: PoolClient = await pool.connect()
  // A lost connection is reported by the statement that needs it.
  client.on('error', ignore)
  let failure: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client as unknown as PostgresClient)
    await client.query('COMMIT')
    return result
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    client.off('error', ignore)
    // A failed transaction's connection is thrown away: the server rolls back.
    client.release(failure)
  }
}

async function loadPackage(): Promise<typeof import('pg').default> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    const { code } = cause as { code?: string }
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw cause
    const message = 'A Postgres store needs the package "pg", which isn\'t installed beside Pawl.\n  Install  npm install pg'
    throw new PawlError('store.no-package', message, { cause })
  }
}

/** What `pg` connects with. Its password is secret from now on, whatever it looks like. */
function connectionSettings(url: string): PoolConfig {
  const parsed = urlOf(url)
  const password = decodeURIComponent(parsed.password) || (process.env['PGPASSWORD'] ?? '')
  if (password !== '') keepSecret(password, 'PAWL_STORE')
  parsed.searchParams.delete('schema')
  return { connectionString: parsed.href }
}

/** Whether a store's address names a database server. */
function isPostgresUrl(address: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(address)
}

/** The schema of the tables: `?schema=` of the address, `pawl` by default. */
export function schemaOf(url: string): string {
  const schema = urlOf(url).searchParams.get('schema') ?? 'pawl'
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema
  throw new PawlError(
    'store.address',
    `"${schema}" can't be the schema of a Postgres store: use lower-case letters, digits and "_".`,
  )
}

/** The address as people may see it. */
export function withoutCredentials(url: string): string {
  const { protocol, host, pathname } = urlOf(url)
  const schema = schemaOf(url)
  return `${protocol}//${host}${pathname}${schema === 'pawl' ? '' : `?schema=${schema}`}`
}

function urlOf(url: string): URL {
  if (isPostgresUrl(url) && URL.canParse(url)) return new URL(url)
  const message =
    "A Postgres store's address can't be read.\n  Write it as postgres://USER@HOST:5432/DATABASE, with special characters as %XX"
  throw new PawlError('store.address', message)
}

/** The store was used after `close`. */
export function storeClosed(where: string): PawlError {
  return new PawlError('store.closed', `The store at ${where} was used after it was closed: open it again with postgresStore().`)
}

/** Whether the connection is lost, so that nobody knows whether the statement was done. */
function isLost(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  return (
    /^(?:08|57P0[12])/.test(code) ||
    SYSTEM_CODES.has(code) ||
    /^(?:Connection terminated|Query read timeout|timeout expired|timeout exceeded|Client (?:was closed|has encountered))/.test(
      message,
    ) ||
    (error instanceof AggregateError && error.errors.some(isLost))
  )
}

const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** The server is starting, has no place left, or chose this transaction to end a deadlock: nothing was done. */
function isTransient(error: unknown): boolean {
  const { code = '' } = error as { code?: string }
  return /^(?:57P03|53300|40001|40P01)$/.test(code)
}

/** Turns an error of the server or the network into a `PawlError` that says what to do. */
function storeError(error: unknown, where: string): PawlError {
  if (error instanceof PawlError) return error
  const { code = '', message } = error as { code?: string; message?: string }
  const said =
    message || (error instanceof AggregateError && error.errors.map(({ message: each }) => each).join(', ')) || String(error)
  const known = isLost(error) ? UNREACHABLE : (KNOWN[code] ?? (code.startsWith('28') ? KNOWN['28P01'] : undefined))
  const [kind, fix] = known ?? ['failed', "See the server's log, then run `pawl doctor`."]
  return new PawlError(`store.${kind}`, `The Postgres store at ${where} can't be used: ${said}\n  ${fix}`, {
    value: where,
    cause: error,
  })
}

type Known = readonly [kind: string, fix: string]

const UNREACHABLE: Known = ['unreachable', 'Start the server, or correct the address in PAWL_STORE or `store:` of pawl.yaml.']

/** By SQLSTATE. */
const KNOWN: Readonly<Record<string, Known>> = {
  '28P01': ['refused', 'Correct the user or password: in PAWL_STORE, PGPASSWORD or ~/.pgpass.'],
  '3D000': ['refused', 'Make the database (createdb NAME), or correct its name in the address.'],
  '42501': ['refused', 'Grant this user CREATE on the database, or USAGE on the schema and its tables.'],
  '25006': ['read-only', 'This server takes no writes: name the primary in the address.'],
  '53100': ['disk-full', "The server's disk is full: free some space, then continue. What was acknowledged is there."],
  '53300': ['busy', 'The server has too many connections: raise its limit, or use a pooler.'],
}
