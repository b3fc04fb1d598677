import type { KindData, OddsKind } from './odds-data.ts'
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

/** The limit of a promise among measured ones: never above one in so many. */
export function limitAt(limits: KindData['limits'], onceIn: number): number {
  const place = limits.findIndex((onceInMax, index) => index % 2 === 0 && onceInMax >= onceIn)
  return place < 0 ? 0 : Math.min(limits[place + 1] as number, 1 / onceIn)
}

/** The least `onceIn` from this one on at which this chance is no reason to give up. */
export function onceInAllowing(kind: OddsKind, chance: number, from: number): number {
  const tooStrict = (SHIPPED_ODDS[kind].limits.at(-2) ?? 1) + 1
  let [low, high] = [from, Math.max(from, tooStrict)]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (chanceLimit(kind, middle) <= chance) high = middle
    else low = middle + 1
  }
  return low
}
