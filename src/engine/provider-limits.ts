import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { Agent, WorkResult } from '../agents/agent.ts'
import { agentName, type PartSpec } from '../core/run-config.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { stateFolder } from '../process/state-folder.ts'
import { isGone, withAccountDatabase } from './account-database.ts'

/**
 * The agent under what all runs of this account know of its provider. A limit that one run meets pauses the calls of the others to the same
 * provider account, as a wait in their journals. Once it should be over one run tries, and the others wait until that has an answer.
 */
export function underProviderLimits(agent: Agent, folder?: string): Agent {
  // A program of the project's own is another one in every project.
  const { command } = agent.spec.settings
  if (String(Array.isArray(command) ? command[0] : (command ?? '')).startsWith('.')) return agent
  const account = providerAccount(agent.spec)
  const work: Agent['work'] = async (request, context) => {
    const entry = enter(account, request.run, folder)
    if (entry.kind === 'wait') {
      await context.started()
      return waits(agentName(agent.spec), entry)
    }
    let isOpen = entry.kind === 'free'
    const open = (): void => {
      if (!isOpen) clear(account, request.run, folder)
      isOpen = true
    }
    const result = await agent.work(request, {
      ...context,
      report: (report) => {
        // The provider answered, so nobody has to wait until the work is done.
        if ((report.used.tokens ?? 0) > 0) open()
        context.report?.(report)
      },
    })
    if (isLimit(result)) note(account, { run: request.run, until: result.retryAt ?? Date.now() + WAIT_MS_DEFAULT }, folder)
    else if (result.status === 'finished' || result.status === 'asked') open()
    // Interrupted, or failed for another reason: the next one tries.
    else if (!isOpen) endTry(account, request.run, folder)
    return result
  }
  // An agent may be of a class.
  return Object.assign(Object.create(agent) as Agent, { work })
}

function isLimit(result: WorkResult): result is Extract<WorkResult, { status: 'failed' | 'timed-out' }> {
  return result.status === 'failed' && result.fault === 'provider-limit' && !result.isCeiling && !result.isOutage
}

/** How long others wait if nobody knows when the limit is over. */
const WAIT_MS_DEFAULT = 60_000

/** How soon the others look again while one run tries. */
const TRY_LOOK_MS = 15_000

/** A run that tries for longer is working: another one may try too. */
const TRY_MS_MAX = 10 * 60_000

/** Runs with the same agent, keys, addresses and login folders share an account. Only a hash of those is kept. */
export function providerAccount(spec: PartSpec, env: NodeJS.ProcessEnv = process.env): string {
  const own = Object.entries((spec.settings['variables'] ?? {}) as Readonly<Record<string, string>>)
  const told = [...Object.entries(env), ...own]
    .filter(([name]) => LOGIN.test(name))
    .toSorted(([one], [other]) => one.localeCompare(other))
  // A program of the user's own may be anything: another command is another account.
  const { command = '' } = spec.settings
  const hash = createHash('sha256')
    .update(JSON.stringify([command, told]))
    .digest('hex')
    .slice(0, 12)
  return `${agentName(spec)} ${hash}`
}

const LOGIN = /(?:_API_KEY|_AUTH_TOKEN|_BASE_URL|_CONFIG_DIR|_ENDPOINT|^CODEX_HOME|^HOME)$/

type Entry =
  | { readonly kind: 'free' | 'try' }
  | { readonly kind: 'wait'; readonly until: number; readonly run: string; readonly isTrying: boolean }

/** Whether a call may be made now. */
function enter(account: string, run: string, folder?: string): Entry {
  // Most accounts never meet a limit, and then no file is made.
  if (!existsSync(join(folder ?? stateFolder(), FILE))) return { kind: 'free' }
  return inFile((database) => {
    const row = database.prepare('SELECT * FROM provider WHERE account = ?').get(account)
    if (!row) return { kind: 'free' }
    const now = Date.now()
    const until = Number(row['until'])
    if (until > now) return { kind: 'wait', until, run: String(row['run']), isTrying: false }
    const { tryRun, tryAt, holder } = row
    const isTried = holder !== null && !isGone(holder) && Number(tryAt) > now - TRY_MS_MAX && tryRun !== run
    if (isTried) return { kind: 'wait', until: now + TRY_LOOK_MS, run: String(tryRun), isTrying: true }
    database
      .prepare('UPDATE provider SET tryRun = ?, tryAt = ?, holder = ? WHERE account = ?')
      .run(run, now, JSON.stringify(currentProcessIdentity()), account)
    return { kind: 'try' }
  }, folder)
}

/** The latest end counts: another run may have met the limit meanwhile too. */
function note(account: string, { run, until }: { readonly run: string; readonly until: number }, folder?: string): void {
  inFile(
    (database) =>
      database
        .prepare(
          `INSERT INTO provider (account, until, run) VALUES (?, ?, ?) ON CONFLICT (account)
           DO UPDATE SET run = excluded.run, until = max(until, excluded.until), tryRun = NULL, tryAt = NULL, holder = NULL`,
        )
        .run(account, until, run),
    folder,
  )
}

/** The limit is over: the run that tried got an answer. */
function clear(account: string, run: string, folder?: string): void {
  inFile((database) => database.prepare('DELETE FROM provider WHERE account = ? AND tryRun = ?').run(account, run), folder)
}

/** The run that tried learned nothing. */
function endTry(account: string, run: string, folder?: string): void {
  inFile(
    (database) =>
      database
        .prepare('UPDATE provider SET tryRun = NULL, tryAt = NULL, holder = NULL WHERE account = ? AND tryRun = ?')
        .run(account, run),
    folder,
  )
}

function inFile<Result>(work: (database: DatabaseSync) => Result, folder?: string): Result {
  return withAccountDatabase(FILE, TABLE, work, folder)
}

const FILE = 'providers.db'

const TABLE = `CREATE TABLE IF NOT EXISTS provider (
  account TEXT PRIMARY KEY, until INTEGER NOT NULL, run TEXT NOT NULL, tryRun TEXT, tryAt INTEGER, holder TEXT)`

function waits(agent: string, { run, until, isTrying }: Extract<Entry, { kind: 'wait' }>): WorkResult {
  const message = isTrying
    ? `${agent}'s provider had a limit, and run ${run} tries whether it is over.`
    : `${agent}'s provider has a limit, which run ${run} met.`
  return { status: 'failed', fault: 'provider-limit', message, retryAt: until, isShared: true }
}
