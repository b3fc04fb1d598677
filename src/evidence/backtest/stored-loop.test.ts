import { describe, expect, it } from 'vitest'
import { journalOf } from '../../testing/state-builder.ts'
import type { Event } from '../../core/event.ts'
import { sameFailure } from '../../guards/index.ts'
import { replay } from './replay.ts'
import { storedLoop } from './stored-loop.ts'

function ended(events: readonly Event[], ...more: readonly Pick<Event, 'type' | 'data'>[]): readonly Event[] {
  const last = events.at(-1) as Event
  const added = more.map((each, index) => ({ ...last, ...each, seq: last.seq + index + 1 }) as Event)
  return [...events, ...added]
}

const failing = journalOf([{ failures: ['x'] }, { failures: ['x'], costUsd: 0.5 }, { failures: ['x'] }])
const completed = { type: 'run.completed', data: { iteration: 3, tree: 'tree-3', message: 'Done.' } } as const

describe('storedLoop', () => {
  it('BACK-23 a run is its own journal cut after each iteration, and is judged by the same guards', () => {
    const loop = storedLoop(failing)
    expect(loop).toMatchObject({ dataset: 'pawl task', id: 'given', task: 'given', kind: 'attempts', costsUsd: [0, 0.5, 0] })
    expect(loop?.iterations.map((events) => events.at(-1)?.type)).toEqual(Array(3).fill('iteration.ended'))
    const policy = { name: 'twice', guards: [sameFailure({ repeatsMin: 2, severity: 'trip' })] }
    expect(loop && replay(loop, [policy])).toEqual([{ iteration: 2, guards: ['sameFailure'] }])
  })

  it('BACK-24 a completed run was solved at its last iteration, an aborted one failed, and of one that is not over nobody knows', () => {
    expect(storedLoop(ended(failing, completed))).toMatchObject({ outcome: 'solved', solvedAt: 3 })
    expect(storedLoop(ended(failing, { type: 'run.aborted', data: { reason: 'enough' } }))?.outcome).toBe('failed')
    expect(storedLoop(failing)).not.toHaveProperty('outcome')
  })

  it('BACK-24 a run without an iteration is no loop', () => {
    expect(storedLoop(failing.slice(0, 1))).toBeUndefined()
    expect(storedLoop([])).toBeUndefined()
  })
})
