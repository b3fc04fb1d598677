import { array, assert, constantFrom, integer, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { configOf, type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { maxIterations } from '../guards/max-iterations.ts'
import type { State } from '../state.ts'
import { boostedMargin, forestOf } from './boosted-margin.ts'
import { chanceLimit, onceInAllowing } from './chance-limit.ts'
import { type Trait, TRAITS } from './moment.ts'
import { type KnownOdds, oddsOf, SIMILAR_MIN } from './odds.ts'
import { ODDS_KINDS } from './odds-kind.ts'
import { oddsWords } from './odds-words.ts'
import { SHIPPED_ODDS } from './shipped-odds.ts'

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
  it('ODDS-2 says what the chance is, of which kind, and on how many similar moments it rests', () => {
    const odds = knownOf(after([stuck, stuck, stuck, stuck, stuck]))
    expect(odds.kind).toBe('attempts')
    expect(odds.chance).toBeGreaterThan(0)
    expect(odds.chance).toBeLessThan(knownOf(after([stuck, stuck])).chance)
    expect(odds.similar).toBeGreaterThanOrEqual(SIMILAR_MIN)
    expect(oddsWords(odds)).toMatch(/^chance to succeed from here (under 1|\d+)% \(\d[\d,]* similar moments\)$/)
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

  it('ODDS-4 abstains where too few recorded moments are similar: far beyond what was ever recorded', () => {
    const odds = oddsOf(after([stuck], 500))
    expect(odds).toEqual({ status: 'unknown', similar: 0 })
    expect(odds && oddsWords(odds)).toBe('chance to succeed from here unknown: not enough evidence (0 similar moments)')
    expect(
      oddsOf(
        after(
          Array.from({ length: 40 }, () => stuck),
          45,
        ),
      ),
    ).toMatchObject({ status: 'unknown' })
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

const WORSE: readonly Trait[] = ['errorStreak', 'errorCount', 'workStreak', 'workCount', 'sinceBest', 'likenessStreak']

describe('the shipped odds', () => {
  it.each(ODDS_KINDS)('ODDS-6 more repetition never raises the chance, and more iterations left never lower it: %s', (kind) => {
    const forest = forestOf(SHIPPED_ODDS[kind])
    const values = array(integer({ min: 0, max: 12 }), { minLength: TRAITS.length, maxLength: TRAITS.length })
    const isSound = (given: readonly number[], name: Trait, more: number): boolean => {
      const place = TRAITS.indexOf(name)
      const moreOfIt = given.with(place, (given[place] as number) + more)
      const gain = boostedMargin(forest, moreOfIt) - boostedMargin(forest, given)
      return name === 'iterationsLeft' ? gain >= -1e-9 : gain <= 1e-9
    }
    const trait = constantFrom<Trait[]>(...WORSE, 'iterationsLeft')
    expect(() => assert(property(values, trait, integer({ min: 1, max: 6 }), isSound), { numRuns: 300 })).not.toThrow()
  })

  it('ODDS-7 where nothing repeats itself the chance is never taken to be next to nothing', () => {
    const others = Array.from({ length: 8 }, (_, index) => ({ failures: [`t${index}`], tests: 40, tree: `tree-${index}` }))
    const chances = others.map((_, index) => knownOf(after(others.slice(0, index + 1))).chance)
    expect(Math.min(...chances)).toBeGreaterThanOrEqual(SHIPPED_ODDS.attempts.chanceMinUnrepeated)
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
    const limits = [2, 10, 20, 50, 51, 100, 200, 1_000_000].map((onceIn) => chanceLimit(kind, onceIn))
    expect(limits.toSorted((one, other) => other - one)).toEqual(limits)
    expect(limits.at(-1)).toBe(0)
    expect(limits[3]).toBeGreaterThan(0)
    for (const chance of [0.0001, 0.002, 0.01, 0.03, 0.1, 0.9])
      expect(chanceLimit(kind, onceInAllowing(kind, chance))).toBeLessThanOrEqual(chance)
  })
})
