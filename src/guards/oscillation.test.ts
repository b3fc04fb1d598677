import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { oscillation } from './oscillation.ts'

/** Trees by their names, everything else different every time. */
const trees = (names: string) => [...names].map((tree, index) => ({ tree, failures: [`t${index}`] }))
/** Failures by their names, a new tree every time. */
const failures = (names: string) => [...names].map((name) => ({ failures: name === '-' ? [] : [name] }))
const calls = (names: string) => [
  { failures: ['x'], actions: [...names].map((name) => ({ name, input: '', ...(name === '?' ? {} : { result: 'r' }) })) },
]

describe('oscillation', () => {
  it.each([
    ['there and back, twice', trees('ABAB'), 'trees'],
    ['there and back, once', trees('ABA'), undefined],
    ['three in turn', trees('xABCABC'), 'trees'],
    ['four in turn', trees('ABCDABCD'), 'trees'],
    ['two the same in a round', trees('ABBABB'), 'trees'],
    ['nothing moves', trees('AAAAAA'), undefined],
    ['always new', trees('ABCDEFGH'), undefined],
    ['it ended', trees('ABABC'), undefined],
    ['one mended, the other broken, and back', failures('abab'), 'failures'],
    ['fails, passes, fails, passes', failures('a-a-'), 'failures'],
    ['flaky checks on files that stay as they are', failures('abab').map((each) => ({ ...each, files: [] })), undefined],
  ])('GUARD-38 %s', (_name, iterations, topic) => {
    expect(oscillation().inspect(stateAfter(iterations))[0]?.topic).toBe(topic)
  })

  it.each([
    ['two calls in turn', 'abab', true],
    ['calls without results equal none', 'a?a?', false],
    ['one call over and over is no oscillation', 'aaaa', false],
  ])('GUARD-38 over actions where it is asked to: %s', (_name, names, holds) => {
    expect(oscillation({ over: ['actions'] }).inspect(stateAfter(calls(names))).length > 0).toBe(holds)
    expect(oscillation().inspect(stateAfter(calls(names)))).toEqual([])
  })

  it.each([
    ['there and back', 'ABA', true],
    ['somewhere else', 'ABC', false],
    ['there', 'AB', false],
    ['nowhere', 'AAA', false],
  ])('GUARD-243 one turn is A, B, A: %s', (_name, names, holds) => {
    const state = stateAfter(trees(names))
    const [trip] = oscillation({ turnsMin: 1 }).inspect(state)
    expect(trip !== undefined).toBe(holds)
    if (!trip) return
    expect(trip.message).toMatch(/the same 2 states of the files in turn, and back to the first\.$/)
    expect(trip.evidence.facts).toEqual(state.recent.map(({ seq }) => seq))
    expect(oscillation({ turnsMin: trip.raise?.to ?? 0 }).inspect(state)).toEqual([])
  })

  it('GUARD-38 names the round, the iterations and a value that would let it continue', () => {
    const state = stateAfter(trees('xABAB'))
    const [trip] = oscillation().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: 'The work goes round in circles: the same 2 states of the files in turn, 2 times over.',
      evidence: {
        facts: state.recent.slice(1).map(({ seq }) => seq),
        measures: { over: 'trees', period: 2, turns: 2, turnsMin: 2 },
      },
    })
    expect(oscillation({ turnsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => oscillation({ turnsMin: 0 })).toThrow('oscillation: turnsMin must be')
    expect(() => oscillation({ over: [] })).toThrow('oscillation: over must be a list such as [trees, failures]')
  })
})
