import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { qualityRegression } from './quality-regression.ts'

const failing = (count: number) => ({ failures: Array.from({ length: count }, (_, index) => `t${index}`), tests: 10 })
const after = (...counts: readonly number[]) => stateAfter(counts.map(failing))

describe('qualityRegression', () => {
  it.each([
    ['worse, and it stays so', [1, 5, 5, 5], true],
    ['worse and worse', [1, 5, 6, 7], true],
    ['too little to go by', [1, 5, 5], false],
    ['it was never better', [5, 5, 5, 5], false],
    ['it recovers', [1, 7, 6, 5], false],
    ['better than the one before the window', [1, 9, 5, 5, 5], false],
    ['it gets better all the time', [5, 4, 3, 2], false],
    ['the best was long ago', [1, 5, 5, 5, 5, 5], true],
  ])('GUARD-35 %s', (_name, counts, holds) => {
    expect(qualityRegression().inspect(after(...counts)).length > 0).toBe(holds)
  })

  it('GUARD-35 shows the scores, the iterations and the one to compare with', () => {
    const state = after(1, 5, 6, 7)
    const [trip] = qualityRegression().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: 'The score was 0.9 and has only been lower since: 0.5, 0.4, 0.3.',
      evidence: { facts: state.recent.slice(1).map(({ seq }) => seq), measures: { scores: [0.5, 0.4, 0.3], bestBefore: 0.9 } },
    })
    expect(trip?.hint).toContain('compare with iteration 1, the best so far')
  })
})
