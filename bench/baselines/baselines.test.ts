import { describe, expect, it } from 'vitest'
import { factsOf } from '../../src/evidence/backtest/recorded-loop.ts'
import { replay } from '../../src/evidence/backtest/replay.ts'
import { type GivenIteration, givenLoop } from '../../test/support/given-loop.ts'
import { baselines } from './index.ts'

/** A turn with its action, and `!` for one that met with an error; what came back is named after it, or after `=`. */
function turns(...words: readonly string[]): readonly GivenIteration[] {
  return words.map((word) => {
    const [action = '', result = `of ${action}`] = word.replace('!', '').split('=')
    return { passed: false, action, output: result, ...(word.includes('!') ? { error: result } : {}) }
  })
}

function times(count: number, ...words: readonly string[]): readonly GivenIteration[] {
  return turns(...Array.from({ length: count }, () => words).flat())
}

function stopOf(name: string, iterations: readonly GivenIteration[]): number | undefined {
  const policy = baselines.find((each) => each.name === name)
  if (!policy) throw new Error(`There is no baseline ${name}.`)
  return replay(factsOf(givenLoop(iterations, { kind: 'turns', max_iterations: 60 })), [policy])[0]?.iteration
}

const failed = { passed: false, error: 'no' }
const unknown = { action: 'look' }

function trees(...solutions: readonly string[]): readonly GivenIteration[] {
  return solutions.map((solution) => ({ ...failed, solution }))
}

describe('baselines', () => {
  it.each<[name: string, what: string, iterations: readonly GivenIteration[], stop: number | undefined]>([
    ['maximum only', 'nothing ends it', times(9, 'a!'), undefined],
    ['maximum 3', 'the third iteration', times(9, 'a'), 3],
    ['3 consecutive failures', 'three in a row', [failed, failed, failed, failed], 3],
    ['3 consecutive failures', 'what was not checked is no failure', [failed, failed, unknown, failed, failed, failed], 6],
    ['3 identical errors', 'the same error', [failed, failed, failed], 3],
    ['3 identical errors', 'another error between', [failed, failed, { ...failed, error: 'x' }, failed], undefined],
    ['3 identical actions', 'results ignored', turns('a=1', 'a=2', 'a=3'), 3],
    ['similarity 0.97', 'one letter of many', turns('x'.repeat(99), `${'x'.repeat(98)}y`), 2],
    ['similarity 0.97', 'another text', turns('ls', 'cat'), undefined],
    ['OpenHands V0', 'four equal actions and observations', times(5, 'a'), 4],
    ['OpenHands V0', 'three equal actions with errors', turns('a=1!', 'a=2!', 'a=3!'), 3],
    ['OpenHands V0', 'other observations', turns('a=1', 'a=2', 'a=3', 'a=4', 'a=5'), undefined],
    ['OpenHands V0', 'A, B three times', times(4, 'a', 'b'), 6],
    ['OpenHands SDK', 'the third error only brings a message', times(6, 'a!'), 4],
    ['gemini-cli', 'five equal calls', turns('a=1', 'a=2', 'a=3', 'a=4', 'a=5'), 5],
    ['gemini-cli', 'five rounds of two', times(6, 'a', 'b'), 10],
    ['gemini-cli', 'four rounds are not enough', times(4, 'a', 'b'), undefined],
    ['opencode', 'three equal calls', times(4, 'a'), 3],
    ['Roo Code', 'the fourth equal call', times(6, 'a'), 4],
    ['Cline', 'the fifth equal call', times(6, 'a'), 5],
    ['Cline', 'never in a row', times(6, 'a', 'b'), undefined],
    ['deer-flow', 'five of twenty, others between', times(6, 'a', 'b'), 9],
    ['stella', 'three equal calls with equal outputs', times(4, 'a'), 3],
    ['stella', 'an output that moves is no loop', turns('a=1', 'a=2', 'a=3', 'a=4'), undefined],
    ['stella', 'three in the window while nothing moves', turns('a', 'b', 'a', 'c', 'a'), 5],
    ['stella', 'but not while something moves', turns('a', 'b=1', 'a', 'b=2', 'a'), undefined],
    ['stella', 'six equal outputs of different calls', turns('a=0', 'b=0', 'c=0', 'd=0', 'e=0', 'f=0'), 6],
    ['openclaw', 'twenty equal calls', times(22, 'a'), 20],
    ['openclaw', 'twenty calls back and forth', times(15, 'a', 'b'), 20],
    ['ralphctl', 'as many failures for three turns, nothing new', trees('a', 'a', 'a'), 3],
    ['ralphctl', 'new trees exempt two turns', trees('a', 'b', 'c', 'd', 'e', 'f'), 5],
    ['frankbria', 'no file changed in three', trees('a', 'a', 'a', 'a', 'a'), 4],
    ['frankbria', 'the same error in five', trees('a', 'b', 'c', 'd', 'e', 'f'), 5],
    ['seed guards', 'three failures in a row', [failed, failed, failed], 3],
    ['seed guards', 'what was not checked is passed over', [failed, unknown, failed, failed], 4],
  ])('BACK-36 %s: %s', (name, _what, iterations, stop) => {
    expect(stopOf(name, iterations)).toBe(stop)
  })

  it('BACK-37 every baseline has its own name and says whose rule it is; those with more rules say which are not exercised', () => {
    expect(new Set(baselines.map(({ name }) => name)).size).toBe(baselines.length)
    expect(baselines.filter(({ about }) => about === undefined)).toEqual([])
    const silent = baselines.filter(({ unexercised }) => unexercised === undefined).map(({ name }) => name)
    expect(silent.filter((name) => !/^(?:maximum|\d consecutive|\d identical|similarity)/.test(name))).toEqual([])
  })
})
