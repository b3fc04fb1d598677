import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SessionProject, sessionProject } from '../../../../test/support/session-project.ts'
import { answer } from './answer.ts'
import { bind } from './bind.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { ls } from './ls.ts'
import { ralph } from './ralph.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => {
  vi.unstubAllEnvs()
  project.remove()
})

const stop = { hook_event_name: 'Stop' }
const look = (isJson = false) => collectingContext(project.root, isJson)

/** An agent that would leave a file behind if it were started. */
const AGENT = 'touch started'

async function bound(): Promise<void> {
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
  await ralph(look(), {
    prompt: 'x',
    agentCommand: AGENT,
    check: ['grep -q done work.txt'],
    id: 'r',
    bind: true,
    maxIterations: '1',
  })
  leaveSession()
}

/** What follows is called by a person, from their own terminal. */
function leaveSession(): void {
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', '')
}

describe('a run that belongs to a session', () => {
  it('CLI-390 is shown as bound, with the session, by ls and show, and no command is suggested that starts another agent', async () => {
    await bound()
    const listed = look()
    await ls(listed)
    expect(listed.said.join('\n')).toContain('bound - session s-1 of claude')
    expect(listed.said.join('\n')).not.toContain('pawl resume')
    const rows = look(true)
    await ls(rows, { status: 'bound' })
    expect(rows.documents).toEqual([[expect.objectContaining({ run: 'r', bound: { agent: 'claude', session: 's-1' } })]])
    expect((rows.documents as { command?: string }[][])[0]?.[0]?.command).toBeUndefined()
    const shown = look()
    await show(shown, 'r')
    expect(shown.said[0]).toBe('r  bound')
    expect(shown.said.join(' ').replaceAll(/\s+/g, ' ')).toContain(
      'Belongs to session s-1 of claude, which continues it at the end of its turn',
    )
  })

  it('CLI-391 is not resumed beside its session, by no command, and nothing is recorded', async () => {
    await bound()
    const before = (await project.events('r')).length
    await expect(resume(look(), {}, 'r')).rejects.toMatchObject({ code: 'run.bound' })
    await expect(resume(look(), {}, 'r')).rejects.toThrow(
      "session s-1 of claude, and continues at the end of that session's turn",
    )
    const flags = { prompt: 'x', agentCommand: AGENT, check: ['grep -q done work.txt'], id: 'r', maxIterations: '1' }
    await expect(ralph(look(), flags)).rejects.toMatchObject({ code: 'run.bound' })
    await project.call('claude', stop)
    expect((await project.events('r')).length).toBeGreaterThan(before)
    const answering = look()
    expect(await answer(answering, { resume: true }, 'r', '1')).toBe(0)
    expect(answering.said[0]).toContain('It continues when session s-1 of claude ends its turn')
    expect(existsSync(join(project.root, 'started'))).toBe(false)
  })

  it('CLI-392 continues in its session after an answer, and the answer says so; one that ends it takes effect at once', async () => {
    await bound()
    const { answer: told } = await project.call('claude', stop)
    expect(told['systemMessage']).toContain('then tell this session to continue')
    const answering = look()
    expect(await answer(answering, {}, 'r', '1')).toBe(0)
    expect(answering.said[0]).toContain('It continues when session s-1 of claude ends its turn')
    expect((await project.call('claude', stop)).answer).toMatchObject({ decision: 'block' })
    for (let count = 0; count < 9 && (await project.state('r'))?.status === 'running'; count++) await project.call('claude', stop)
    const ending = look()
    await answer(ending, {}, 'r', 'abort')
    expect(ending.said[0]).toContain('The run is aborted.')
  })

  it('CLI-393 is taken away with --unbind, which is a fact: the session is let go, and Pawl continues by itself', async () => {
    await bound()
    const resumed = look()
    expect(await resume(resumed, { unbind: true, ask: false }, 'r')).toBe(3)
    expect(existsSync(join(project.root, 'started'))).toBe(true)
    expect(await project.events('r')).toContain('run.unbound')
    expect((await project.state('r'))?.bound).toBeUndefined()
    expect((await project.call('claude', stop)).answer).toEqual({})
    await expect(resume(look(), { unbind: true }, 'r')).rejects.toMatchObject({ code: 'usage.unbind' })
  })

  it('CLI-394 takes other checks and limits without starting an agent: a mistyped check is fixed so', async () => {
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
    await ralph(look(), { prompt: 'x', agentCommand: AGENT, check: ['no-such-program-of-ours'], id: 'r', bind: true })
    leaveSession()
    await project.call('claude', stop)
    expect((await project.state('r'))?.question?.question.steps?.join(' ')).toContain("pawl resume r --check '…'")
    const changing = look()
    expect(await resume(changing, { check: ['grep -q done work.txt'] }, 'r')).toBe(0)
    expect(changing.said[0]).toContain('It continues when session s-1 of claude ends its turn.')
    expect(await project.state('r')).toMatchObject({ status: 'running', bound: { session: 's-1' } })
    expect(existsSync(join(project.root, 'started'))).toBe(false)
    const waiving = look()
    expect(await resume(waiving, { waive: 'maxIterations' }, 'r')).toBe(0)
    expect(waiving.said[0]).toContain('when session s-1 of claude continues r')
  })

  it('HOOK-71 `ralph --bind` looks for no program, and takes the agent from the session that calls it', async () => {
    vi.stubEnv('PATH', '/nowhere')
    await ralph(look(), { prompt: 'x', check: ['true'], id: 'r', bind: 's-1', agent: 'claude' })
    expect(await project.state('r')).toMatchObject({ status: 'running', bound: { agent: 'claude', session: 's-1' } })
    vi.stubEnv('CODEX_THREAD_ID', 't-1')
    await ralph(look(), { prompt: 'x', check: ['true'], id: 'q', bind: true })
    expect(await project.state('q')).toMatchObject({ bound: { agent: 'codex', session: 't-1' } })
    vi.unstubAllEnvs()
    vi.stubEnv('CODEX_THREAD_ID', '')
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', '')
    await expect(ralph(look(), { prompt: 'x', check: ['true'], bind: true })).rejects.toThrow(/--bind SESSION/)
    vi.stubEnv('GEMINI_CLI', '1')
    await expect(bind(look(), {}, 'r')).rejects.toThrow(/Gemini CLI does not tell .* --session ID/)
  })
})
