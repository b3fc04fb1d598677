import type { GuardSpec } from '../../core/run-config.ts'
import type { BacktestRow } from './backtest.ts'
import type { Policy } from './policy.ts'

/** Policies with a guard that learned from loops of these datasets: what they reach on the very loops they learned from flatters them. */
export interface InSample {
  readonly policies: readonly string[]
  readonly datasets: readonly string[]
}

/** The public datasets that the shipped odds were learned from. */
const LEARNED_FROM: ReadonlySet<string> = new Set(['aider-swe-bench', 'intercode', 'ldb', 'mint', 'reflexion'])

/** Which figures may rest on loops that a guard learned from; nothing where none can. */
export function inSampleOf(policies: readonly Policy[], rows: readonly BacktestRow[]): InSample | undefined {
  const learned = policies.filter(({ guards }) => guards.some(({ spec }) => isLearned(spec))).map(({ name }) => name)
  const datasets = [...new Set(rows.flatMap(({ dataset }) => dataset ?? []))].filter((dataset) => LEARNED_FROM.has(dataset))
  return learned.length === 0 || datasets.length === 0 ? undefined : { policies: learned, datasets }
}

/** What only warns ends nothing, so it moves no figure. */
function isLearned({ name, severity, parts = [] }: GuardSpec): boolean {
  return (name === 'worthContinuing' && severity === 'trip') || parts.some((part) => holdsLearned(part))
}

function holdsLearned({ name, parts = [] }: GuardSpec): boolean {
  return name === 'worthContinuing' || parts.some(holdsLearned)
}
