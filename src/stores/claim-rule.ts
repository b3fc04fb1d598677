import type { ProcessIdentity } from '../core/event-data.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { ClaimResult } from './store.ts'

/** The newest claim on a run, as a store remembers it. */
export interface KnownClaim {
  readonly epoch: number
  readonly holder: ProcessIdentity
  readonly since: number
  /** When the holder last said that it is there. */
  readonly renewedAt: number
  readonly isReleased: boolean
}

export interface ClaimRule {
  readonly now: number
  /** How long a holder that cannot be seen, or is stuck, keeps its claim after the last sign of life. */
  readonly leaseMs: number
  readonly isAlive: (identity: ProcessIdentity) => boolean | 'unknown'
}

export type ClaimJudgement =
  | {
      readonly status: 'free'
      readonly takenOver?: Pick<Extract<ClaimResult, { status: 'claimed' }>, 'takenOverFrom' | 'lastSeenAt'>
    }
  | Extract<ClaimResult, { status: 'held' }>

/**
 * The one rule for every store: a run is free when nobody holds it, when its holder is dead, or when the holder's last sign of
 * life is older than the lease. The holder itself is no exception: two drivers in one process must not both drive.
 */
export function judgeClaim(known: KnownClaim | undefined, { now, leaseMs, isAlive }: ClaimRule): ClaimJudgement {
  if (known === undefined || known.isReleased) return { status: 'free' }
  const isGone = now - known.renewedAt > leaseMs || isAlive(known.holder) === false
  const { holder, since, renewedAt } = known
  return isGone
    ? { status: 'free', takenOver: { takenOverFrom: holder, lastSeenAt: renewedAt } }
    : { status: 'held', holder, since }
}

/** Who holds a run by that rule; `last` also names a holder that is gone and did not release it. */
export function judgeHolder(
  known: KnownClaim | undefined,
  rule: ClaimRule,
  which: 'now' | 'last' = 'now',
): ProcessIdentity | undefined {
  const judgement = judgeClaim(known, rule)
  if (judgement.status === 'held') return judgement.holder
  return which === 'last' ? judgement.takenOver?.takenOverFrom : undefined
}

/** A minute: several missed renewals, and short enough for a person who waits to take a stuck run over. */
export const LEASE_MS_DEFAULT = 60_000

/** Refuses a lease that cannot work, at construction. */
export function checkLease(leaseMs: number): void {
  if (Number.isFinite(leaseMs) && leaseMs > 0) return
  throw new PawlError('store.lease', `leaseMs must be a number of milliseconds above 0, not ${leaseMs}.`, { value: leaseMs })
}
