import { expect, test } from 'vitest'
import type { Event } from './event.ts'
import type { Json } from './json.ts'
import { evolve } from '../loops/evolve.ts'
import { lastSession } from './spending.ts'
import { initialState, type State } from './state.ts'

const CONFIG = {
  loop: { name: 'task', v: 1, settings: { goal: 'g' } },
  guards: [],
  agent: { name: 'claude', v: 1, settings: {} },
  checks: [],
  workspace: { name: 'git', v: 1, settings: {} },
}

function after(state: State, type: Event['type'], data: Json, name = 'claude'): State {
  const by = { role: 'agent', name }
  return evolve(state, { seq: state.seq + 1, run: 'r', at: state.at + 1, v: 1, type, by, data } as unknown as Event)
}

const finished = (key: string, session: string, used?: Json) => ({
  key,
  durationMs: 1,
  session,
  ...(used === undefined ? {} : { sessionUsed: used }),
})

test('DRIVE-30 a session is remembered for its role and its agent, with what it used, until the next item of a plan', () => {
  let state = initialState('r', 1, 0, CONFIG)
  state = after(state, 'plan.made', {
    items: [
      { id: 'a', goal: 'a' },
      { id: 'b', goal: 'b' },
    ],
  })
  state = after(state, 'item.started', { index: 0, item: 'a' })
  state = after(state, 'work.finished', finished('1/coder:coder_a/0', 's-1', { tokens: 5 }))
  state = after(state, 'work.finished', finished('1/coder:coder_b/0', 's-2'), 'codex')
  expect(lastSession(state, '2/coder:coder_a/0', 'claude')).toMatchObject({ id: 's-1', used: { tokens: 5 } })
  expect(lastSession(state, '2/coder:coder_b/0', 'codex')).toMatchObject({ id: 's-2' })
  // Another agent in the same role cannot continue it.
  expect(lastSession(state, '2/coder:coder_a/0', 'codex')).toBe(undefined)
  const failed = { key: '2/coder:coder_a/0', reason: 'timed-out', fault: 'agent', message: 'm', durationMs: 1, session: 's-3' }
  state = after(state, 'work.failed', failed)
  expect(lastSession(state, '3/coder:coder_a/0', 'claude')).toMatchObject({ id: 's-3' })
  // Work that tells of no session leaves the one before.
  state = after(state, 'work.finished', { key: '3/coder:coder_a/0', durationMs: 1 })
  expect(lastSession(state, '4/coder:coder_a/0', 'claude')).toMatchObject({ id: 's-3' })
  state = after(state, 'item.started', { index: 1, item: 'b' })
  expect(lastSession(state, '4/coder:coder_a/0', 'claude')).toBe(undefined)
})
