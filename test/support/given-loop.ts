import type { RecordedIteration, RecordedLoop } from '../../src/evidence/backtest/recorded-loop.ts'

/** What a test says of an iteration; the rest was not recorded. */
export type GivenIteration = Partial<Omit<RecordedIteration, 'n'>>

/** A recorded loop for tests: it failed at its own task, unless the test says otherwise. */
export function givenLoop(
  iterations: readonly GivenIteration[],
  { id = 'loop', ...more }: Partial<Omit<RecordedLoop, 'iterations'>> = {},
): RecordedLoop {
  return {
    dataset: 'given',
    id,
    task: id,
    config: 'given',
    model: null,
    agent: 'given',
    kind: 'attempts',
    max_iterations: 10,
    outcome: 'failed',
    solved_at: null,
    exit: null,
    iterations: iterations.map((iteration, index) => ({ ...UNRECORDED, ...iteration, n: index + 1 })),
    ...more,
  }
}

const UNRECORDED = { passed: null, score: null, error: null, action: null, solution: null, tokens: null, cost: null }
