import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openStore } from '../../registry/open-store.ts'
import { trustFolder } from '../../settings/user-files.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import type { AgentName } from './protocol.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
  vi.stubEnv('XDG_CONFIG_HOME', join(project.root, '.config'))
  project.write('pawl.yaml', 'checks:\n  - { name: done, command: "grep -q done work.txt" }\nmax_iterations: 2\n')
  trustFolder(project.root)
})
afterEach(() => {
  vi.unstubAllEnvs()
  project.remove()
})

const EVENTS: Readonly<Record<AgentName, readonly [prompt: string, stop: string]>> = {
  claude: ['UserPromptSubmit', 'Stop'],
  codex: ['UserPromptSubmit', 'Stop'],
  gemini: ['BeforeAgent', 'AfterAgent'],
  qwen: ['UserPromptSubmit', 'Stop'],
}

async function prompt(text: string, agent: AgentName = 'claude') {
  return (await project.call(agent, { hook_event_name: EVENTS[agent][0], prompt: text }, true)).answer
}

async function stop(agent: AgentName = 'claude', isAlways = true) {
  return (await project.call(agent, { hook_event_name: EVENTS[agent][1], last_assistant_message: 'Done.' }, isAlways)).answer
}

async function runs(): Promise<readonly string[]> {
  const store = openStore(project.storePath)
  const all = await store.runs()
  await store.close()
  return all.map(({ run }) => run)
}

describe('pawl hook AGENT --always', () => {
  it.each(Object.keys(EVENTS) as readonly AgentName[])(
    'ALWAYS-1 %s: a turn that changed files ends only once the checks pass, and each round is an iteration of a run',
    async (agent) => {
      expect(await prompt('Make it so.', agent)).toEqual({})
      project.write('work.txt', 'half\n')
      const back = await stop(agent)
      expect(back['decision']).toBe(agent === 'gemini' ? 'deny' : 'block')
      expect(back['reason']).toContain('The checks of this project must pass')
      project.write('work.txt', 'done\n')
      expect(await stop(agent)).toEqual({ systemMessage: `Pawl: all checks pass (run ${agent}-s1).` })
      const types = await project.events(`${agent}-s1`)
      expect(types.slice(0, 2)).toEqual(['run.started', 'run.bound'])
      expect(types.filter((type) => type === 'iteration.ended')).toHaveLength(2)
      expect(types.at(-1)).toBe('run.completed')
    },
  )

  it('ALWAYS-2 a turn that changed no file is left alone, at first and after a run', async () => {
    await prompt('What does this do?')
    expect(await stop()).toEqual({})
    expect(await runs()).toEqual([])
    project.write('work.txt', 'done\n')
    await stop()
    await prompt('And why?')
    expect(await stop()).toEqual({})
    expect(await runs()).toEqual(['claude-s1'])
    project.write('work.txt', 'broken\n')
    expect(await stop()).toMatchObject({ decision: 'block' })
    expect(await runs()).toContain('claude-s1-2')
  })

  it('ALWAYS-3 after the round limit the session is let go with one sentence, and held again once files change', async () => {
    await prompt('Make it so.')
    project.write('work.txt', 'half\n')
    expect(await stop()).toMatchObject({ decision: 'block' })
    expect(await stop()).toEqual({
      systemMessage:
        'Pawl: after 2 rounds the checks still fail (done), so this session is let go. See what fails: pawl show claude-s1',
    })
    expect((await project.state('claude-s1'))?.status).toBe('stopped')
    expect(await stop()).toEqual({})
    project.write('work.txt', 'other half\n')
    expect(await stop()).toMatchObject({ decision: 'block' })
  })

  it('ALWAYS-4 `pawl off` in a prompt switches it off for the session and ends its run; `pawl on` switches it on', async () => {
    await prompt('Make it so.')
    project.write('work.txt', 'half\n')
    expect(await stop()).toMatchObject({ decision: 'block' })
    expect((await prompt('Pawl off, please: this is only a sketch.'))['systemMessage']).toContain('off for this session')
    expect(await stop()).toEqual({})
    expect((await project.state('claude-s1'))?.status).toBe('aborted')
    expect((await prompt('pawl on'))['systemMessage']).toContain('hold for this session again')
    expect(await stop()).toMatchObject({ decision: 'block' })
  })

  it('ALWAYS-5 nobody is held without --always, in a folder that is not trusted, without checks, or where Pawl drives the agent', async () => {
    await prompt('Make it so.')
    project.write('work.txt', 'half\n')
    expect(await stop('claude', false)).toEqual({})
    vi.stubEnv('PAWL_RUN', 'r')
    expect(await stop()).toEqual({})
    vi.stubEnv('PAWL_RUN', '')
    trustFolder(project.root, false)
    expect((await stop())['systemMessage']).toContain('pawl trust --folder')
    // Said once.
    expect(await stop()).toEqual({})
    trustFolder(project.root)
    project.write('pawl.yaml', 'agent: claude\n')
    await prompt('pawl on')
    expect(await stop()).toEqual({})
    expect(await runs()).toEqual([])
  })

  it('ALWAYS-6 a session that is older than the hook, and one in a folder without pawl.yaml, are left alone', async () => {
    project.write('work.txt', 'half\n')
    expect(await stop()).toEqual({})
    expect(await stop()).toEqual({})
    rmSync(join(project.root, 'pawl.yaml'))
    mkdirSync(join(project.root, 'sub'))
    expect((await project.call('claude', { hook_event_name: 'Stop', cwd: join(project.root, 'sub') }, true)).answer).toEqual({})
  })
})
