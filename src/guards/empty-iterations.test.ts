import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { emptyIterations } from './empty-iterations.ts'

const idle = { failures: ['a'], files: [] }
const busy = { failures: ['a'] }

describe('emptyIterations', () => {
  it.each([
    ['nothing changed twice', [busy, idle, idle], true],
    ['nothing changed once', [busy, idle], false],
    ['something changed in between', [idle, busy, idle], false],
    ['nobody could look at the files, and the tree is another', [busy, { ...idle, tree: 'x' }, { ...idle, tree: 'y' }], false],
  ])('GUARD-43 %s', (_name, iterations, holds) => {
    expect(emptyIterations().inspect(stateAfter(iterations)).length > 0).toBe(holds)
  })

  it('GUARD-43 says when the agent itself failed, and a value that would let it continue', () => {
    const state = stateAfter([busy, idle, { ...idle, agentFailed: 'crashed' }])
    const [trip] = emptyIterations().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: 'Nothing was changed in the last 2 iterations (the agent itself failed in 1 of them).',
      evidence: {
        facts: state.recent.slice(1).map(({ seq }) => seq),
        measures: { iterations: 2, iterationsMin: 2, agentFailed: 1 },
      },
    })
    expect(emptyIterations({ iterationsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => emptyIterations({ iterationsMin: 0 })).toThrow('emptyIterations: iterationsMin must be')
  })
})
