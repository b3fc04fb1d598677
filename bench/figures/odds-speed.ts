import { oddsOf } from '../../src/guards/odds/odds.ts'
import { maxIterations } from '../../src/guards/index.ts'
import type { State } from '../../src/core/state.ts'
import { configOf, stateAfter } from '../../src/testing/state-builder.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { significant, spread } from '../wording.ts'

const MICROSECONDS_MAX = 20
const ESTIMATES = 2000
const ROUNDS = 25

/** How long one estimate of the odds takes, as a share of the 20 µs it may. */
export const oddsSpeed: Figure = {
  name: 'odds-speed',
  bound: atMost(1),
  measure: async (say) => {
    const states = ['attempts', 'turns'].map(longState)
    say(`${ESTIMATES} estimates of ${states.length} runs in turn, ${ROUNDS} times`)
    estimateMicroseconds(states)
    const each = Array.from({ length: ROUNDS }, () => estimateMicroseconds(states))
    const details = [
      `One estimate after eight iterations takes ${significant(median(each))} µs of processor time at the median of ${ROUNDS} rounds, from ${spread(each)} µs.`,
      `The value is that by ${MICROSECONDS_MAX} µs.`,
    ]
    return { status: 'measured', value: median(each) / MICROSECONDS_MAX, details }
  },
}

/** As many iterations as the recorded loops have, with failures and actions: the dearest case. */
function longState(kind: string): State {
  const config = configOf([maxIterations(10).spec])
  const loop = { ...config.loop, settings: { ...config.loop.settings, kind } }
  const iterations = Array.from({ length: 8 }, (_, index) => ({
    failures: ['a', 'b', 'c'],
    tests: 40,
    tree: `tree-${index % 3}`,
    likeness: { lines: 0.98, linesDiffering: 2 },
    actions: [{ name: 'edit', input: `input ${index % 4}`, result: `result ${index % 2}`, label: 'edit' }],
  }))
  return stateAfter(iterations, { ...config, loop })
}

function estimateMicroseconds(states: readonly State[]): number {
  const before = process.cpuUsage()
  let known = 0
  for (let count = 0; count < ESTIMATES; count++)
    known += Number(oddsOf(states[count % states.length] as State)?.status === 'known')
  const { user, system } = process.cpuUsage(before)
  if (known !== ESTIMATES) throw new Error(`Only ${known} of ${ESTIMATES} estimates were known, so something else was measured.`)
  return (user + system) / ESTIMATES
}
