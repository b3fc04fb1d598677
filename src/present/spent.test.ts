import { expect, test } from 'vitest'
import { initialState } from '../core/state.ts'
import { configOf } from '../testing/state-builder.ts'
import { iterationSpent } from './spent.ts'

const unknown = (count: number | undefined) => (count === undefined ? {} : { unpriced: count, uncounted: count })
const TOTALS = { costUsd: 2, tokens: 20, activeMs: 0 }

test.each([
  ['what was cut off in it', undefined, 1, undefined, true],
  ['nothing, where only earlier work is unknown', 1, 1, undefined, undefined],
  ['what is new, where earlier work became known', 1, 1, 1, true],
  ['nothing, where what was cut off in it became known in it', undefined, undefined, 1, undefined],
])('CLI-412 a row of an iteration says "at least" for %s', (_what, before, now, settled, isPartial) => {
  const { current, ...rest } = initialState('r', 1, 0, configOf([]))
  const state = {
    ...rest,
    totals: { ...TOTALS, ...unknown(now) },
    current: {
      ...current,
      totalsAtStart: { ...TOTALS, ...unknown(before) },
      ...(settled === undefined ? {} : { settled: { unpriced: settled, uncounted: settled } }),
    },
  }
  const { isCostPartial, areTokensPartial } = iterationSpent({ costUsd: 1, tokens: 10 }, state)
  expect([isCostPartial, areTokensPartial]).toEqual([isPartial, isPartial])
})
