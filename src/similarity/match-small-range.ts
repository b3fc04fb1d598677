import type { Matching } from './matching.ts'
import { endSplit, startSplit, takeMatch } from './range-split.ts'
import type { Range } from './range.ts'

/** Up to so many pairs of elements it is quicker to look at all of them than to build an index. */
export const SMALL_AREA_MAX = 1024

/** Matches all there is in a small range, by looking at every pair of elements. */
export function matchSmallRange(matching: Matching, range: Range): void {
  const todo = [range]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { aLow, aHigh, bLow, bHigh } = next
    matching.work += (aHigh - aLow) * (bHigh - bLow)
    const { aStart, bStart, length } = longestMatch(matching, next)
    const split = startSplit(matching, next, length)
    if (length > 0) takeMatch(matching, split, aStart, bStart, length)
    todo.push(...endSplit(matching, split))
  }
}

/** The lengths of the matches that end at the element of `a` before this one, by place in `b`. Only small ranges write here. */
const lengths = new Int32Array(SMALL_AREA_MAX + 1)

function longestMatch(
  { a, b }: Matching,
  { aLow, aHigh, bLow, bHigh }: Range,
): { aStart: number; bStart: number; length: number } {
  let best = 0
  let aEnd = aLow
  let bEnd = bLow
  lengths.fill(0, 0, bHigh - bLow)
  for (let aIndex = aLow; aIndex < aHigh; aIndex++) {
    const element = a[aIndex]
    let before = 0
    for (let bIndex = bLow; bIndex < bHigh; bIndex++) {
      const length = b[bIndex] === element ? before + 1 : 0
      before = lengths[bIndex - bLow] as number
      lengths[bIndex - bLow] = length
      if (length > best) {
        best = length
        aEnd = aIndex + 1
        bEnd = bIndex + 1
      }
    }
  }
  return { aStart: aEnd - best, bStart: bEnd - best, length: best }
}
