import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import { ralph } from '../cli/commands/ralph.ts'

const FIXTURES = join(import.meta.dirname, '..', '..', 'agents', 'fixtures')
const stop = { hook_event_name: 'Stop', last_assistant_message: '<promise>COMPLETE</promise>' }
const APPROVE = { verdict: 'approve', summary: 'Good.', items: [] }
const REJECT = {
  verdict: 'reject',
  summary: 'Not yet.',
  items: [{ severity: 'major', file: 'work.txt', message: 'say it louder' }],
}

let project: SessionProject
/** A folder of the PATH with agents that say what they are made to say. */
let programs: string

beforeEach(() => {
  project = sessionProject()
  programs = mkdtempSync(join(tmpdir(), 'pawl-programs-'))
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(programs, { recursive: true, force: true })
  project.remove()
})

/** A program that answers with lines of JSON and leaves what it was asked in `NAME.asked`. */
function program(name: string, lines: readonly object[] | { readonly fixture: string }, exitCode = 0): void {
  const output = 'fixture' in lines ? join(FIXTURES, lines.fixture) : join(programs, `${name}.jsonl`)
  if (!('fixture' in lines)) writeFileSync(output, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  writeFileSync(
    join(programs, name),
    `#!/bin/sh\necho "$@" > '${programs}/${name}.asked'\ncat >> '${programs}/${name}.asked'\ncat '${output}'\nexit ${exitCode}\n`,
  )
  chmodSync(join(programs, name), 0o755)
}

function claudeSays(text: string): readonly object[] {
  return [
    { type: 'system', subtype: 'init', session_id: 'r-1', model: 'claude-1' },
    {
      type: 'assistant',
      message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }], usage: {} },
      session_id: 'r-1',
    },
    { type: 'result', subtype: 'success', is_error: false, result: text, session_id: 'r-1', total_cost_usd: 0.01, usage: {} },
  ]
}

function codexSays(text: string): readonly object[] {
  return [
    { type: 'thread.started', thread_id: 'c-1' },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'i', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
  ]
}

async function begin(flags: Parameters<typeof ralph>[1]): Promise<void> {
  await ralph(collectingContext(project.root, false), { prompt: 'x', id: 'r', bind: 's-1', agent: 'claude', ...flags })
}

test('HOOK-79 `ralph --bind --reviewer claude` lets the session go only when claude has approved', async () => {
  program('claude', claudeSays(JSON.stringify(REJECT)))
  await begin({ check: ['true'], reviewer: 'claude' })
  const first = await project.call('claude', stop)
  expect(first.answer).toMatchObject({ decision: 'block', reason: expect.stringContaining('say it louder') })
  const asked = readFileSync(join(programs, 'claude.asked'), 'utf8')
  expect(asked).toContain('--output-format stream-json')
  expect(asked).toContain('You are the reviewer.')
  program('claude', claudeSays(JSON.stringify(APPROVE)))
  project.write('work.txt', 'LOUDER\n')
  const second = await project.call('claude', stop)
  expect(second.answer).toEqual({ systemMessage: expect.stringContaining('run r is completed after iteration 2') })
})

test('HOOK-79 without its reviewer the session is not called done: a person is asked', async () => {
  await begin({ check: ['true'], reviewer: 'claude' })
  vi.stubEnv('PATH', '/usr/bin:/bin')
  const { answer } = await project.call('claude', stop)
  expect(answer).toEqual({ systemMessage: expect.stringContaining('claude') })
  expect((await project.state('r'))?.status).toBe('escalated')
})

test('HOOK-80 the questioner puts the question into words that the end of a turn leads to', async () => {
  program('claude', claudeSays(JSON.stringify({ question: 'Is the moon made of cheese?' })))
  await begin({ check: ['false'], questioner: 'claude', maxIterations: '1' })
  const { answer } = await project.call('claude', stop)
  expect(answer).toEqual({ systemMessage: expect.stringContaining('Is the moon made of cheese?') })
  expect(await project.events('r')).toContain('question.phrased')
})

test('HOOK-81 a fallback continues for a reviewer that has reached a limit', async () => {
  program('gemini', { fixture: 'gemini-limit.jsonl' }, 1)
  program('codex', codexSays(JSON.stringify(APPROVE)))
  project.write('pawl.yaml', 'agent: claude\nfallback: [codex]\non_limit: switch\n')
  await begin({ check: ['true'], reviewer: 'gemini' })
  project.write('work.txt', 'done\n')
  const { answer } = await project.call('claude', stop)
  expect(answer).toEqual({ systemMessage: expect.stringContaining('run r is completed') })
  expect(existsSync(join(programs, 'gemini.asked'))).toBe(true)
  expect(readFileSync(join(programs, 'codex.asked'), 'utf8')).toContain('You are the reviewer.')
  expect(await project.events('r')).toContain('agent.switched')
})
