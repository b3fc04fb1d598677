import { randomUUID } from 'node:crypto'
import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId } from '../core/event.ts'
import type { PostgresClient, PostgresConnection, Row } from './postgres-connection.ts'
import { NOW } from './postgres-schema.ts'
import { type ClaimRule, judgeClaim, judgeHolder, type KnownClaim } from './store-rules.ts'
import type { Claim, ClaimResult } from './store.ts'

export interface PostgresClaims {
  claim(run: RunId, holder: ProcessIdentity): Promise<ClaimResult>
  /** Claims a run that exists, within a transaction that has locked it. */
  claimLocked(client: PostgresClient, run: RunId, holder: ProcessIdentity): Promise<ClaimResult>
  renew(claim: Claim): Promise<boolean>
  release(claim: Claim): Promise<void>
  /** See `Store.holder`. */
  holder(run: RunId, which?: 'now' | 'last'): Promise<ProcessIdentity | undefined>
  /** The holder of the newest claim, dead or alive; `undefined` if it was released or never claimed. */
  holderOf(run: RunId): Promise<ProcessIdentity | undefined>
  /** Which of these rows are of a run that somebody holds. */
  held(rows: readonly Row[]): readonly Row[]
}

/** The rule of claims, without the time: the database has the clock. */
export type PostgresClaimRule = Pick<ClaimRule, 'leaseMs' | 'isAlive'>

/** What a claim's row is read from, with the database's time: its clock decides about leases, and no other. */
export const CLAIM_COLUMNS = `epoch, is_released, token, pid, process_started_at, host, since, renewed_at, ${NOW} AS now`

/** The claims, in the rows of the runs. */
export function postgresClaims({ ask, transact }: PostgresConnection, schema: string, rule: PostgresClaimRule): PostgresClaims {
  const { leaseMs } = rule
  const ofClaim = 'WHERE run = $1 AND epoch = $2 AND NOT is_released'
  const ruleOf = (row: Row): ClaimRule => ({ ...rule, now: Number(row['now']) })
  const find = async (run: RunId): Promise<Row | undefined> =>
    (await ask(`SELECT ${CLAIM_COLUMNS} FROM ${schema}.runs WHERE run = $1`, [run]))[0]

  async function claimLocked(client: PostgresClient, run: RunId, holder: ProcessIdentity, token: string): Promise<ClaimResult> {
    const { rows } = await client.query(`SELECT ${CLAIM_COLUMNS} FROM ${schema}.runs WHERE run = $1 FOR UPDATE`, [run])
    const [row] = rows
    if (row === undefined) throw new Error(`the run ${run} is locked, so it exists`)
    // The claim was committed before the connection was lost.
    if (row['token'] === token) return { status: 'claimed', claim: { run, epoch: Number(row['epoch']) }, leaseMs }
    const judgement = judgeClaim(toKnownClaim(row), ruleOf(row))
    if (judgement.status === 'held') return judgement
    const { rows: claimed } = await client.query(
      `UPDATE ${schema}.runs SET epoch = epoch + 1, is_released = false, token = $2, pid = $3, process_started_at = $4, host = $5,
         since = $6, renewed_at = $6 WHERE run = $1 RETURNING epoch`,
      [run, token, holder.pid, holder.startedAt, holder.host, row['now']],
    )
    return { status: 'claimed', claim: { run, epoch: Number(claimed[0]?.['epoch']) }, leaseMs, ...judgement.takenOver }
  }

  return {
    async claim(run, holder) {
      const token = randomUUID()
      return transact(async (client) => {
        await client.query(`INSERT INTO ${schema}.runs (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
        return claimLocked(client, run, holder, token)
      })
    },
    claimLocked: (client, run, holder) => claimLocked(client, run, holder, randomUUID()),
    async renew({ run, epoch }) {
      const sql = `UPDATE ${schema}.runs SET renewed_at = ${NOW} ${ofClaim} RETURNING epoch`
      return (await ask(sql, [run, epoch], { isUrgent: true })).length > 0
    },
    async release({ run, epoch }) {
      await ask(`UPDATE ${schema}.runs SET is_released = true ${ofClaim}`, [run, epoch])
    },
    async holder(run, which) {
      const row = await find(run)
      return row && judgeHolder(toKnownClaim(row), ruleOf(row), which)
    },
    async holderOf(run) {
      const row = await find(run)
      return row && row['is_released'] !== true ? toKnownClaim(row)?.holder : undefined
    },
    held: (rows) => rows.filter((row) => judgeHolder(toKnownClaim(row), ruleOf(row)) !== undefined),
  }
}

function toKnownClaim(row: Row): KnownClaim | undefined {
  if (row['pid'] === null) return undefined
  return {
    epoch: Number(row['epoch']),
    holder: { pid: Number(row['pid']), startedAt: String(row['process_started_at']), host: String(row['host']) },
    since: Number(row['since']),
    renewedAt: Number(row['renewed_at']),
    isReleased: row['is_released'] === true,
  }
}
