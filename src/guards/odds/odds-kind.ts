import type { RunConfig } from '../../core/run-config.ts'

/**
 * What an iteration is. `attempts`: each tries the whole task, as our own loops do. `turns`: each is one action of an agent and what came
 * back. Of other kinds too few loops were ever recorded.
 */
export type OddsKind = 'attempts' | 'turns'

/** The kinds there are odds for. */
export const ODDS_KINDS: readonly OddsKind[] = ['attempts', 'turns']

/**
 * The kind of a loop: what its settings say, or else attempts for those of our loops that try the whole task each time. Nothing for a kind
 * there are no odds for, nor for any other loop that does not say what its iterations are.
 */
export function oddsKindOf({ loop }: RunConfig): OddsKind | undefined {
  const { kind = ATTEMPTING.has(loop.name) ? 'attempts' : undefined } = loop.settings
  return ODDS_KINDS.find((each) => each === kind)
}

/** Research, which gathers findings from iteration to iteration, is none of them. */
const ATTEMPTING: ReadonlySet<string> = new Set(['task', 'ralph', 'review'])
