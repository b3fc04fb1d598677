import type { OddsKind } from './odds-data.ts'
import type { JsonObject } from '../../core/json.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { type Odds, oddsOf } from './odds.ts'

/** The guards with what one's own loops taught among the settings of `worthContinuing`, if nobody has set it. Default: as they are. */
export function withOwnOdds(guards: readonly GuardSpec[], own: OwnOdds | undefined): readonly GuardSpec[] {
  if (!own || Object.keys(own).length === 0) return guards
  return guards.map((spec) => {
    if (spec.parts) return { ...spec, parts: withOwnOdds(spec.parts, own) }
    if (spec.name !== 'worthContinuing' || spec.settings['own'] !== undefined) return spec
    return { ...spec, settings: { ...spec.settings, own: own as unknown as JsonObject } }
  })
}

/** What a run's guards learned from your own loops. */
export function ownOddsIn(guards: readonly GuardSpec[]): OwnOdds | undefined {
  for (const { name, settings, parts } of guards) {
    const own = name === 'worthContinuing' ? (settings['own'] as OwnOdds | undefined) : undefined
    const found = own ?? ownOddsIn(parts ?? [])
    if (found) return found
  }
  return undefined
}

/** By kind: how far one's own loops move the odds (a shift of the logit), and how many loops that rests on. */
export type OwnOdds = Readonly<Partial<Record<OddsKind, OwnShift>>>

export interface OwnShift {
  readonly loops: number
  readonly shift: number
}

/** The odds of a run as its own guard sees them: with what your own loops taught, if `worthContinuing` has it. */
export function runOdds(state: State): Odds | undefined {
  return oddsOf(state, ownOddsIn(state.config.guards))
}
