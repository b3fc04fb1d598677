import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineDiff, type LineChange } from './line-diff.ts'

describe('lineDiff', () => {
  test('WORK-60 its script turns one text into the other, and is the shortest there is', () => {
    const lines = array(constantFrom('a', 'b', 'c', 'd'), { maxLength: 24 })
    assert(
      property(lines, lines, (before, after) => {
        const changes = lineDiff(before, after)
        expect(applied(before, after, changes)).toEqual(after)
        expect(size(changes)).toBe(before.length + after.length - 2 * commonLength(before, after))
      }),
      { numRuns: 500 },
    )
  })

  test('WORK-60 two long texts with everything different in between are compared in bounded time, and rightly', () => {
    let seed = 1
    const random = (limit: number) => (seed = (seed * 48_271) % 2_147_483_647) % limit
    const before = Array.from({ length: 12_000 }, () => String(random(40)))
    const after = Array.from({ length: 12_000 }, () => String(random(40)))
    expect(applied(before, after, lineDiff(before, after))).toEqual(after)
  })

  test('WORK-60 changes are listed in order and never touch one another', () => {
    expect(lineDiff(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e'])).toEqual([
      { beforeStart: 1, beforeEnd: 2, afterStart: 1, afterEnd: 2 },
      { beforeStart: 4, beforeEnd: 4, afterStart: 4, afterEnd: 5 },
    ])
    expect(lineDiff([], [])).toEqual([])
    expect(lineDiff(['a'], ['a'])).toEqual([])
  })
})

function applied(before: readonly string[], after: readonly string[], changes: readonly LineChange[]): string[] {
  const result: string[] = []
  let place = 0
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of changes) {
    result.push(...before.slice(place, beforeStart), ...after.slice(afterStart, afterEnd))
    place = beforeEnd
  }
  return [...result, ...before.slice(place)]
}

function size(changes: readonly LineChange[]): number {
  return changes.reduce((sum, change) => sum + change.beforeEnd - change.beforeStart + change.afterEnd - change.afterStart, 0)
}

function commonLength(before: readonly string[], after: readonly string[]): number {
  let row = Array.from({ length: after.length + 1 }, () => 0)
  for (const line of before) {
    const next = [0]
    for (const [index, other] of after.entries()) {
      next.push(line === other ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!))
    }
    row = next
  }
  return row.at(-1)!
}
