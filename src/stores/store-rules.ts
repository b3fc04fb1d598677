import { hash } from 'node:crypto'
import type { ProcessIdentity, TextRef } from '../core/event-data.ts'
import type { Fact, RunId } from '../core/event.ts'
import { PawlError } from '../core/pawl-error.ts'
import type { Captured } from '../process/output.ts'
import { redactJson, redactSaid } from '../secrets/filter.ts'
import { hasSecretHint } from '../secrets/hint.ts'
import type { ClaimResult, DrivingAppend, Snapshot } from './store.ts'

/** The newest claim on a run, as a store remembers it. */
export interface KnownClaim {
  readonly epoch: number
  readonly holder: ProcessIdentity
  readonly since: number
  /** When the holder last renewed it. */
  readonly renewedAt: number
  /** The same as the time since its machine was started, which no change of the clock moves; absent if unknown. */
  readonly renewedUpMs?: number | undefined
  readonly isReleased: boolean
}

export interface ClaimRule {
  readonly now: number
  /** The time since this machine was started. Default: only the clock counts. */
  readonly upMs?: number
  /** How long a holder that is stuck or not visible from here keeps its claim after renewing it. */
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
 * The rule of every store: a run is free if nobody holds it, if its holder is dead, or if the last renewal is older than the lease.
 * The holder itself is no exception: two drivers in one process must not both drive.
 */
export function judgeClaim(known: KnownClaim | undefined, { now, upMs, leaseMs, isAlive }: ClaimRule): ClaimJudgement {
  if (known === undefined || known.isReleased) return { status: 'free' }
  const alive = isAlive(known.holder)
  // On the same machine a clock that jumps must not end a living holder's claim.
  const isComparable = alive !== 'unknown' && upMs !== undefined && known.renewedUpMs !== undefined && upMs >= known.renewedUpMs
  const idleMs = isComparable ? upMs - known.renewedUpMs : now - known.renewedAt
  const isGone = idleMs > leaseMs || alive === false
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

/** A minute: several missed renewals, and short enough for a person who waits to take over a stuck run. */
export const LEASE_MS_DEFAULT = 60_000

/** Throws if an append can only be a programmer's mistake, before anything is written. */
export function checkAppend(run: RunId, facts: readonly Fact[], driving: DrivingAppend | undefined): void {
  if (driving?.claim && driving.claim.run !== run) {
    throw new PawlError(
      'store.wrong-claim',
      `An append to the run "${run}" came with the claim of the run "${driving.claim.run}": claim the run you write to.`,
      { value: driving.claim },
    )
  }
  const stranger = driving?.claim === undefined ? facts.find((fact) => fact.by.role !== 'person') : undefined
  if (stranger === undefined) return
  throw new PawlError(
    'store.not-a-person',
    `"${stranger.type}" by "${stranger.by.role}" needs a claim on the run "${run}": without one only facts by a person are taken.`,
    { value: stranger },
  )
}

/** A text as a store keeps it: free of secrets, with its reference. */
export interface KeepableText {
  readonly content: Buffer
  readonly ref: TextRef
}

/** Redacts a text. Returns a promise only if something in it may be a secret, so that most texts need not wait. */
export function keepableText({ text, bytesCut }: Captured): KeepableText | Promise<KeepableText> {
  const content = Buffer.from(text, 'utf8')
  if (!hasSecretHint(text)) return asKeepable(content, bytesCut)
  return redactSaid(text).then((redacted) => asKeepable(Buffer.from(redacted, 'utf8'), bytesCut))
}

function asKeepable(content: Buffer, bytesCut: number): KeepableText {
  const ref = { sha256: hash('sha256', content), bytes: content.byteLength }
  return { content, ref: bytesCut > 0 ? { ...ref, bytesCut } : ref }
}

/**
 * The state of a snapshot as text; `undefined` if it contains a secret. A redacted state would differ from the fold of the journal,
 * while a missing snapshot changes nothing.
 */
export async function keepableState({ state }: Snapshot): Promise<string | undefined> {
  const text = JSON.stringify(state)
  return !hasSecretHint(text) || JSON.stringify(await redactJson(state)) === text ? text : undefined
}
