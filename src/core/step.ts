import type { Effect } from './effect.ts'
import type { Fact, Instant } from './event.ts'
import type { Outcome } from './outcome.ts'

/** What comes next, as data: the runner performs it, a hook or an MCP tool hands it to the agent. */
export type Step =
  /** Things the pure side concludes: trips, decisions, iterations. */
  | { readonly kind: 'record'; readonly facts: readonly Fact[] }
  /** Everything wanted now; keys already under way are not started twice. */
  | { readonly kind: 'perform'; readonly effects: readonly Effect[] }
  /** All of the iteration is done but its end, which the caller holds back (`AdvanceOptions.hold`). */
  | { readonly kind: 'hold' }
  | { readonly kind: 'wait'; readonly for: 'person' | 'timer'; readonly until?: Instant }
  | { readonly kind: 'end'; readonly outcome: Outcome }
