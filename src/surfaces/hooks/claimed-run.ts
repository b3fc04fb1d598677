import { sessionFolds } from './session-folds.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../../core/event-data.ts'
import type { State } from '../../core/state.ts'
import type { Claim, Store } from '../../stores/store.ts'
import { machineProcesses } from '../../process/processes.ts'
import { isBoundTo } from '../../engine/bind-session.ts'
import { loadState } from '../../engine/load-state.ts'
import type { Session } from '../../engine/session-list.ts'

export interface ClaimedRun {
  readonly claim: Claim
  readonly state: State
}

/** Why a run is not this session's to go on with; `undefined` in `reason` where there is nothing to say. */
export interface NotOurs {
  readonly reason?: string
}

export interface ClaimOptions {
  readonly session: Session
  readonly waitMsMax: number
  /** Told, while nobody can bind it, that the run does not belong to the session. */
  readonly onUnbound: () => void
}

/**
 * Claims the run for as long as `use` takes, where it really belongs to the session. Others hold a run for moments (a hook of a tool
 * that ran beside this one, an MCP call), so a held one is asked for again until `waitMsMax` is over.
 */
export async function withClaimedRun<Result>(
  store: Store,
  run: string,
  { session, waitMsMax, onUnbound }: ClaimOptions,
  use: (claimed: ClaimedRun) => Promise<Result>,
): Promise<Result | NotOurs> {
  const claim = await claimWithin(store, run, waitMsMax)
  if ('pid' in claim) return { reason: `run ${run} is driven by process ${claim.pid}` }
  try {
    const state = await loadState(store, run, sessionFolds)
    if (!state || !isBoundTo(state, session)) {
      onUnbound()
      return {}
    }
    return await use({ claim, state })
  } finally {
    await store.release(claim)
  }
}

async function claimWithin(store: Store, run: string, waitMsMax: number): Promise<Claim | ProcessIdentity> {
  const self = machineProcesses.self()
  const giveUpAt = Date.now() + waitMsMax
  for (;;) {
    const result = await store.claim(run, self)
    if (result.status === 'claimed') return result.claim
    if (Date.now() >= giveUpAt) return result.holder
    await sleep(PAUSE_MS)
  }
}

const PAUSE_MS = 20
