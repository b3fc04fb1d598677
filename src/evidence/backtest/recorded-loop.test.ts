import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { givenLoop } from '../../../test/support/given-loop.ts'
import { builtInPolicies } from './policy.ts'
import { factsOf, readLoop } from './recorded-loop.ts'
import { replay } from './replay.ts'

const loop = givenLoop([{ passed: false, error: 'no' }, { passed: true }], { outcome: 'solved', solved_at: 2 })

function lineOf(change: object): string {
  return JSON.stringify({ ...loop, ...change })
}

function withIteration(change: object): string {
  return lineOf({ iterations: loop.iterations.map((each, index) => (index === 1 ? { ...each, ...change } : each)) })
}

describe('readLoop', () => {
  it('BACK-1 reads a recorded loop, and takes what is missing as not recorded', () => {
    expect(readLoop(JSON.stringify(loop))).toEqual({ status: 'loop', loop })
    const short = { dataset: 'd', id: 'i', task: 't', kind: 'turns', iterations: [{ n: 1, passed: false }] }
    expect(readLoop(JSON.stringify(short))).toMatchObject({
      status: 'loop',
      loop: { outcome: null, max_iterations: null, iterations: [{ n: 1, passed: false, score: null, error: null, cost: null }] },
    })
  })

  it.each<[what: string, line: string, problem: RegExp]>([
    ['no JSON', '{"dataset":', /^it is no JSON \(/],
    ['a number', '1', /^it must be a JSON object, not 1$/],
    ['no object', '[1]', /^"dataset" is missing: it must be a text that is not empty$/],
    ['a missing name', lineOf({ task: undefined }), /^"task" is missing: it must be a text that is not empty$/],
    ['a wrong type', lineOf({ model: 7 }), /^"model" must be a text, not 7$/],
    ['no iterations', lineOf({ iterations: [] }), /^"iterations" must be a list with at least one iteration, not an empty list$/],
    [
      'an iteration that is none',
      lineOf({ iterations: ['one'] }),
      /^iteration 1: item 1 of "iterations" must be a JSON object, not the text "one"$/,
    ],
    [
      'a wrong type in an iteration',
      lineOf({ iterations: [{ n: 1, passed: 'no' }] }),
      /^iteration 1: "passed" must be true or false, not the text "no"$/,
    ],
    ['an unknown outcome', lineOf({ outcome: 'maybe' }), /^"outcome" must be solved or failed, not the text "maybe"$/],
    [
      'a success nobody knows when',
      lineOf({ solved_at: null }),
      /^"solved_at" of a solved loop must be one of its iterations, 1 to 2$/,
    ],
    ['a success after the end', lineOf({ solved_at: 3 }), /"solved_at"/],
    ['half a maximum', lineOf({ max_iterations: 0.5 }), /"max_iterations"/],
  ])('BACK-2 %s is malformed, and it says why', (_what, line, problem) => {
    expect(readLoop(line)).toEqual({ status: 'malformed', problem: expect.stringMatching(problem) as string })
  })

  it.each<[what: string, line: string, problem: string]>([
    ['a name that is empty', lineOf({ id: '' }), '"id" must be a text that is not empty, not an empty text'],
    ['a negative cost', withIteration({ cost: -0.5 }), 'iteration 2: "cost" must be a number of at least 0, not -0.5'],
    ['negative tokens', withIteration({ tokens: -1 }), 'iteration 2: "tokens" must be a number of at least 0, not -1'],
    [
      'a cost without end',
      withIteration({ cost: 7 }).replace('"cost":7', '"cost":1e999'),
      'iteration 2: "cost" must be a number of at least 0, not Infinity',
    ],
    ['a score above 1', withIteration({ score: 42 }), 'iteration 2: "score" must be a number from 0 to 1, not 42'],
    ['a score below 0', withIteration({ score: -0.1 }), 'iteration 2: "score" must be a number from 0 to 1, not -0.1'],
    ['a failure that was solved', lineOf({ outcome: 'failed' }), '"solved_at" is 2, but the outcome is "failed"'],
    ['a success nobody knows of', lineOf({ outcome: null }), '"solved_at" is 2, but the outcome is not known'],
  ])('BACK-42 %s is malformed: a line that cannot be true is not counted', (_what, line, problem) => {
    expect(readLoop(line)).toEqual({ status: 'malformed', problem })
  })

  it('BACK-42 what only looks like a contradiction is read: the outcome may be known better than the check of an iteration', () => {
    const unlike = [
      lineOf({
        iterations: [
          { n: 1, passed: false, score: 0 },
          { n: 2, passed: false, score: 1 },
        ],
      }),
      lineOf({ outcome: 'failed', solved_at: null }),
      lineOf({ max_iterations: 1 }),
    ]
    expect(unlike.map((line) => readLoop(line).status)).toEqual(['loop', 'loop', 'loop'])
  })

  it('BACK-2 whatever a line says, it is read or told apart, and what is read can be replayed', () => {
    const iteration = fc.dictionary(
      fc.constantFrom('passed', 'score', 'error', 'action', 'solution', 'output', 'cost', 'x'),
      fc.jsonValue(),
    )
    const given = fc.record({
      kind: fc.constantFrom('attempts', 'turns', 'epochs', 7),
      outcome: fc.constantFrom('failed', null, 'solved', 'x'),
      solved_at: fc.constantFrom(1, 2, null, -1, 0.5),
      iterations: fc.array(iteration, { maxLength: 6 }),
    })
    const property = fc.property(fc.oneof(fc.string(), fc.json(), given), (value) => {
      const numbered =
        typeof value === 'string'
          ? value
          : lineOf({ ...value, iterations: value.iterations.map((each, index) => ({ ...each, n: index + 1 })) })
      const reading = readLoop(numbered)
      if (reading.status !== 'loop') return reading.problem !== ''
      return replay(factsOf(reading.loop), Object.values(builtInPolicies())).length === 2
    })
    expect(fc.check(property, { numRuns: 300, seed: 8 })).toMatchObject({ failed: false })
  })

  it('BACK-3 a loop with a gap in its numbering is refused, not guessed', () => {
    const iterations = [{ n: 1 }, { n: 3 }]
    expect(readLoop(lineOf({ outcome: 'failed', iterations }))).toEqual({
      status: 'gap',
      problem: 'its iterations are not numbered one by one: 3 stands where 2 should',
    })
  })

  it('BACK-4 an unknown kind differs from a malformed line', () => {
    expect(readLoop(lineOf({ kind: 'epochs' }))).toEqual({
      status: 'unknown-kind',
      problem: 'the kind "epochs" isn\'t one of attempts, turns, steps, optimize',
    })
  })
})
