import { expect, it } from 'vitest'
import type { Event } from '../core/event.ts'
import type { State } from '../core/state.ts'
import type { Terminal } from '../surfaces/cli/terminal.ts'
import { researchLines } from './progress.ts'

function restored(savedAs: object): Event {
  return { type: 'workspace.restored', data: { key: '1/restore/9', tree: 'a', ...savedAs } } as unknown as Event
}

it('RESCLI-27 that files were put back is said only when something was: a tree that is as it should be has no saved one', () => {
  const terminal = { paint: (_style: string, text: string) => text } as unknown as Terminal
  const state = {} as State
  expect(researchLines(restored({}), state, terminal)).toEqual([])
  expect(researchLines(restored({ savedAs: 'refs/pawl/r/saved-1' }), state, terminal)?.join()).toContain('they were put back')
})
