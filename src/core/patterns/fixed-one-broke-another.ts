import type { Pattern } from '../pattern.ts'
import type { IterationSummary, State } from '../state.ts'
import { shortened } from '../wording.ts'
import { evidenceOf } from './attempts.ts'

/** The last attempt fixed tests and broke others, without leaving fewer failures, or it was not the first to do so. */
export function fixedOneBrokeAnother({ recent }: State): Pattern | undefined {
  const last = recent.at(-1)
  const before = recent.at(-2)
  if (!last || !isTrade(last, before)) return undefined
  const trades = recent.filter((iteration, index) => isTrade(iteration, recent[index - 1]))
  const isBetter = before !== undefined && last.verdict.failing < before.verdict.failing
  if (isBetter && trades.length < 2) return undefined
  const { fixed } = last.ledger
  const broken = brokenIn(last, before)
  const message = `Fixing one thing broke another: iteration ${last.iteration} fixed "${shortened(fixed[0] ?? '', 80)}" and broke "${shortened(broken[0] ?? '', 80)}".`
  return { kind: 'fixed-one-broke-another', message, evidence: evidenceOf(trades, [...fixed, ...broken], last.files) }
}

function isTrade(iteration: IterationSummary, before: IterationSummary | undefined): boolean {
  return iteration.iteration > 1 && iteration.ledger.fixed.length > 0 && brokenIn(iteration, before).length > 0
}

/** What was fixed once and fails again was broken, too, in the attempt that broke it. */
function brokenIn({ ledger }: IterationSummary, before: IterationSummary | undefined): readonly string[] {
  const failedBefore = new Set(before?.failures.map((failure) => failure.id))
  return [...ledger.broken, ...ledger.flapping.filter((id) => !failedBefore.has(id))]
}
