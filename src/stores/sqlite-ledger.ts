import type { DatabaseSync } from 'node:sqlite'
import type { ProcessIdentity, Usage } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import { currentProcessIdentity, isProcessAlive } from '../process/process-identity.ts'
import { makeFile } from './sqlite-connection.ts'
import { judgeClaim, LEASE_MS_DEFAULT } from './store-rules.ts'

/** What all runs together may use. What isn't set has no limit. */
export interface CeilingLimits {
  /** US dollars a day. */
  readonly dayUsd?: number
  /** US dollars a month. */
  readonly monthUsd?: number
  /** Tokens a day. */
  readonly dayTokens?: number
  /** Tokens a month. */
  readonly monthTokens?: number
}

/** How much of one ceiling is used. */
export interface CeilingUse {
  readonly limit: keyof CeilingLimits
  readonly max: number
  /** What work that is over used. */
  readonly spent: number
  /** What work under way has reserved. */
  readonly reserved: number
  /** Set if some of it isn't what an agent reported: it has a price from pawl.yaml, or nobody knows it. */
  readonly isEstimated?: true
}

/** Why work may not begin, or continue. */
export interface CeilingReached extends CeilingUse {
  /** How much the work needs. */
  readonly wanted: number
  /** Set if there is room for it once the work of these runs is over. */
  readonly isHeldBy?: readonly string[]
}

/** Work that is about to begin. */
export interface LedgerWork {
  readonly run: string
  readonly agent: string
  /** What is left of the run's money. Default: it has no limit. */
  readonly costUsdMax?: number | undefined
}

/** A reservation; `leftUsd` is all that the ceilings leave this work, if they limit money. */
export interface Reservation {
  readonly id: number
  readonly leftUsd?: number
}

/** Who spends what on this machine, over all runs. Its methods wait a few seconds for other processes, and throw if that isn't enough. */
export interface Ledger {
  /** Reserves what the work will use: what the agent's dearest work used, at most what is left of the run's money, else all that is left. */
  reserve(work: LedgerWork, limits: CeilingLimits): Reservation | CeilingReached
  /** Notes what the work used until now, and keeps the reservation. Says so if a ceiling is reached. */
  cover(id: number, used: Usage, limits: CeilingLimits): CeilingReached | undefined
  /** Replaces the reservation by what was used. What isn't known counts as much as was reserved. */
  settle(id: number, used: Usage): void
  /** Takes a reservation back: the work did not begin. */
  cancel(id: number): void
  uses(limits: CeilingLimits): readonly CeilingUse[]
  close(): void
}

/** Opens the ledger in this file, and makes it if necessary. */
export function openLedger(path: string, clock: () => number = Date.now): Ledger {
  const database = openDatabase(path)
  const transact = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } finally {
      if (database.isTransaction) database.exec('ROLLBACK')
    }
  }
  const uses = (limits: CeilingLimits, own = 0): readonly CeilingUse[] => {
    const rows = database.prepare('SELECT * FROM spending WHERE at >= ? OR isOpen = 1').all(sinceOf('month', clock()))
    return usesIn(rows as unknown as readonly Row[], limits, clock(), own)
  }
  return {
    reserve: (work, limits) =>
      transact(() => {
        const now = clock()
        releaseDead(database, now)
        database.prepare('DELETE FROM spending WHERE at < ? AND isOpen = 0').run(now - KEPT_MS)
        const before = uses(limits)
        const wanted = wantedBy(database, work, before)
        const reached = before.find((use) => use.spent + use.reserved + wanted[kindOf(use.limit)] > use.max || isFull(use))
        if (reached) return withHolders(database, { ...reached, wanted: wanted[kindOf(reached.limit)] })
        const holder = JSON.stringify(currentProcessIdentity())
        const { lastInsertRowid } = database
          .prepare('INSERT INTO spending (run, agent, holder, at, renewedAt, usd, tokens) VALUES (?, ?, ?, ?, ?, ?, ?)')
          .run(work.run, work.agent, holder, now, now, wanted.usd, wanted.tokens)
        const left = before.filter(({ limit }) => kindOf(limit) === 'usd').map(leftOf)
        return { id: Number(lastInsertRowid), ...(left.length === 0 ? {} : { leftUsd: Math.min(...left) }) }
      }),
    cover: (id, { costUsd = 0, tokens = 0 }, limits) =>
      transact(() => {
        database
          .prepare('UPDATE spending SET renewedAt = ?, usedUsd = max(usedUsd, ?), usedTokens = max(usedTokens, ?) WHERE id = ?')
          .run(clock(), costUsd, tokens, id)
        const used = { usd: costUsd, tokens }
        const reached = uses(limits, id).find((use) => use.spent + use.reserved + used[kindOf(use.limit)] >= use.max)
        return reached && { ...reached, wanted: used[kindOf(reached.limit)] }
      }),
    settle: (id, used) =>
      transact(() => {
        const row = database.prepare('SELECT * FROM spending WHERE id = ?').get(id) as unknown as Row | undefined
        if (!row) return
        const { costUsd = 0, tokens = 0, isUsagePartial } = used
        // Tokens without a price cost something that nobody knows.
        const isUnpriced = isUsagePartial === true || (tokens > 0 && costUsd === 0)
        const isUncounted = isUsagePartial === true || (costUsd > 0 && tokens === 0)
        const usd = isUnpriced ? Math.max(row.usd, row.usedUsd, costUsd) : costUsd
        const count = isUncounted ? Math.max(row.tokens, row.usedTokens, tokens) : tokens
        const isKnown = !isUnpriced && !isUncounted
        database
          .prepare('UPDATE spending SET isOpen = 0, usd = ?, tokens = ?, isKnown = ?, isEstimated = ? WHERE id = ?')
          .run(usd, count, Number(isKnown), Number(!isKnown || used.isCostEstimated === true), id)
      }),
    cancel: (id) => {
      database.prepare('DELETE FROM spending WHERE id = ?').run(id)
    },
    uses: (limits) => uses(limits),
    close: () => database.close(),
  }
}

interface Row {
  readonly id: number
  readonly run: string
  readonly holder: string
  readonly at: number
  readonly renewedAt: number
  /** Reserved while it is open, used afterwards. */
  readonly usd: number
  readonly tokens: number
  /** Reported while it is open. */
  readonly usedUsd: number
  readonly usedTokens: number
  readonly isOpen: number
  readonly isEstimated: number
}

const TABLE = `CREATE TABLE IF NOT EXISTS spending (
  id INTEGER PRIMARY KEY, run TEXT NOT NULL, agent TEXT NOT NULL, holder TEXT NOT NULL, at INTEGER NOT NULL,
  renewedAt INTEGER NOT NULL, usd REAL NOT NULL, tokens REAL NOT NULL, usedUsd REAL NOT NULL DEFAULT 0,
  usedTokens REAL NOT NULL DEFAULT 0, isOpen INTEGER NOT NULL DEFAULT 1, isKnown INTEGER NOT NULL DEFAULT 0,
  isEstimated INTEGER NOT NULL DEFAULT 0)`

/** SQLite itself waits this long for other processes; each needs milliseconds. */
const BUSY_TIMEOUT_MS = 5000

/** The last month, the present one, and a few days. */
const KEPT_MS = 70 * 86_400_000

function openDatabase(path: string): DatabaseSync {
  try {
    makeFile(path, 'a')
    // Not imported at the top: an older Node has no such module, and could not even say that it is too old.
    const database = new (process.getBuiltinModule('node:sqlite').DatabaseSync)(path, { timeout: BUSY_TIMEOUT_MS })
    try {
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${TABLE}`)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (cause) {
    const message = `The ledger of what runs spend, ${path}, can't be used: ${(cause as Error).message}`
    throw new PawlError('ledger.unusable', message, { value: path, cause })
  }
}

type Kind = 'usd' | 'tokens'

function kindOf(limit: keyof CeilingLimits): Kind {
  return limit.endsWith('Usd') ? 'usd' : 'tokens'
}

/** When this day or month began, by the clock of this machine. */
function sinceOf(period: 'day' | 'month', now: number): number {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), period === 'day' ? date.getDate() : 1).getTime()
}

/** Work under way counts today, whenever it began. The row `own` is left out. */
function usesIn(rows: readonly Row[], limits: CeilingLimits, now: number, own: number): readonly CeilingUse[] {
  return Object.entries(limits).flatMap(([name, max]: [string, number | undefined]) => {
    if (max === undefined) return []
    const limit = name as keyof CeilingLimits
    const since = sinceOf(limit.startsWith('day') ? 'day' : 'month', now)
    const counted = rows.filter(({ id, at, isOpen }) => id !== own && (isOpen === 1 || at >= since))
    const amount = (row: Row): number =>
      kindOf(limit) === 'usd' ? Math.max(row.usd, row.isOpen * row.usedUsd) : Math.max(row.tokens, row.isOpen * row.usedTokens)
    const sum = (isOpen: 0 | 1): number =>
      Number(
        counted
          .filter((row) => row.isOpen === isOpen)
          .reduce((total, row) => total + amount(row), 0)
          .toFixed(9),
      )
    const isEstimated = counted.some((row) => row.isEstimated === 1 && amount(row) > 0)
    return [{ limit, max, spent: sum(0), reserved: sum(1), ...(isEstimated ? { isEstimated: true as const } : {}) }]
  })
}

function leftOf({ max, spent, reserved }: CeilingUse): number {
  return max - spent - reserved
}

function isFull(use: CeilingUse): boolean {
  return leftOf(use) <= 0
}

/** An agent that is new here gets all that is left, so that nothing else begins until it is known what it costs. */
function wantedBy(database: DatabaseSync, { agent, costUsdMax }: LedgerWork, uses: readonly CeilingUse[]): Record<Kind, number> {
  const dearest = database
    .prepare('SELECT max(usd) AS usd, max(tokens) AS tokens FROM spending WHERE agent = ? AND isOpen = 0 AND isKnown = 1')
    .get(agent) as { readonly usd: number | null; readonly tokens: number | null }
  const wanted = (kind: Kind, max: number): number => {
    const limited = uses.filter(({ limit }) => kindOf(limit) === kind)
    if (limited.length === 0) return 0
    return dearest[kind] === null ? Math.max(0, Math.min(max, ...limited.map(leftOf))) : Math.min(max, dearest[kind])
  }
  return { usd: wanted('usd', costUsdMax ?? Infinity), tokens: wanted('tokens', Infinity) }
}

function withHolders(database: DatabaseSync, reached: CeilingReached): CeilingReached {
  const { spent, reserved, wanted, max } = reached
  if (reserved === 0 || spent >= max || spent + wanted > max) return reached
  const rows = database.prepare('SELECT DISTINCT run FROM spending WHERE isOpen = 1').all() as unknown as readonly Row[]
  return { ...reached, isHeldBy: rows.map(({ run }) => run) }
}

/** By the rule of claims. What the dead reported is spent; what they reserved is free again. */
function releaseDead(database: DatabaseSync, now: number): void {
  const open = database.prepare('SELECT * FROM spending WHERE isOpen = 1').all() as unknown as readonly Row[]
  for (const { id, holder, at, renewedAt } of open) {
    const claim = { epoch: 0, holder: JSON.parse(holder) as ProcessIdentity, since: at, renewedAt, isReleased: false }
    if (judgeClaim(claim, { now, leaseMs: LEASE_MS_DEFAULT, isAlive: isProcessAlive }).status === 'free')
      database.prepare('UPDATE spending SET isOpen = 0, usd = usedUsd, tokens = usedTokens, isEstimated = 1 WHERE id = ?').run(id)
  }
}
