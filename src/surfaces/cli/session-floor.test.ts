import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import { pawlCommand } from '../../../test/support/programs.ts'
import { abort } from './commands/abort.ts'
import { answer } from './commands/answer.ts'
import { bind } from './commands/bind.ts'
import { parseConfig } from '../../settings/parse-config.ts'
import { ralph } from './commands/ralph.ts'
import { resume } from './commands/resume.ts'
import { task } from './commands/task.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
  project.write(
    'pawl.yaml',
    'agent: claude\nchecks:\n  - name: done\n    command: grep -q done work.txt\nprotect: [secret.txt]\nmax_iterations: 4\nbudget_tokens: 1000\n',
  )
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
  vi.stubEnv('CODEX_THREAD_ID', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
  project.remove()
})

const stop = { hook_event_name: 'Stop', last_assistant_message: '<promise>COMPLETE</promise>' }
const look = () => collectingContext(project.root)

async function begin(flags: Parameters<typeof ralph>[1] = {}): Promise<void> {
  await ralph(look(), { prompt: 'x', id: 'r', bind: true, ...flags })
}

function guardSettings(guards: readonly { name: string; settings: object }[] | undefined, name: string): object | undefined {
  return guards?.find((guard) => guard.name === name)?.settings
}

describe('a run of an agent’s session', () => {
  it('HOOK-93 has the checks, protected files and limits of pawl.yaml, whatever flags it is started with', async () => {
    await begin({
      check: ['true', 'grep -q done work.txt'],
      protect: ['other.txt'],
      maxIterations: '50',
      extendWhileImproving: '60',
      budgetTokens: '900',
    })
    const config = (await project.state('r'))?.config
    expect(config?.checks.map(({ settings }) => settings['name'])).toEqual(['done', 'true'])
    expect(config).toMatchObject({ protect: ['secret.txt', 'other.txt'], ownChecks: ['true'] })
    expect(guardSettings(config?.guards, 'maxIterations')).toEqual({ iterationsMax: 4, extendWhileImproving: 4 })
    expect(guardSettings(config?.guards, 'budget')).toMatchObject({ tokensMax: 900 })
    expect((await project.call('claude', stop)).answer).toMatchObject({ decision: 'block' })
  })

  it('HOOK-93 a check that pawl.yaml does not have proves at most self-tested', async () => {
    project.write('pawl.yaml', 'agent: claude\nbaseline: true\n')
    await begin({ check: ['grep -q done work.txt'] })
    project.write('work.txt', 'done\n')
    expect((await project.call('claude', stop)).answer['systemMessage']).toContain('completed')
    expect((await project.state('r'))?.current.proof?.level).toBe('self-tested')
  })

  it.each([
    ['--guard', { guard: ['same-failure=off', 'noProgress={ iterations_min: 6 }'] }],
    ['--isolation', { isolation: 'none' }],
    ['--prepare', { prepare: ['true'] }],
    ['--may-change', { mayChange: ['test/**'] }],
    ['--accept-unproven', { acceptUnproven: true }],
    ['--require-proof', { requireProof: 'unproven' }],
    ['--flaky', { flaky: 'ignore' }],
  ] as const)('HOOK-93 is not started with %s, which pawl.yaml alone may set', async (flag, flags) => {
    const refused: unknown = await begin(flags).catch((error: unknown) => error)
    const [what, where, line = '', ...more] = (refused as Error).message.split('\n')
    expect([what, where, more]).toEqual([expect.stringContaining(`${flag} can't be used with --bind`), expect.any(String), []])
    // The fix can be copied into pawl.yaml as it is.
    expect(() => parseConfig(line.trim(), 'pawl.yaml')).not.toThrow()
    await begin({ requireProof: 'red-to-green' })
    expect((await project.state('r'))?.config.proof).toEqual({ require: 'red-to-green' })
  })

  it('HOOK-94 is not answered, ended, changed, moved or taken away by its own session', async () => {
    await begin({ maxIterations: '1' })
    await project.call('claude', stop)
    const before = await project.events('r')
    const calls = [
      answer(look(), {}, 'r', 'accept'),
      resume(look(), { check: ['true'] }, 'r'),
      resume(look(), { unbind: true }, 'r'),
      resume(look(), { acceptUnproven: true }, 'r'),
      abort(look(), {}, 'r'),
      bind(look(), { session: 'nobody', agent: 'claude' }, 'r'),
      ralph(look(), { prompt: 'x', id: 'r', bind: true, check: ['true'] }),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'run.own-work' })
    expect(await project.events('r')).toEqual(before)
    vi.stubEnv('CLAUDE_CODE_SESSION_ID', '')
    expect(await answer(look(), {}, 'r', 'continue')).toBe(0)
  })

  it('HOOK-94 neither where the session hides itself from the command', async () => {
    await begin({ maxIterations: '1' })
    await project.call('claude', stop)
    const command = `unset CLAUDE_CODE_SESSION_ID; ${pawlCommand('answer', 'r', 'accept').join(' ')}; true`
    const env = { PATH: process.env['PATH'], CLAUDE_CODE_SESSION_ID: 's-1' }
    const { stderr } = spawnSync('sh', ['-c', command], { cwd: project.root, env, encoding: 'utf8' })
    expect(stderr).toContain('cannot be answered from within its own work')
    expect((await project.state('r'))?.status).toBe('escalated')
  })

  it('HOOK-94 the session may bind its run to itself again, and begin again with the same words', async () => {
    await begin()
    await begin()
    expect(await bind(look(), {}, 'r')).toBe(0)
    expect(await project.state('r')).toMatchObject({ status: 'running', bound: { session: 's-1' } })
  })

  it('HOOK-95 does not make room for an easier one while it is under way', async () => {
    await begin()
    await expect(ralph(look(), { prompt: 'y', id: 'easy', bind: true })).rejects.toMatchObject({ code: 'run.session-busy' })
    expect(await project.state('easy')).toBeUndefined()
    await project.begin('other')
    const started = { hook_event_name: 'PostToolUse', tool_name: 'mcp__pawl__iteration_start', tool_response: { run: 'other' } }
    const { answer: told } = await project.call('claude', started)
    expect(JSON.stringify(told)).toContain("works on run r, so it can't take up other as well")
    expect((await project.state('other'))?.bound).toBeUndefined()
    expect((await project.call('claude', stop)).answer).toMatchObject({ decision: 'block' })
  })

  it('HOOK-95 an agent binds no run that has less than pawl.yaml asks for', async () => {
    await task(look(), { agentCommand: 'false', check: ['false'], id: 'weak', ask: false, maxIterations: '1' }, ['x'])
    await expect(bind(look(), {}, 'weak')).rejects.toThrow('Run weak lacks the check "done", which pawl.yaml asks for')
  })
})
