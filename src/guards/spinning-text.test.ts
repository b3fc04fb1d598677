import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { spinningText } from './spinning-text.ts'

const spun = { failures: ['a'], spinning: { unit: 'Let me try again.', repeats: 40 } }
const plain = { failures: ['a'] }

describe('spinningText', () => {
  it.each([
    ['the last text went round', [plain, spun], 1, true],
    ['an earlier one did', [spun, plain], 1, false],
    ['twice in a row', [plain, spun, spun], 2, true],
    ['not in a row', [spun, plain, spun], 2, false],
    ['none did', [plain], 1, false],
  ])('GUARD-41 %s', (_name, iterations, iterationsMin, holds) => {
    expect(spinningText({ iterationsMin }).inspect(stateAfter(iterations)).length > 0).toBe(holds)
  })

  it('GUARD-41 quotes the words and points to a value that would let it continue', () => {
    const state = stateAfter([plain, spun])
    const [trip] = spinningText().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: 'The agent\'s words went round in circles: "Let me try again.", 40 times over.',
      evidence: { facts: [state.recent[1]?.seq], measures: { unit: 'Let me try again.', repeats: 40 } },
    })
    expect(spinningText({ iterationsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => spinningText({ iterationsMin: 0 })).toThrow('spinningText: iterationsMin must be')
  })
})
