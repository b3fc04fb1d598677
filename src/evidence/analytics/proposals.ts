import { decideProposal } from './decide-proposal.ts'
import type { PolicyChange } from '../backtest/policy-change.ts'
import { raiseProposal } from './raise-proposal.ts'
import type { RunRecord } from './run-record.ts'
import { warnProposal } from './warn-proposal.ts'

/** A change of settings that recorded runs speak for. Proposed, never made: a person writes the line into the file, or does not. */
export interface Proposal {
  readonly guard: string
  readonly kind: 'raise' | 'warn' | 'decide'
  /** What to change, and what that would have done to the recorded runs. */
  readonly message: string
  /** What it rests on. */
  readonly evidence: {
    /** Stops, or runs for `decide`, whose outcome is known. */
    readonly known: number
    readonly falseAlarms: number
    readonly falseAvoided: number
    /** True alarms that would not have come before the run's maximum. */
    readonly trueMissed: number
    /** Iterations and money that it would have cost (above 0) or saved (below 0) in these runs. */
    readonly iterations: number
    /** Absent where no cost is known. */
    readonly costUsd?: number
    readonly runs: readonly string[]
  }
  /** The lines for `pawl.yaml`; absent for a guard that is part of a program or of a combination. */
  readonly yaml?: string
}

/** A proposal, and whether `pawl.yaml` says so already. */
export type Compared<Proposed extends Proposal> = Proposed & { readonly inPlace: boolean }

/** A proposal with what to expect of it. */
export interface TunedProposal extends Proposal {
  /** Stops of this guard that were false, of those known; 95 of 100 times the share lies between the bounds. */
  readonly falseAlarms?: { readonly of: number; readonly times: number; readonly interval: readonly [number, number] }
  /** What the same runs would have come to; absent if the guard cannot be built from data. */
  readonly effect?: Pick<PolicyChange, 'lost' | 'avoided'>
}

/** Runs that count as a success or as a failure, and those that are not over. */
export interface TuningCounts {
  readonly solved: number
  readonly failed: number
  readonly open: number
}

/** At most one proposal a guard. */
export function proposals(records: readonly RunRecord[]): readonly Proposal[] {
  const names = new Set(records.flatMap(({ guards }) => guards.map(({ guard }) => guard)))
  return [...names].toSorted().flatMap((guard) => {
    const alarms = records.flatMap((record) => record.alarms.filter((alarm) => alarm.guard === guard))
    const found = raiseProposal(guard, alarms) ?? warnProposal(guard, alarms) ?? decideProposal(guard, records)
    if (!found) return []
    const isBuiltIn = records.some(({ guards }) => guards.some((each) => each.guard === guard && each.isBuiltIn))
    const { yaml: _lines, ...rest } = found
    return [isBuiltIn ? found : rest]
  })
}
