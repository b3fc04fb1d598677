import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WorkSoFar } from '../../core/guard.ts'
import { idle, ladder, maxIterations, repeatedAction, spinningText } from '../../guards/index.ts'
import { stateAfter } from '../../testing/state-builder.ts'
import { sessionProject, type SessionProject } from '../../../test/support/session-project.ts'
import { actionOf } from '../../core/action.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { sessionFolds } from './bound-hook.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => project.remove())

const watchedWork = (seen: Partial<WorkSoFar>): WorkSoFar => ({ used: {}, messages: 0, actions: [], quietMs: 0, ...seen })

/** A message as each agent records it. */
function messageOf(agent: string, text: string): object {
  if (agent === 'codex')
    return { type: 'response_item', payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] } }
  if (agent === 'gemini') return { type: 'gemini', content: text }
  if (agent === 'qwen') return { type: 'assistant', message: { role: 'model', parts: [{ text }] } }
  return { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }
}

/** Longer than the silence that a test allows. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 400))

const calls = (...tool_calls: readonly object[]) => ({ hook_event_name: 'PostToolBatch', tool_calls })
const bash = (command: string, stdout: string) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_response: { stdout },
  tool_use_id: 't',
})
const started = (name: string, tool_response: unknown, tool_input: unknown = { taskId: 'x' }) => ({
  hook_event_name: 'PostToolUse',
  tool_name: name,
  tool_input,
  tool_response,
})

describe('a tool that was used', () => {
  it('HOOK-15 the session that starts a run by the MCP server is the one it belongs to, in the shape of each agent', async () => {
    const results: readonly (readonly ['claude' | 'codex' | 'gemini' | 'qwen', object])[] = [
      ['claude', started('mcp__pawl__iteration_start', [{ type: 'text', text: '{"iterationId":"a"}' }])],
      [
        'claude',
        {
          ...calls({ tool_name: 'mcp__plugin_pawl_pawl__iteration_start', tool_input: {}, tool_response: '{"iterationId":"b"}' }),
        },
      ],
      ['codex', started('mcp__pawl__iteration_start', { structuredContent: { iterationId: 'c' } })],
      ['qwen', started('mcp__pawl__iteration_start', { llmContent: 'Result: {"iterationId": "d"}' })],
      [
        'gemini',
        {
          ...started('mcp_pawl_iteration_start', { llmContent: [{ text: '{"iterationId":"e"}' }] }),
          hook_event_name: 'AfterTool',
        },
      ],
    ]
    for (const [index, [agent, input]] of results.entries()) {
      const run = 'abcde'[index] as string
      await project.begin(run)
      expect((await project.call(agent, { ...input, session_id: `s-${run}` })).answer).toEqual({})
      expect((await project.state(run))?.bound).toMatchObject({ agent, session: `s-${run}` })
    }
  })

  it('HOOK-78 leaves the log for the next hook, with nothing missing', async () => {
    await project.begin('kept', 's-1')
    for (const step of ['one', 'two', 'three']) {
      const { exitCode, answer } = await project.hook('claude', { ...calls(bash(step, step)), session_id: 's-1' })
      expect([exitCode, answer]).toEqual([0, {}])
      expect(existsSync(`${project.storePath}-wal`)).toBe(true)
    }
    expect((await project.events('kept')).filter((type) => type === 'work.acted')).toHaveLength(3)
  })

  it.each<[string, unknown]>([
    ['an error', { isError: true, content: [{ type: 'text', text: 'Task free has a loop: continue with iterationId "free"' }] }],
    ['an error with data', { isError: true, structuredContent: { iterationId: 'free' } }],
    ['an error of the agent', { llmContent: '{"iterationId":"free"}', error: { message: 'refused' } }],
    ['no name', { llmContent: 'fine' }],
    ['nothing', undefined],
    ['the name of the task only', '{"taskId":"free"}'],
    ['a run that is named in the settings of another', { iterationId: 'gone', config: { run: 'free' } }],
  ])('HOOK-70 a start that was refused binds nothing, whatever it asked for: %s', async (_name, response) => {
    await project.begin('free')
    const input = started('mcp__pawl__iteration_start', response, { taskId: 'free' })
    const { answer, stderr } = await project.call('codex', { ...input, session_id: 's-2' })
    expect(answer).toEqual({})
    expect(stderr).toContain('none of its names is a run that could be bound')
    expect((await project.state('free'))?.bound).toBeUndefined()
  })

  it('HOOK-16 a run that belongs to a session is not taken from it by another, and no other tool binds anything', async () => {
    await project.begin('r', 's-1')
    const input = started('mcp__pawl__iteration_start', { iterationId: 'r' })
    const { stderr } = await project.call('claude', { ...input, session_id: 's-2' })
    expect(stderr).toContain('Run r belongs to session s-1 of claude')
    await project.begin('free')
    for (const name of ['Bash', 'mcp__other__iteration_start', 'iteration_start'])
      await project.call('claude', { ...started(name, { iterationId: 'free' }), session_id: 's-2' })
    expect((await project.state('r'))?.bound?.session).toBe('s-1')
    expect((await project.state('free'))?.bound).toBeUndefined()
  })

  it('HOOK-72 a session whose start found a run of another reads whose it is and how to take it over, as is the person', async () => {
    await project.begin('r', 's-1')
    const input = started('mcp__pawl__iteration_start', { iterationId: 'r', resumed: true })
    for (const agent of ['claude', 'codex', 'qwen'] as const) {
      const { answer } = await project.call(agent, { ...input, session_id: 's-2' })
      const told = expect.stringMatching(`session s-1 of claude.*pawl bind r --session s-2 --agent ${agent}`)
      expect(answer).toEqual({
        hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: told },
        systemMessage: told,
      })
    }
    expect((await project.call('claude', { ...input, session_id: 's-1' })).answer).toEqual({})
    expect((await project.state('r'))?.bound?.session).toBe('s-1')
  })

  it('HOOK-17 what was done is recorded once; the agent hears of the same action with the same result, once', async () => {
    await project.begin('r', 's-1', { guards: [maxIterations(3), repeatedAction()] })
    const answers = []
    for (let count = 0; count < 4; count++) answers.push((await project.call('claude', calls(bash('ls', 'a')))).answer)
    expect((await project.call('claude', { ...started('Bash', {}), session_id: 's-1' })).answer).toEqual({})
    expect(answers.slice(0, 2)).toEqual([{}, {}])
    expect(answers[2]).toEqual({
      hookSpecificOutput: { hookEventName: 'PostToolBatch', additionalContext: expect.stringContaining('The same action') },
    })
    expect(answers[3]).toEqual({})
    const events = await project.events('r')
    expect(events.filter((type) => type === 'work.acted')).toHaveLength(4)
    expect(events.filter((type) => type === 'guard.nudged')).toHaveLength(1)
  })

  it('HOOK-98 the same action is no repetition while files change', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: project.root })
    await project.begin('r', 's-1', { guards: [maxIterations(3), repeatedAction()] })
    const answers = []
    for (let count = 0; count < 8; count++) {
      if (count < 5) writeFileSync(join(project.root, 'log.txt'), 'x'.repeat(count))
      answers.push((await project.call('claude', calls(bash('./next.sh', '')))).answer)
    }
    expect(answers.slice(0, 6)).toEqual([{}, {}, {}, {}, {}, {}])
    expect(answers.slice(6)).toContainEqual({ hookSpecificOutput: expect.anything() })
  })

  it('LIMIT-21 one call whose files are not known makes no repetition of others', async () => {
    const action = { name: 'Bash', input: 'i', result: 'r' }
    for (const last of [
      [action, { ...action, files: 'a' }, { ...action, files: 'b' }],
      [action, action, { ...action, files: 'b' }],
      [{ ...action, files: 'a' }, action, { ...action, files: 'b' }],
    ])
      expect(repeatedAction().watch?.(stateAfter([]), watchedWork({ actions: last }))).toEqual([])
    const noted = { ...action, files: 'a' }
    for (const last of [
      [action, action, action],
      [action, noted, noted],
    ])
      expect(repeatedAction().watch?.(stateAfter([]), watchedWork({ actions: last }))).toHaveLength(1)
  })

  it.each(['claude', 'codex', 'gemini', 'qwen'] as const)(
    'LIMIT-22 words that go round in circles, by the record of %s, are warned of once, and without end they end the iteration',
    async (agent) => {
      await project.begin('r', 's-1', { guards: [maxIterations(3), spinningText()] }, agent)
      const transcript_path = join(project.root, 'transcript.jsonl')
      const round = async (text: string) => {
        // Later than the last event, which may be of the same millisecond.
        appendFileSync(
          transcript_path,
          `${JSON.stringify({ timestamp: new Date(Date.now() + 60_000), ...messageOf(agent, text) })}\n`,
        )
        const name = agent === 'gemini' ? 'AfterTool' : agent === 'claude' ? 'PostToolBatch' : 'PostToolUse'
        const tool = { tool_name: 'Bash', tool_input: { command: text.slice(0, 9) }, tool_response: `${text.length}` }
        const input = agent === 'claude' ? { tool_calls: [tool] } : tool
        return (await project.call(agent, { hook_event_name: name, transcript_path, ...input })).answer
      }
      expect(await round('I look at the file.')).toEqual({})
      expect(JSON.stringify(await round('I should look at the file again before I change it. '.repeat(48)))).toContain(
        'in circles',
      )
      expect(await round('Now I change the file.')).toEqual({})
      const ended = await round('I should look at the file once more before I change it. '.repeat(90))
      expect(JSON.stringify(ended)).toMatch(/in circles.*run r continues with iteration 2 of at most 3/)
      const events = await project.events('r')
      expect(events.filter((type) => type === 'guard.nudged')).toHaveLength(1)
      expect(events).toContain('work.finished')
    },
  )

  it('LIMIT-23 a tool that took long without changing a file is warned of, and one that changed files is not', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: project.root })
    await project.begin('r', 's-1', { guards: [maxIterations(3), idle({ quietMsMax: 300 })] })
    await pause()
    const log = join(project.root, 'log.txt')
    writeFileSync(log, 'x')
    // Just now, however long it takes to ask.
    utimesSync(log, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600)
    expect((await project.call('claude', calls(bash('make', 'a')))).answer).toEqual({})
    rmSync(log)
    await pause()
    expect((await project.call('claude', calls(bash('./wait.sh', 'b')))).answer).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PostToolBatch',
        additionalContext: expect.stringContaining('printed nothing and changed no file'),
      },
    })
    await pause()
    expect((await project.call('claude', calls(bash('./wait.sh', 'c')))).answer).toEqual({})
  })

  it('HOOK-18 a trip of the guard ends the iteration, and the turn with the reason', async () => {
    await project.begin('r', 's-1', { guards: [maxIterations(3), repeatedAction({ severity: 'trip' })] })
    const answers = []
    for (let count = 0; count < 3; count++) answers.push((await project.call('claude', calls(bash('ls', 'a')))).answer)
    expect(answers[2]).toEqual({
      continue: false,
      stopReason: expect.stringContaining('The same action with the same result 3 times'),
    })
    expect(await project.state('r')).toMatchObject({ status: 'escalated', question: { trips: [{ guard: 'repeatedAction' }] } })
    expect((await project.call('claude', calls(bash('ls', 'a')))).answer).toEqual({})
    expect((await project.call('claude', { hook_event_name: 'Stop' })).answer).toEqual({
      systemMessage: expect.stringContaining('escalated'),
    })
  })

  it('HOOK-77 where a trip does not end the turn, every further tool of that turn is answered with the order to end it', async () => {
    await project.begin('r', 's-1', { guards: [maxIterations(3), repeatedAction({ severity: 'trip' })] }, 'codex')
    const use = (turn_id: string) =>
      project.call('codex', { ...started('exec_command', 'same', { cmd: 'ls' }), turn_id, session_id: 's-1' })
    for (let count = 0; count < 2; count++) expect((await use('t-1')).answer).toEqual({})
    const order = { continue: false, stopReason: expect.stringMatching(/^Pawl: run r is escalated.* End your turn now/) }
    for (let count = 0; count < 3; count++) expect((await use('t-1')).answer).toEqual(order)
    expect((await use('t-2')).answer).toEqual({})
    await project.answer('r', 'continue')
    expect((await use('t-1')).answer).toEqual({})
  })

  it('HOOK-19 polling that sees something new, waiting, and what differs by the clock only', async () => {
    await project.begin('r', 's-1', { guards: [ladder(repeatedAction({ repeatsMin: 2 }), { patience: 1 })] })
    for (let count = 0; count < 4; count++) {
      expect((await project.call('claude', calls(bash('status', `${count} done`)))).answer).toEqual({})
      expect(
        (await project.call('claude', calls({ tool_name: 'BashOutput', tool_input: { id: 1 }, tool_response: 'x' }))).answer,
      ).toEqual({})
    }
    const one = actionOf({ name: 'shell', input: { a: 1, b: 2 }, response: 'Tests passed in 1.23s\nProcess Group PGID: 12' })
    const two = actionOf({ name: 'shell', input: { b: 2, a: 1 }, response: 'Tests passed in 0.98s\nProcess Group PGID: 99' })
    expect(one).toEqual({ ...two, label: one.label })
    expect(actionOf({ name: 'shell', input: {}, response: '3 tests passed' }).result).not.toBe(
      actionOf({ name: 'shell', input: {}, response: '4 tests passed' }).result,
    )
    for (const command of [
      'sleep 5',
      'cd a && sleep 30 && gh run view 12',
      'gh run view 12; sleep $N',
      'until curl -s x; do sleep 2; done',
      "bash -lc 'sleep 5; make'",
      'gh run watch 12',
    ])
      expect(actionOf({ name: 'Bash', input: { command } })).toMatchObject({ isWaiting: true })
    for (const command of ['cat sleep.txt', 'grep sleep src', 'gh run view 12', 'man sleep'])
      expect(actionOf({ name: 'Bash', input: { command } })).not.toHaveProperty('isWaiting')
    expect(actionOf({ name: 'Bash', input: { command: 'sleep 5' } })).not.toHaveProperty('result')
  })

  it('HOOK-20 what an agent does costs the same to record however much it did before', async () => {
    await project.begin('r', 's-1')
    for (let count = 0; count < 40; count++) await project.call('claude', calls(bash(`step ${count}`, 'x')))
    const snapshot = await project.snapshotSeq('r')
    expect((await project.state('r'))?.seq ?? 0).toBeGreaterThan(40)
    expect(((await project.state('r'))?.seq ?? 0) - snapshot).toBeLessThan(33)
  })
})

it.each(['task', 'ralph'])('HOOK-106 a hook keeps all that the loop %s keeps of its state', (name) => {
  const loop = { name, v: 1, settings: {} }
  expect(sessionFolds(loop)).toBeDefined()
  expect(sessionFolds(loop)).toBe(builtInFolds(loop))
})
