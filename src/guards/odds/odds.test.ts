import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configOf, type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { maxIterations } from '../max-iterations.ts'
import type { State } from '../../core/state.ts'
import { boostedMargin, forestOf, type KnownOdds, oddsOf, SIMILAR_MIN } from './odds.ts'
import { chanceLimit, limitAt, onceInAllowing } from '../worth-continuing.ts'
import { ODDS_KINDS } from './odds-data.ts'
import { oddsWords, percentWords } from './odds-words.ts'
import { SHIPPED_ODDS } from './shipped-odds.ts'
import { placeOf, type Trait, TRAITS } from './moment.ts'

const stuck: IterationGiven = { failures: ['a', 'b'], tests: 10, tree: 'same', files: [] }
const moving = (index: number): IterationGiven => ({
  failures: Array.from({ length: 5 - index }, (_, test) => `t${test}`),
  tests: 10,
})

function after(iterations: readonly IterationGiven[], maximum = 10, kind: string = 'attempts'): State {
  const config = configOf([maxIterations(maximum).spec])
  return stateAfter(iterations, { ...config, loop: { ...config.loop, settings: { ...config.loop.settings, kind } } })
}

function knownOf(state: State): KnownOdds {
  const odds = oddsOf(state)
  if (odds?.status !== 'known') throw new Error(`The odds are not known: ${JSON.stringify(odds)}`)
  return odds
}

describe('oddsOf', () => {
  it('ODDS-2 says what the chance is, of which kind, and how many recorded moments were given such a chance', () => {
    const odds = knownOf(after([stuck, stuck, stuck, stuck, stuck]))
    expect(odds.kind).toBe('attempts')
    expect(odds.chance).toBeGreaterThan(0)
    expect(odds.chance).toBeLessThan(knownOf(after([stuck, stuck])).chance)
    expect(odds.given).toBeGreaterThanOrEqual(SIMILAR_MIN)
    expect(oddsWords(odds)).toMatch(/^(?:under 1|~\d+)%: \d+ of \d+ comparable recorded cases succeeded$/)
  })

  it('ODDS-2 is a pure function of the state, also of one that was stored', () => {
    const state = after([stuck, moving(1), stuck])
    expect(oddsOf(JSON.parse(JSON.stringify(state)) as State)).toEqual(oddsOf(state))
  })

  it('ODDS-3 nothing is said before the first iteration has ended, after a pass, after the last iteration or without a maximum', () => {
    expect(oddsOf(after([]))).toBeUndefined()
    expect(oddsOf(after([stuck, { failures: [], tests: 10 }]))).toBeUndefined()
    expect(oddsOf(after([stuck, stuck], 2))).toBeUndefined()
    expect(oddsOf(stateAfter([stuck]))).toBeUndefined()
    expect(oddsOf(after([stuck], 10, 'steps'))).toBeUndefined()
  })

  it('ODDS-30 a loop that neither is one of those that try the whole task nor says what its iterations are has no odds', () => {
    const config = configOf([maxIterations(10).spec])
    const ofLoop = (name: string, settings = {}) => oddsOf(stateAfter([stuck], { ...config, loop: { name, v: 1, settings } }))
    for (const name of ['task', 'ralph', 'review']) expect(ofLoop(name)).toMatchObject({ kind: 'attempts' })
    for (const name of ['research', 'custom']) expect(ofLoop(name)).toBeUndefined()
    expect(ofLoop('custom', { kind: 'turns' })).toMatchObject({ kind: 'turns' })
  })

  it('ODDS-53 too few comparable cases, or a first failure, are not put into words', () => {
    expect(oddsWords({ status: 'unknown', tooFew: 'loops', recorded: 42 })).toBeUndefined()
    expect(oddsWords({ status: 'unknown', tooFew: 'moments', recorded: 12 })).toBeUndefined()
    expect(oddsWords(knownOf(after([stuck])))).toBeUndefined()
    expect(oddsWords(knownOf(after([stuck, stuck])))).toMatch(/^~/)
  })

  it('ODDS-54 the odds say how many runs of your own adjusted them', () => {
    const state = after([stuck, stuck])
    const plain = knownOf(state)
    const moved = oddsOf(state, { attempts: { loops: 9, shift: 1 } })
    if (moved?.status !== 'known') throw new Error('The odds are not known.')
    expect(moved.chance).toBeGreaterThan(plain.chance)
    expect(moved.given).toBe(plain.given)
    const cases = `${plain.endedWell} of ${plain.given} comparable recorded cases succeeded`
    expect(oddsWords(moved)).toBe(`~${percentWords(moved.chance)}: ${cases}, adjusted by 9 runs of your own`)
  })

  it('ODDS-4 abstains where too few loops are recorded: far beyond what was ever recorded', () => {
    const odds = oddsOf(after([stuck], 500))
    expect(odds).toEqual({ status: 'unknown', tooFew: 'loops', recorded: 0 })
    expect(
      oddsOf(
        after(
          Array.from({ length: 40 }, () => stuck),
          45,
        ),
      ),
    ).toMatchObject({ status: 'unknown' })
  })

  it('ODDS-4 abstains if hardly a recorded loop got to that iteration with so many left, however common its traits are', () => {
    for (const count of [1, 4, 8, 9, 12])
      expect(
        oddsOf(
          after(
            Array.from({ length: count }, () => stuck),
            18,
          ),
        ),
      ).toMatchObject({ status: 'unknown' })
    expect(oddsOf(after([stuck], 12))).toMatchObject({
      status: 'unknown',
      tooFew: 'loops',
      recorded: SHIPPED_ODDS.attempts.stood[0]?.[10],
    })
    expect(oddsOf(after([stuck], 11))).toMatchObject({ status: 'known' })
    for (const { stood, loops } of Object.values(SHIPPED_ODDS))
      for (const counts of stood)
        for (const count of counts) {
          expect(count).toBeGreaterThanOrEqual(SIMILAR_MIN)
          expect(count).toBeLessThanOrEqual(loops)
        }
  })

  it('ODDS-32 says from how many of the moments given about this chance the loop still ended well', () => {
    const [early, late] = [knownOf(after([stuck, stuck])), knownOf(after([stuck, stuck, stuck, stuck, stuck, stuck]))]
    for (const { chance, givenChances } of [early, late]) {
      expect(chance).toBeGreaterThan(givenChances[0])
      expect(chance).toBeLessThanOrEqual(givenChances[1])
    }
    expect(early.endedWell).toBeGreaterThan(0)
    expect(early.endedWell).toBeLessThan(early.given)
    expect(late.endedWell / late.given).toBeLessThan(early.endedWell / early.given)
  })

  it.each(ODDS_KINDS)(
    'ODDS-37 of the moments given a higher chance a greater share ended well, and no share is far off: %s',
    (kind) => {
      const { given } = SHIPPED_ODDS[kind]
      const shares = given.map(([, moments, endedWell]) => endedWell / moments)
      expect(shares.toSorted((one, other) => one - other)).toEqual(shares)
      expect(given.at(-1)?.[0]).toBe(1)
      for (const [index, [most, moments]] of given.entries()) {
        expect(moments).toBeGreaterThanOrEqual(250)
        const least = given[index - 1]?.[0] ?? 0
        const share = shares[index] as number
        // Within what a share of so many moments may err.
        const error = 4 * Math.sqrt((Math.max(share, least) * (1 - share)) / moments)
        expect(share).toBeGreaterThanOrEqual(least - error)
        expect(share).toBeLessThanOrEqual(most + error)
      }
    },
  )

  it('ODDS-40 no run gets odds, then none, then odds again as its agent repeats itself', () => {
    for (const kind of ODDS_KINDS)
      for (let maximum = 2; maximum <= 13; maximum++)
        for (const score of [
          [0, 1],
          [3, 10],
        ] as const) {
          const same: IterationGiven = {
            failures: Array.from({ length: score[1] - score[0] }, (_, test) => `t${test}`),
            tests: score[1],
            tree: 'same',
            files: [],
          }
          const told = Array.from({ length: maximum - 1 }, (_, index) => {
            const odds = oddsOf(
              after(
                Array.from({ length: index + 1 }, () => same),
                maximum,
                kind,
              ),
            )
            return odds?.status === 'known'
          })
          expect([kind, maximum, told.lastIndexOf(true)]).toEqual([kind, maximum, told.filter(Boolean).length - 1])
        }
  })

  it('ODDS-5 the chance within more iterations is never lower, and within all that are left it is the chance', () => {
    for (const maximum of [6, 8, 10]) {
      const { chance, chanceWithin } = knownOf(after([stuck], maximum))
      expect(chanceWithin).toHaveLength(maximum - 1)
      expect(chanceWithin.at(-1)).toBe(chance)
      expect([...chanceWithin].toSorted((one, other) => one - other)).toEqual(chanceWithin)
    }
  })
})

/** A history: at each iteration how many of ten tests fail, and whether anything was changed. */
const history = array(record({ failing: integer({ min: 1, max: 9 }), isIdle: constantFrom(true, false) }), {
  minLength: 1,
  maxLength: 8,
})

type Told = { readonly failing: number; readonly isIdle: boolean }

const given = ({ failing, isIdle }: Told): IterationGiven => ({
  failures: Array.from({ length: failing }, (_, test) => `t${test}`),
  tests: 10,
  ...(isIdle ? { files: [] } : {}),
})

function chanceAfter(told: readonly Told[], maximum: number, kind: string): number | undefined {
  const odds = oddsOf(after(told.map(given), maximum, kind))
  return odds?.status === 'known' ? odds.chance : undefined
}

/** Whether one chance is not above the other; if one of them is unknown there is nothing to compare. */
function isNotAbove(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one <= other + 1e-12
}

describe('the shipped odds', () => {
  it.each(ODDS_KINDS)('ODDS-6 keep to the direction of every trait, whatever the others are: %s', (kind) => {
    const forest = forestOf(SHIPPED_ODDS[kind])
    const names = Object.keys(TRAITS) as Trait[]
    const values = array(integer({ min: 0, max: 48 }), { minLength: names.length, maxLength: names.length })
    const isSound = (quarters: readonly number[], name: Trait, more: number): boolean => {
      const less = quarters.map((quarter) => quarter / 4)
      const place = placeOf(name)
      const gain = boostedMargin(forest, less.with(place, (less[place] as number) + more / 4)) - boostedMargin(forest, less)
      return TRAITS[name] * gain >= -1e-9
    }
    const directed = constantFrom(...names.filter((name) => TRAITS[name] !== 0))
    expect(() => assert(property(values, directed, integer({ min: 1, max: 24 }), isSound), { numRuns: 2000 })).not.toThrow()
    for (const name of names.filter((each) => /Streak|Count|Repeats|^sinceN|^sinceB|likeness/.test(each)))
      expect(TRAITS[name]).toBe(-1)
    for (const name of names.filter((each) => each.startsWith('score'))) expect(TRAITS[name]).toBe(1)
  })

  it.each(ODDS_KINDS)('ODDS-33 the same iteration once more never raises the chance: %s', (kind) => {
    const isSound = (told: readonly Told[], maximum: number, times: number): boolean => {
      const same = { ...(told.at(-1) as Told), isIdle: true }
      const before = [...told, ...Array.from({ length: times }, () => same)]
      return isNotAbove(chanceAfter([...before, same], maximum, kind), chanceAfter(before, maximum, kind))
    }
    expect(() => assert(property(history, integer({ min: 3, max: 11 }), integer({ min: 0, max: 3 }), isSound))).not.toThrow()
  })

  it.each(ODDS_KINDS)('ODDS-33 as the same failure comes again and again the chance never rises, idle or not: %s', (kind) => {
    for (const isIdle of [true, false])
      for (const failing of [1, 5, 9])
        for (const maximum of [5, 8, 10]) {
          const chances = Array.from({ length: maximum - 1 }, (_, index) =>
            chanceAfter(
              Array.from({ length: index + 1 }, () => ({ failing, isIdle })),
              maximum,
              kind,
            ),
          ).filter((chance) => chance !== undefined)
          expect(chances.length).toBeGreaterThan(1)
          expect(chances.toSorted((one, other) => other - one)).toEqual(chances)
        }
  })

  it.each(ODDS_KINDS)('ODDS-33 nothing changed is never better than something changed, all else equal: %s', (kind) => {
    const isSound = (told: readonly Told[], maximum: number): boolean => {
      const [before, last] = [told.slice(0, -1), told.at(-1) as Told]
      const [idle, edited] = [true, false].map((isIdle) => chanceAfter([...before, { ...last, isIdle }], maximum, kind))
      return isNotAbove(idle, edited)
    }
    expect(() => assert(property(history, integer({ min: 3, max: 11 }), isSound))).not.toThrow()
  })

  it.each(ODDS_KINDS)('ODDS-33 fewer iterations left never raise the chance, and a better score never lowers it: %s', (kind) => {
    const isSound = (told: readonly Told[], maximum: number): boolean => {
      const best = [...told, { failing: 10, isIdle: false }]
      const [worse, better] = [best, told.concat({ failing: Math.min(...told.map(({ failing }) => failing)) - 1, isIdle: false })]
      const isFewer = isNotAbove(chanceAfter(told, maximum, kind), chanceAfter(told, maximum + 1, kind))
      return isFewer && isNotAbove(chanceAfter(worse, maximum, kind), chanceAfter(better, maximum, kind))
    }
    expect(() => assert(property(history, integer({ min: 3, max: 11 }), isSound))).not.toThrow()
  })

  it.each(ODDS_KINDS)(
    "ODDS-38 in a circle no chance above what a circle may have is believed, nor elsewhere one below, with one's own loops too: %s",
    (kind) => {
      const { circleChance } = SHIPPED_ODDS[kind]
      const others = Array.from({ length: 4 }, (_, index) => ({ failures: [`t${index}`], tests: 40, tree: `tree-${index}` }))
      for (const shift of [-3, -0.5, 0, 0.5, 3]) {
        const own = { [kind]: { loops: 100, shift } }
        const chanceOf = (state: State): number => (oddsOf(state, own) as KnownOdds).chance
        for (const count of [3, 4, 6])
          expect(
            chanceOf(
              after(
                Array.from({ length: count }, () => stuck),
                10,
                kind,
              ),
            ),
          ).toBeLessThanOrEqual(circleChance)
        for (const count of [1, 2, 3, 4]) expect(chanceOf(after(others.slice(0, count), 10, kind))).toBeGreaterThan(circleChance)
      }
      const unmoved = oddsOf(after(others, 10, kind), { [kind]: { loops: 100, shift: 0 } }) as KnownOdds
      expect(unmoved.chance).toBeCloseTo(knownOf(after(others, 10, kind)).chance, 12)
    },
  )

  it.each(ODDS_KINDS)("ODDS-33 the same iteration once more never raises the chance, with one's own loops too: %s", (kind) => {
    for (const shift of [-3, 1, 3]) {
      const chances = Array.from({ length: 8 }, (_, index) => {
        const odds = oddsOf(
          after(
            Array.from({ length: index + 1 }, () => stuck),
            9,
            kind,
          ),
          { [kind]: { loops: 100, shift } },
        )
        return (odds as KnownOdds).chance
      })
      expect(chances.toSorted((one, other) => other - one)).toEqual(chances)
    }
  })

  it('ODDS-7 only in a circle is the chance taken to be next to nothing, and there it always is', () => {
    const { circleChance } = SHIPPED_ODDS.attempts
    const others = Array.from({ length: 4 }, (_, index) => ({ failures: [`t${index}`], tests: 40, tree: `tree-${index}` }))
    const chances = others.map((_, index) => knownOf(after(others.slice(0, index + 1))).chance)
    expect(Math.min(...chances)).toBeGreaterThan(circleChance)
    for (const count of [3, 4, 6]) {
      const same = Array.from({ length: count }, () => ({ ...moving(4), tree: 'same' }))
      expect(knownOf(after(same)).chance).toBeLessThanOrEqual(circleChance)
    }
  })

  it('ODDS-8 trees are walked as they are written, the left side first and for what is not above the threshold', () => {
    const forest = forestOf({ base: 1, trees: ['0 2.5 1 0.5 -1 10 -1 20 -1 30', '-1 100'] })
    expect(
      [
        [2.5, 0.5],
        [2, 1],
        [3, 0],
      ].map((moment) => boostedMargin(forest, moment)),
    ).toEqual([111, 121, 131])
  })

  it.each(ODDS_KINDS)('ODDS-9 a stricter promise never gives up more, and what is too strict gives up nothing: %s', (kind) => {
    const promises = Array.from({ length: 1999 }, (_, index) => index + 2)
    const limits = promises.map((onceIn) => chanceLimit(kind, onceIn))
    expect(limits.toSorted((one, other) => other - one)).toEqual(limits)
    expect(chanceLimit(kind, 1_000_000)).toBe(0)
    for (const chance of [0.0001, 0.002, 0.01, 0.03, 0.1, 0.9])
      expect(chanceLimit(kind, onceInAllowing(kind, chance, 2))).toBeLessThanOrEqual(chance)
  })

  it.each(ODDS_KINDS)('ODDS-34 a promise of one in so many never gives up what is likelier to succeed than that: %s', (kind) => {
    const promises = [5, 10, 20, 33, 50, 100, 200]
    const limits = promises.map((onceIn) => chanceLimit(kind, onceIn))
    for (const [index, onceIn] of promises.entries()) expect(limits[index]).toBeLessThanOrEqual(1 / onceIn)
    // Of turns, lenient promises are kept by the limit of stricter ones.
    expect(new Set(limits).size).toBe(promises.length - (kind === 'turns' ? 1 : 0))
  })

  it('ODDS-61 a lenient promise about turns is kept by the limit of one twice as strict, up to one in 100', () => {
    const { limits } = SHIPPED_ODDS.turns
    expect([10, 20, 50, 99, 100, 200].map((onceIn) => chanceLimit('turns', onceIn))).toEqual(
      [20, 40, 100, 100, 100, 200].map((onceIn) => limitAt(limits, onceIn)),
    )
    expect(chanceLimit('attempts', 20)).toBe(limitAt(SHIPPED_ODDS.attempts.limits, 20))
  })
})
