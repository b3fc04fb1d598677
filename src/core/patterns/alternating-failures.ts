import type { Pattern } from '../pattern.ts'
import type { IterationSummary, State } from '../state.ts'
import { shortened } from '../wording.ts'
import { evidenceOf, failingIds, hasSameTests } from './attempts.ts'

/** What fails goes back and forth: the tests of the attempt before last fail again, those of the last one do not all. */
export function alternatingFailures({ recent }: State): Pattern | undefined {
  const [first, second, third] = recent.slice(-3)
  if (!first || !second || !third || third.fingerprint === second.fingerprint) return undefined
  if (!hasSameTests(third, first)) return undefined
  const others = onlyIn(second, third)
  // One set that holds the other is work that got better or worse, not two demands against each other.
  if (others.length === 0 || onlyIn(third, second).length === 0) return undefined
  const [one, other] = [onlyIn(third, second)[0] ?? '', others[0] ?? '']
  const message = `The failures go back and forth: "${shortened(one, 80)}", then "${shortened(other, 80)}", then the first again.`
  const evidence = evidenceOf([first, second, third], [...onlyIn(third, second), ...others], [...third.files, ...second.files])
  return { kind: 'alternating-failures', message, evidence }
}

function onlyIn(iteration: IterationSummary, other: IterationSummary): readonly string[] {
  const ids = new Set(failingIds(other))
  return failingIds(iteration).filter((id) => !ids.has(id))
}
