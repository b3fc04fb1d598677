import type { Pattern } from '../pattern.ts'
import type { State } from '../state.ts'
import { counted } from '../wording.ts'
import { evidenceOf } from './attempts.ts'

/**
 * No attempt scored worse than the one before, and the last one better than the first, with fewer failures: a score also rises where
 * one failure took the place of another among more tests.
 */
export function gettingBetter({ recent }: State): Pattern | undefined {
  const [first] = recent
  const last = recent.at(-1)
  if (!first || !last || recent.length < 2) return undefined
  const isNeverWorse = recent.every(({ verdict }, index) => verdict.score >= (recent[index - 1]?.verdict.score ?? 0))
  if (!isNeverWorse || last.verdict.score <= first.verdict.score || last.verdict.failing >= first.verdict.failing)
    return undefined
  const message = `It gets better from attempt to attempt: from ${counted(first.verdict.failing, 'failure')} to ${last.verdict.failing}.`
  const fixed = recent.flatMap((iteration) => iteration.ledger.fixed)
  return { kind: 'getting-better', message, evidence: evidenceOf(recent, fixed) }
}
