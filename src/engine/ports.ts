import { createServer } from 'node:net'
import type { DatabaseSync } from 'node:sqlite'
import { PawlError } from '../core/pawl-error.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { isGone, withAccountDatabase } from './account-database.ts'

/** Ports that only one run of this account has, and the variables that say which. */
export interface PortLease {
  readonly first: number
  readonly last: number
  readonly variables: Readonly<Record<string, string>>
  release(): void
}

/** How many ports a run gets. */
const PORTS_EACH = 20
/** Below the ports that systems give out by themselves. */
const PORT_MIN = 20_000
const PORT_MAX = 31_999

/**
 * Leases a range of ports to a run. The lease of a process that is gone is free again. Ranges in which something listens already are
 * passed over.
 */
export async function leasePorts(run: string, folder?: string): Promise<PortLease> {
  for (let from = PORT_MIN; ;) {
    const first = take(run, from, folder)
    if (first === undefined)
      throw new PawlError(
        'ports.none',
        `All port ranges from ${PORT_MIN} to ${PORT_MAX} are leased or in use: end other parallel runs.`,
      )
    const last = first + PORTS_EACH - 1
    if (await areFree(first, last)) {
      const variables = { PAWL_PORT_FIRST: String(first), PAWL_PORT_LAST: String(last) }
      return { first, last, variables, release: () => release(first, folder) }
    }
    release(first, folder)
    from = last + 1
  }
}

const FILE = 'ports.db'
const TABLE = 'CREATE TABLE IF NOT EXISTS lease (first INTEGER PRIMARY KEY, run TEXT NOT NULL, holder TEXT NOT NULL)'

function take(run: string, from: number, folder: string | undefined): number | undefined {
  const lease = (database: DatabaseSync): number | undefined => {
    const rows = database.prepare('SELECT first, holder FROM lease').all()
    const gone = rows.filter(({ holder }) => isGone(holder))
    for (const { first } of gone) database.prepare('DELETE FROM lease WHERE first = ?').run(Number(first))
    const taken = new Set(rows.filter((row) => !gone.includes(row)).map(({ first }) => Number(first)))
    for (let first = from; first + PORTS_EACH - 1 <= PORT_MAX; first += PORTS_EACH) {
      if (taken.has(first)) continue
      database
        .prepare('INSERT INTO lease (first, run, holder) VALUES (?, ?, ?)')
        .run(first, run, JSON.stringify(currentProcessIdentity()))
      return first
    }
    return undefined
  }
  return withAccountDatabase(FILE, TABLE, lease, folder)
}

function release(first: number, folder: string | undefined): void {
  withAccountDatabase(FILE, TABLE, (database) => database.prepare('DELETE FROM lease WHERE first = ?').run(first), folder)
}

async function areFree(first: number, last: number): Promise<boolean> {
  const ports = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const free = await Promise.all(ports.map(isFree))
  return free.every(Boolean)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
