import type { ProcessIdentity } from '../core/event-data.ts'
import type { RunId } from '../core/event.ts'
import type { Claim, ClaimResult } from './store.ts'
import { judgeClaim, judgeHolder } from './claim-rule.ts'
import type { ClaimRule, KnownClaim } from './claim-rule.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqliteJournalEnds } from './sqlite-journal-ends.ts'
import type { SqliteRuns } from './sqlite-runs.ts'

export interface SqliteClaims {
  claim(run: RunId, holder: ProcessIdentity, rule: ClaimRule): Promise<ClaimResult>
  renew(claim: Claim, now: number): Promise<boolean>
  release(claim: Claim): Promise<void>
  /** See `Store.holder`. */
  holder(run: RunId, rule: ClaimRule, which?: 'now' | 'last'): Promise<ProcessIdentity | undefined>
  /** Whose claim is the newest and not released, dead or alive; `undefined` when it was released or never claimed. To be called within a transaction. */
  holderOf(run: RunId): ProcessIdentity | undefined
}

/** The table of claims. One that a power cut takes back belonged to a process that died with it; what is appended under one is kept with it. */
export function sqliteClaims(
  { database, query, transactLightly }: SqliteConnection,
  runs: SqliteRuns,
  ends: SqliteJournalEnds,
): SqliteClaims {
  const select = database.prepare('SELECT claims.* FROM claims JOIN runs ON runs.id = claims.run WHERE runs.run = ?')
  const replace = database.prepare('REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, 0)')
  const ofClaim = 'WHERE run = (SELECT id FROM runs WHERE run = ?) AND epoch = ? AND is_released = 0'
  const update = database.prepare(`UPDATE claims SET renewed_at = ? ${ofClaim}`)
  const release = database.prepare(`UPDATE claims SET is_released = 1 ${ofClaim}`)

  function known(run: RunId): KnownClaim | undefined {
    const row = select.get(run)
    return row && toKnownClaim(row)
  }

  return {
    claim: (run, holder, rule) =>
      transactLightly(() => {
        const before = known(run)
        const judgement = judgeClaim(before, rule)
        if (judgement.status === 'held') return judgement
        const epoch = (before?.epoch ?? 0) + 1
        ends.forget(run)
        replace.run(runs.idOf(run), epoch, holder.pid, holder.startedAt, holder.host, rule.now, rule.now)
        return { status: 'claimed', claim: { run, epoch }, leaseMs: rule.leaseMs, ...judgement.takenOver }
      }),
    renew: (claim, now) => transactLightly(() => update.run(now, claim.run, claim.epoch).changes === 1),
    release: (claim) =>
      transactLightly(() => {
        ends.forget(claim.run)
        release.run(claim.run, claim.epoch)
      }),
    holder: (run, rule, which) => query(() => judgeHolder(known(run), rule, which)),
    holderOf(run) {
      const claim = known(run)
      return claim?.isReleased ? undefined : claim?.holder
    },
  }
}

function toKnownClaim(row: Record<string, unknown>): KnownClaim {
  return {
    epoch: row['epoch'] as number,
    holder: { pid: row['pid'] as number, startedAt: row['started_at'] as string, host: row['host'] as string },
    since: row['since'] as number,
    renewedAt: row['renewed_at'] as number,
    isReleased: row['is_released'] === 1,
  }
}
