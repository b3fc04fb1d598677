import { describe, expect, it } from 'vitest'
import type { Fact } from '../../core/event.ts'
import { initialState, type State } from '../../core/state.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import type { Agent, WorkResult } from '../../agents/agent.ts'
import { memoryWorkspace } from '../../testing/memory-parts.ts'
import { configOf } from '../../testing/state-builder.ts'
import type { Parts } from '../../engine/parts.ts'
import { performPlan } from './perform.ts'
import { systemClock } from '../../process/clock.ts'

/** Has a planner work that writes a file and then does this. */
async function planned(then: () => WorkResult, replies: State['current']['replies'] = []) {
  const workspace = memoryWorkspace({ a: '1' })
  const { tree, snapshot } = await workspace.observe('r', '0', undefined)
  const begun = initialState('r', 1, 0, configOf([]))
  const state = { ...begun, tree: { tree, snapshot }, current: { ...begun.current, replies } }
  const posted: Fact[] = []
  let brief = ''
  const agent: Agent = {
    spec: { name: 'planner', v: 1, settings: {} },
    work: async (request) => {
      brief = request.brief
      workspace.files.set('edited', 'x')
      return then()
    },
  }
  const parts = { agent, workspace, store: memoryStore(), clock: systemClock } as unknown as Parts
  await performPlan(
    { kind: 'work', key: '0/planner/0', iteration: 0, role: 'planner', brief: 'Plan it.\n', isReadOnly: true, performer: 'plan' },
    {
      parts,
      state,
      cwd: '/',
      signal: new AbortController().signal,
      post: async (facts) => void posted.push(...facts),
      now: () => 0,
      progress: () => undefined,
    },
  )
  return { posted, brief, files: [...workspace.files.keys()] }
}

const plan = (description: string) => JSON.stringify({ items: [{ description, type: 'coding' }] })
const captured = (text: string) => ({ text, bytesCut: 0 })

describe('a planner', () => {
  it('DRIVE-42 that throws has its edits put back like any other', async () => {
    const { posted, files } = await planned(() => {
      throw new Error('boom')
    })
    expect(posted.map(({ type }) => type)).toEqual(['workspace.restored', 'work.failed'])
    expect(files).toEqual(['a'])
  })

  it('DRIVE-42 that continues after a question reads that what it changed was put back', async () => {
    const ask = { id: 'a', kind: 'question', title: 'Which one?', options: [] }
    const first = await planned(() => ({ status: 'asked', ask, message: 'It asks.' }))
    expect([first.posted.map(({ type }) => type), first.files]).toEqual([['workspace.restored', 'work.asked'], ['a']])
    const reply = {
      ask: 'a',
      title: 'Which one?',
      option: 'x',
      optionKind: 'answer',
      label: 'The first',
      key: '0/planner/0',
    } as const
    const { brief } = await planned(() => ({ status: 'finished', words: plan('b') }), [{ ...reply, isAfterBreak: true }])
    expect(brief).toContain('You are to change no files: what you changed was put back.')
    expect(brief).not.toContain('still there')
    expect(brief).toContain('- Which one?: The first')
  })

  it('DRIVE-43 whose words were cut is read from what it printed', async () => {
    const whole = plan('c'.repeat(3000))
    const { posted } = await planned(() => ({ status: 'finished', words: `…${whole.slice(-500)}`, output: captured(whole) }))
    expect(posted.find(({ type }) => type === 'plan.proposed')?.data).toMatchObject({ items: [{ goal: 'c'.repeat(3000) }] })
    const none = await planned(() => ({ status: 'finished', words: 'I cannot.', output: captured('nor can I') }))
    expect(none.posted.find(({ type }) => type === 'plan.proposed')?.data).toMatchObject({
      trouble: expect.stringContaining('does not end with one JSON object'),
    })
  })
})
