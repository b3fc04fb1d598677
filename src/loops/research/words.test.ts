import { expect, it } from 'vitest'
import type { Event } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { researchProgress } from './words.ts'

function restored(savedAs: object): Event {
  return { type: 'workspace.restored', data: { key: '1/restore/9', tree: 'a', ...savedAs } } as unknown as Event
}

it('RESCLI-27 that files were put back is said only when something was: a tree that is as it should be has no saved one', () => {
  const state = {} as State
  expect(researchProgress(restored({}), state, String)).toEqual([])
  expect(researchProgress(restored({ savedAs: 'refs/pawl/r/saved-1' }), state, String)?.[0]?.text).toContain('they were put back')
})
