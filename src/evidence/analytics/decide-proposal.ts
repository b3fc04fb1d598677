import { isLimit } from '../../core/limits.ts'
import { counted, money } from '../../core/wording.ts'
import { knownCost } from './known-cost.ts'
import type { Proposal } from './proposals.ts'
import { isOver, type RunRecord } from './run-record.ts'
import { guardLines } from './yaml-lines.ts'

/**
 * A guard that only warns, and was right every time: in none of the runs it warned in did the work succeed afterwards. As a ladder it
 * would have stopped them two iterations after its warning.
 */
export function decideProposal(guard: string, records: readonly RunRecord[]): Proposal | undefined {
  if (isLimit(guard) || records.some(({ alarms }) => alarms.some((alarm) => alarm.guard === guard))) return undefined
  const warned = records.flatMap((record) => {
    const first = record.nudges.find((nudge) => nudge.guard === guard)
    return first && isOver(record.ending) ? [{ ...record, since: record.iterations - first.iteration - PATIENCE }] : []
  })
  const isAlwaysRight = warned.every(({ ending, disputed }) => ending !== 'succeeded' && !disputed.includes(guard))
  if (warned.length < WARNED_MIN || !isAlwaysRight) return undefined
  const late = warned.filter(({ since }) => since > 0)
  const iterations = late.reduce((sum, { since }) => sum + since, 0)
  const costUsd = late.reduce((sum, { since, costUsd: cost, iterations: done }) => sum + (since * cost) / Math.max(1, done), 0)
  if (iterations === 0) return undefined
  const price = costUsd > 0 ? ` and ${money(costUsd)}` : ''
  return {
    guard,
    kind: 'decide',
    message: `Let ${guard} decide after its warning: of ${counted(warned.length, 'run')} it warned in none succeeded, and it would have saved ${counted(iterations, 'iteration')}${price}.`,
    evidence: {
      known: warned.length,
      falseAlarms: 0,
      falseAvoided: 0,
      trueMissed: 0,
      iterations: -iterations,
      ...knownCost(-costUsd),
      runs: warned.map(({ run }) => run),
    },
    yaml: guardLines(guard, {}, 'ladder'),
  }
}

/** More than for a raised threshold: what decides can end a run that would have succeeded. */
const WARNED_MIN = 5

/** As the ladder has it by default. */
const PATIENCE = 2
