import { describe, expect, it } from 'vitest'
import { taskLoop } from '../../loops/task/index.ts'
import { checkFact, play } from '../../testing/play.ts'
import { emptyIterations } from '../guards/index.ts'

describe('freshIterations', () => {
  it('GUARD-49 after a person let a run go on, what was before is not held against the agent', () => {
    const game = play({
      loop: taskLoop({ goal: 'g', baseline: false }),
      guards: [emptyIterations({ iterationsMin: 2, severity: 'trip' })],
      respond: (effect, state) => {
        if (effect.kind === 'check') return [checkFact(effect, state, [{ id: 'a', message: 'a', kind: 'assertion' }])]
        if (effect.kind !== 'observe') return undefined
        const data = { key: effect.key, tree: 't', snapshot: 't', files: [], filesChanged: 0, insertions: 0, deletions: 0 }
        const role = effect.by === 'agent' ? 'workspace' : 'runner'
        return [{ type: 'workspace.observed', at: state.at + 1, by: { role }, data }]
      },
    })
    expect(game.state.current.number).toBe(2)
    const waived = game.on({ type: 'guard.waived', at: 0, by: { role: 'person' }, data: { guard: 'emptyIterations' } })
    expect(waived.state.current.number).toBe(4)
  })
})
