import { expect, test } from 'vitest'
import { taskLoop } from '../../loops/task/index.ts'
import { checkFact, play } from '../../../test/support/play.ts'
import type { Action } from '../../core/action.ts'
import { emptyIterations, maxIterations, worthContinuing } from '../index.ts'
import { evolve } from '../../loops/evolve.ts'
import type { State } from '../../core/state.ts'
import { oddsOf } from './odds.ts'

const call: Action = { name: 'Bash', input: 'npm test', result: 'failed' }

/** The states after each iteration of a run whose agent changes nothing, with a person who lets it continue after the third. */
function idleStates(actions: readonly Action[] = []): readonly State[] {
  const stopped = play({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [maxIterations(10), emptyIterations({ iterationsMin: 3, severity: 'trip' })],
    respond: (effect, state) => {
      if (effect.kind === 'check') return [checkFact(effect, state, [{ id: 'a', message: 'a', kind: 'assertion' }])]
      if (effect.kind === 'work' && actions.length > 0) {
        const acted = {
          type: 'work.acted' as const,
          at: state.at + 1,
          by: { role: 'agent' as const },
          data: { key: effect.key, actions },
        }
        const finished = {
          type: 'work.finished' as const,
          at: state.at + 1,
          by: { role: 'agent' as const },
          data: { key: effect.key, durationMs: 1 },
        }
        return [acted, finished]
      }
      if (effect.kind !== 'observe') return undefined
      const data = { key: effect.key, tree: 't', snapshot: 't', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
      const role = effect.by === 'agent' ? 'workspace' : 'runner'
      return [{ type: 'workspace.observed', at: state.at + 1, by: { role }, data }]
    },
  })
  const { events } = stopped.on({ type: 'guard.waived', at: 0, by: { role: 'person' }, data: { guard: 'emptyIterations' } })
  let state: State | undefined
  return events.flatMap((event) => {
    state = evolve(state, event)
    return state && event.type === 'iteration.ended' ? [state] : []
  })
}

test('ODDS-39 what was tried in vain stays tried when a person lets a run continue: the same once more never raises the chance', () => {
  const chances = idleStates().map((state) => {
    const odds = oddsOf(state)
    return odds?.status === 'known' ? odds.chance : Number.NaN
  })
  expect(chances.length).toBeGreaterThanOrEqual(6)
  expect(chances.toSorted((one, other) => other - one)).toEqual(chances)
  expect(idleStates().map((state) => (oddsOf(state) as { iteration: number }).iteration)).toEqual(
    chances.map((_, index) => index + 1),
  )
})

const known = (actions: readonly Action[]): readonly boolean[] => idleStates(actions).map((state) => oddsOf(state) !== undefined)

test('ODDS-39 many calls an iteration change nothing of that; where each is one call, which are not kept, nothing is said after it', () => {
  expect(known([call, call, call])).not.toContain(false)
  expect(known([call])).toEqual([true, true, true, false, false, false])
})

test('WORTH-8 one failure after a person let it continue is no pattern, though the chance is shown', () => {
  const guard = worthContinuing({ giveUpASuccessAtMostOnceIn: 50 })
  const trips = idleStates().map((state) => guard.inspect(state).length)
  expect(trips).toEqual([0, 0, 1, 0, 1, 1])
})
