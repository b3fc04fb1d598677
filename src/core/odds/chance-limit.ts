import type { KindData } from './odds-data.ts'
import type { OddsKind } from './odds-kind.ts'
import { SHIPPED_ODDS } from './shipped-odds.ts'

/** One failure is no pattern: before this iteration nothing is given up. */
export const GIVEN_UP_FROM_ITERATION = 2

/**
 * Below which chance a loop may be given up so that of `onceIn` successes at most one is lost, and of `onceIn` loops given up at most one
 * would have succeeded. 0 where the recorded loops are too few for so strict a promise: then nothing is given up.
 */
export function chanceLimit(kind: OddsKind, onceIn: number): number {
  return limitAt(SHIPPED_ODDS[kind].limits, onceIn)
}

/** The limit among measured ones; between two promises that were measured, as far between as the share that may be lost. */
export function limitAt(limits: KindData['limits'], onceIn: number): number {
  const next = limits.findIndex((limit) => limit.onceIn >= onceIn)
  const [laxer, stricter] = [limits[next - 1], limits[next]]
  if (!stricter) return 0
  if (!laxer || stricter.onceIn === onceIn) return stricter.chance
  const part = (1 / onceIn - 1 / stricter.onceIn) / (1 / laxer.onceIn - 1 / stricter.onceIn)
  return stricter.chance + part * (laxer.chance - stricter.chance)
}

/** The least `onceIn` from this one on at which this chance is no reason to give up. */
export function onceInAllowing(kind: OddsKind, chance: number, from: number): number {
  const tooStrict = (SHIPPED_ODDS[kind].limits.at(-1)?.onceIn ?? 1) + 1
  let [low, high] = [from, Math.max(from, tooStrict)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (chanceLimit(kind, middle) <= chance) high = middle
    else low = middle + 1
  }
  return low
}
