import { describe, expect, it } from 'vitest'
import { configOf, type IterationGiven, stateAfter } from '../testing/state-builder.ts'
import type { State } from '../core/state.ts'
import { maxIterations } from './max-iterations.ts'
import { worthContinuing } from './worth-continuing.ts'

const stuck: IterationGiven = { failures: ['a'], tests: 1, tree: 'same', files: [] }
const better = (failing: number): IterationGiven => ({
  failures: Array.from({ length: failing }, (_, test) => `t${test}`),
  tests: 10,
})

function after(iterations: readonly IterationGiven[], maximum = 10): State {
  return stateAfter(iterations, configOf([maxIterations(maximum).spec]))
}

const hopeless = after(Array.from({ length: 8 }, () => stuck))

const margin = (share: number): number => Math.log(share / (1 - share))

describe('worthContinuing', () => {
  it('WORTH-1 holds where loops like this one hardly ever succeeded, and says how many comparable recorded cases succeeded', () => {
    const [trip] = worthContinuing().inspect(hopeless)
    expect(trip?.message).toMatch(
      /^The chance to succeed in the 2 iterations left is (under 1|\d+)%: [\d,]+ of [\d,]+ comparable recorded cases succeeded\. /,
    )
    const { chance, chanceMin, given, endedWell } = (trip?.evidence.measures ?? {}) as Record<string, number>
    expect(chance).toBeLessThan(chanceMin as number)
    expect(given).toBeGreaterThanOrEqual(30)
    expect((endedWell as number) / (given as number)).toBeLessThanOrEqual(0.015)
    expect(trip?.evidence.facts).toEqual(hopeless.recent.map(({ seq }) => seq))
  })

  it('WORTH-6 says what a success must be worth for continuing to pay, in money if the cost is known', () => {
    const [trip] = worthContinuing().inspect(hopeless)
    expect(trip?.message).toMatch(/ Continuing pays only if a success is worth more than [\d,]+ iterations\.$/)
    const { chance = 0, iterationsWorthMin = 0 } = (trip?.evidence.measures ?? {}) as Record<string, number>
    // Two iterations at most, for that chance.
    expect(iterationsWorthMin * chance).toBeGreaterThan(1.8)
    expect(iterationsWorthMin * chance).toBeLessThan(2.2)
    const paid = after(Array.from({ length: 8 }, () => ({ ...stuck, costUsd: 0.08 })))
    const [dear] = worthContinuing().inspect(paid)
    expect(dear?.message).toMatch(/ worth more than [\d,]+ iterations, \$\d+\.\d\d at the \$0\.08 that one has cost so far\.$/)
    expect(dear?.evidence.measures).toMatchObject({ iterationCostUsd: 0.08 })
  })

  it.each([
    ['a loop that gets better', after([5, 4, 3, 2].map(better))],
    ['the first failure', after([stuck])],
    [
      'nothing is known of so long a loop',
      after(
        Array.from({ length: 7 }, () => stuck),
        400,
      ),
    ],
    ['no maximum', stateAfter(Array.from({ length: 7 }, () => stuck))],
    [
      'after the last iteration',
      after(
        Array.from({ length: 7 }, () => stuck),
        7,
      ),
    ],
    ['a pass', after([stuck, stuck, stuck, stuck, better(0)])],
  ])('WORTH-2 says nothing: %s', (_name, state) => {
    expect(worthContinuing().inspect(state)).toEqual([])
  })

  it('WORTH-3 a stricter promise continues runs that a laxer one gives up, and the one that the trip names does', () => {
    expect(worthContinuing({ giveUpASuccessAtMostOnceIn: 1_000_000 }).inspect(hopeless)).toEqual([])
    const [trip] = worthContinuing().inspect(hopeless)
    expect(trip?.raise).toMatchObject({ guard: 'worthContinuing', setting: 'giveUpASuccessAtMostOnceIn' })
    expect(trip?.raise?.label).toMatch(/^a stricter promise: at most one success in [\d,]+ given up$/)
    expect(worthContinuing({ giveUpASuccessAtMostOnceIn: trip?.raise?.to ?? 2 }).inspect(hopeless)).toEqual([])
  })

  it('WORTH-4 asks unless set to warn, promises one in 200 unless set otherwise, and refuses what is no promise', () => {
    expect(worthContinuing().spec).toEqual({
      name: 'worthContinuing',
      v: 1,
      severity: 'trip',
      settings: { giveUpASuccessAtMostOnceIn: 200 },
    })
    expect(worthContinuing({ severity: 'warn' }).inspect(hopeless)[0]?.severity).toBe('warn')
    expect(() => worthContinuing({ giveUpASuccessAtMostOnceIn: 1 })).toThrow('giveUpASuccessAtMostOnceIn must be a whole number')
  })

  it('WORTH-7 in its evidence the chance is below the least one, however near it is', () => {
    const [trip] = worthContinuing({ giveUpASuccessAtMostOnceIn: 100 }).inspect(hopeless)
    const { chance, chanceMin } = (trip?.evidence.measures ?? {}) as { chance: number; chanceMin: number }
    const own = { attempts: { loops: 1, shift: margin(chanceMin - 0.000004) - margin(chance) } }
    const [near] = worthContinuing({ giveUpASuccessAtMostOnceIn: 100, own }).inspect(hopeless)
    const measures = near?.evidence.measures as { chance: number; chanceMin: number }
    expect(measures.chance).toBeLessThan(measures.chanceMin)
    expect(measures.chanceMin - measures.chance).toBeLessThan(0.00001)
  })

  it("WORTH-5 one's own runs move it: if they succeed against the odds it lets runs continue, but not in circles", () => {
    const own = { attempts: { loops: 200, shift: 3 } }
    const repeating = after([stuck, stuck], 4)
    const lax = { giveUpASuccessAtMostOnceIn: 10 }
    expect(worthContinuing(lax).inspect(repeating)).toHaveLength(1)
    expect(worthContinuing({ ...lax, own }).inspect(repeating)).toEqual([])
    const [moved] = worthContinuing({ ...lax, own }).inspect(hopeless)
    expect(moved?.message).toMatch(/%: \d+ of [\d,]+ comparable recorded cases succeeded, adjusted by 200 runs of your own\. /)
    expect(worthContinuing({ own }).spec.settings).toEqual({ giveUpASuccessAtMostOnceIn: 200, own })
  })
})
