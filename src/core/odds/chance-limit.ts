import type { OddsKind } from './odds-kind.ts'
import { SHIPPED_ODDS } from './shipped-odds.ts'

/** One failure is no pattern: before this iteration nothing is given up. */
export const GIVEN_UP_FROM_ITERATION = 2

/**
 * Below which chance a loop may be given up so that at most one success in `onceIn` is lost. It was chosen on recorded loops that the
 * estimate had not seen: there, one loss more than there were would still have kept the promise. 0 where the recorded loops are too few
 * for so strict a promise: then nothing is given up.
 */
export function chanceLimit(kind: OddsKind, onceIn: number): number {
  // The next stricter promise that was measured.
  return SHIPPED_ODDS[kind].limits.find((limit) => limit.onceIn >= onceIn)?.chance ?? 0
}

/** The least `onceIn` at which this chance is no reason to give up. */
export function onceInAllowing(kind: OddsKind, chance: number): number {
  const { limits } = SHIPPED_ODDS[kind]
  const strictest = limits.at(-1)?.onceIn ?? 1
  const before = limits.findLastIndex((limit) => limit.chance > chance)
  return before === -1 ? 1 : (limits[before]?.onceIn ?? strictest) + 1
}
