import {
  allOf,
  budget,
  deadline,
  defaultGuards,
  ladder,
  oscillation,
  sameFailure,
  stalledDiff,
  tampering,
} from '../src/guards/index.ts'
import { judge } from '../src/core/judge.ts'
import type { State } from '../src/core/state.ts'
import { type IterationGiven, stateAfter } from '../src/testing/state-builder.ts'

const ROUNDS = 2000

/** Every guard there is, at its defaults. */
export const ALL_GUARDS = [
  ...defaultGuards(),
  budget({ costUsdMax: 1e9, tokensMax: 1e12, durationMsMax: 1e12 }),
  deadline({ until: 8e15 }),
  tampering(),
  oscillation({ over: ['actions'] }),
  stalledDiff({ by: 'characters' }),
  ladder(sameFailure()),
  allOf(sameFailure(), stalledDiff()),
]

/** A run of so many iterations that gets nowhere, so that most guards have something to say: the dearest case. */
export function stuckState(iterations: number): State {
  return stateAfter(Array.from({ length: iterations }, (_, index) => stuck(index)))
}

function stuck(index: number): IterationGiven {
  const calls = ['read', 'edit', 'test'].map((name) => ({
    name,
    input: `${name} ${index % 2}`,
    result: `${name} result`,
    label: name,
  }))
  return {
    failures: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'],
    tests: 40,
    tree: `tree-${index % 2}`,
    files: ['src/parser.ts', `src/other-${index}.ts`],
    likeness: { lines: 0.98, linesDiffering: 2, characters: 0.98 },
    spinning: { unit: 'Let me try again.', repeats: 40 },
    actions: calls,
  }
}

/** What one judgement by all guards takes of the processor's time, in microseconds: the mean over a burst, since one is below the clock's grain. */
export function judgementMicroseconds(state: State): number {
  const before = process.cpuUsage()
  let trips = 0
  for (let round = 0; round < ROUNDS; round++) trips += judge(ALL_GUARDS, state).length
  const { user, system } = process.cpuUsage(before)
  if (trips === 0) throw new Error('No guard had anything to say, so nothing was measured.')
  return (user + system) / ROUNDS
}
