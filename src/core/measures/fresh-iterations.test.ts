import { describe, expect, it } from 'vitest'
import { taskLoop } from '../../loops/task/index.ts'
import { checkFact, play, type Played } from '../../../test/support/play.ts'
import { emptyIterations } from '../../guards/index.ts'

describe('freshIterations', () => {
  it.each([2, 6])('GUARD-245 the whole count starts over when a person lets it continue: %s', (iterationsMin) => {
    const game = idle(iterationsMin)
    expect(game.state.current.number).toBe(iterationsMin)
    const waived = game.on({ type: 'guard.waived', at: 0, by: { role: 'person' }, data: { guard: 'emptyIterations' } })
    expect(waived.state.current.number).toBe(2 * iterationsMin)
  })

  it('GUARD-49 after a person lets a run continue, earlier failures no longer count', () => {
    const game = idle(2)
    expect(game.state.current.number).toBe(2)
    const waived = game.on({ type: 'guard.waived', at: 0, by: { role: 'person' }, data: { guard: 'emptyIterations' } })
    expect(waived.state.current.number).toBe(4)
  })
})

/** A run whose agent changes nothing, and which is stopped for that. */
function idle(iterationsMin: number): Played {
  return play({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [emptyIterations({ iterationsMin, severity: 'trip' })],
    respond: (effect, state) => {
      if (effect.kind === 'check') return [checkFact(effect, state, [{ id: 'a', message: 'a', kind: 'assertion' }])]
      if (effect.kind !== 'observe') return undefined
      const data = { key: effect.key, tree: 't', snapshot: 't', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
      const role = effect.by === 'agent' ? 'workspace' : 'runner'
      return [{ type: 'workspace.observed', at: state.at + 1, by: { role }, data }]
    },
  })
}
