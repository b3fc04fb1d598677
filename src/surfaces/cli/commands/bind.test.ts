import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SessionProject, sessionProject } from '../../../../test/support/session-project.ts'
import { bind } from './bind.ts'
import { sessionFrom } from '../agent-session.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { ralph } from './ralph.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => {
  vi.unstubAllEnvs()
  project.remove()
})

const stop = { hook_event_name: 'Stop' }

describe('binding a run to a session', () => {
  it('HOOK-60 makes it belong to the session that is named, and no longer to another', async () => {
    await project.begin('r', 's-1')
    const context = collectingContext(project.root, true)
    expect(await bind(context, { session: 's-2', agent: 'codex' }, 'r')).toBe(0)
    expect(context.documents).toEqual([{ run: 'r', agent: 'codex', session: 's-2' }])
    expect((await project.call('claude', stop)).answer).toEqual({})
    expect((await project.call('codex', { ...stop, session_id: 's-2' })).answer).toMatchObject({ decision: 'block' })
  })

  it('HOOK-61 takes the session in which it is called, where the agent tells, else asks for it', () => {
    expect(sessionFrom({}, { CLAUDE_CODE_SESSION_ID: 'a' })).toEqual({ agent: 'claude', session: 'a' })
    expect(sessionFrom({}, { CODEX_THREAD_ID: 'b' })).toEqual({ agent: 'codex', session: 'b' })
    expect(sessionFrom({ session: 'c', agent: 'qwen' }, { CODEX_THREAD_ID: 'b' })).toEqual({ agent: 'qwen', session: 'c' })
    expect(() => sessionFrom({}, {})).toThrow(/--session ID/)
    expect(() => sessionFrom({ session: 'c' }, {})).toThrow(/--agent/)
    expect(() => sessionFrom({ agent: 'cursor' }, {})).toThrow(/one of/)
    expect(() => sessionFrom({ agent: 'gemini' }, { CODEX_THREAD_ID: 'b' })).toThrow(/--session/)
  })

  it('HOOK-62 refuses a run that is not there or is over', async () => {
    const flags = { session: 's-1', agent: 'claude' }
    await expect(bind(collectingContext(project.root), flags, 'r')).rejects.toThrow(/no runs yet/)
    await project.begin('r', 's-1')
    await expect(bind(collectingContext(project.root), flags, 'other')).rejects.toThrow(/There is no run "other"/)
    project.write('work.txt', 'done\n')
    await project.call('claude', { ...stop, last_assistant_message: '<promise>COMPLETE</promise>' })
    await expect(bind(collectingContext(project.root), flags, 'r')).rejects.toThrow(/nothing left to bind/)
  })

  it('HOOK-63 `pawl ralph --bind` starts nothing, tells the session what to do, and its hook keeps it going', async () => {
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
    const context = collectingContext(project.root)
    const flags = {
      prompt: 'Make work.txt say done.',
      agentCommand: 'false',
      check: ['grep -q done work.txt'],
      id: 'r',
      bind: true as const,
    }
    await expect(ralph(context, { ...flags, worktree: true })).rejects.toThrow(/do not go together/)
    expect(await ralph(context, flags)).toBe(0)
    expect(context.said.join('\n')).toContain('Make work.txt say done.')
    expect(context.said.at(-1)).toContain('Run r belongs to this session now')
    expect(await project.state('r')).toMatchObject({
      status: 'running',
      bound: { agent: 'claude', session: 's-1' },
      current: { number: 1 },
    })
    expect((await project.call('claude', stop)).answer).toMatchObject({ decision: 'block' })
    project.write('work.txt', 'done\n')
    const last = await project.call('claude', { ...stop, last_assistant_message: '<promise>COMPLETE</promise>' })
    expect(last.answer['systemMessage']).toContain('completed')
  })
})
