import { isLimit } from '../../core/limits.ts'
import { counted } from '../../core/wording.ts'
import type { Alarm } from './alarm.ts'
import { knownAlarms } from './known-alarms.ts'
import type { Proposal } from './proposals.ts'
import { guardLines } from './yaml-lines.ts'

/** A guard that was mostly wrong, and that no higher threshold mends, had better only warn. A limit is meant to decide. */
export function warnProposal(guard: string, alarms: readonly Alarm[]): Proposal | undefined {
  const judged = isLimit(guard) ? undefined : knownAlarms(alarms)
  if (!judged || judged.wrong.length <= judged.right.length) return undefined
  const { known, wrong, right } = judged
  return {
    guard,
    kind: 'warn',
    message: `Let ${guard} only warn: would have avoided ${counted(wrong.length, 'false alarm')} of ${wrong.length} and missed ${right.length} of ${counted(right.length, 'true one')}.`,
    evidence: {
      known: known.length,
      falseAlarms: wrong.length,
      falseAvoided: wrong.length,
      trueMissed: right.length,
      iterations: 0,
      runs: [...new Set(known.map(({ run }) => run))],
    },
    yaml: guardLines(guard, {}, 'warn'),
  }
}
