import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { startClient } from '../support/mcp-support.ts'
import { IS_BUILT, pawlCommand } from '../support/programs.ts'
import { type SessionProject, sessionProject } from '../support/session-project.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => project.remove())

test('HOOK-29 the hook that users get records actions, keeps a session going and writes a journal that others can verify', async () => {
  await project.begin('r', 's-1')
  const tool = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'a' }
  for (let count = 0; count < 3; count++) expect(hook({ hook_event_name: 'PostToolBatch', tool_calls: [tool] })).toEqual({})
  expect(hook({ hook_event_name: 'Stop', last_assistant_message: 'done' })).toMatchObject({ decision: 'block' })
  project.write('work.txt', 'done\n')
  const last = hook({ hook_event_name: 'Stop', last_assistant_message: '<promise>COMPLETE</promise>' })
  expect(last).toEqual({ systemMessage: expect.stringContaining('completed after iteration 2') })
  const store = sqliteStore({ path: project.storePath })
  const events = await store.readStored('r')
  await store.close()
  expect(events.filter(({ type }) => type === 'work.acted')).toHaveLength(3)
  expect(verifyChain(events)).toMatchObject({ ok: true })
})

test.skipIf(!IS_BUILT)(
  'HOOK-75 a cold cache is filled without a word on standard error',
  async () => {
    await project.begin('r', 's-1')
    const copy = join(project.root, 'dist')
    for (const name of ['hook.cjs', 'hook']) cpSync(join(ROOT, 'dist', name), join(copy, name), { recursive: true })
    const input = JSON.stringify({ cwd: project.root, session_id: 's-1', hook_event_name: 'Stop' })
    const { status, stderr } = spawnSync(process.execPath, [join(copy, 'hook.cjs'), 'claude'], {
      input,
      encoding: 'utf8',
      timeout: 30_000,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(readdirSync(join(copy, '.cache'))).not.toEqual([])
  },
  60_000,
)

test.skipIf(!IS_BUILT)(
  'HOOK-79 the hook that users get has the review done by the agent that is named',
  () => {
    const text = JSON.stringify({ verdict: 'approve', summary: 'Good.', items: [] })
    const said = [
      { type: 'system', subtype: 'init', session_id: 'x', model: 'm' },
      { type: 'assistant', message: { id: 'm', role: 'assistant', content: [{ type: 'text', text }], usage: {} } },
      { type: 'result', subtype: 'success', is_error: false, result: text, session_id: 'x', total_cost_usd: 0, usage: {} },
    ]
    const programs = mkdtempSync(join(tmpdir(), 'pawl-programs-'))
    onTestFinished(() => rmSync(programs, { recursive: true, force: true }))
    writeFileSync(join(programs, 'said.jsonl'), said.map((line) => JSON.stringify(line)).join('\n'))
    writeFileSync(join(programs, 'claude'), `#!/bin/sh\ncat > '${programs}/asked'\ncat '${programs}/said.jsonl'\n`, {
      mode: 0o755,
    })
    const flags = [
      '--prompt',
      'x',
      '--check',
      'test -f made',
      '--id',
      'r',
      '--bind',
      's-1',
      '--agent',
      'claude',
      '--reviewer',
      'claude',
    ]
    const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
    expect(spawnSync(join(ROOT, 'bin', 'pawl'), ['ralph', ...flags], { cwd: project.root, env }).status).toBe(0)
    writeFileSync(join(project.root, 'made'), '')
    const last = hook({ hook_event_name: 'Stop', last_assistant_message: '<promise>COMPLETE</promise>' }, programs)
    expect(last).toEqual({ systemMessage: expect.stringContaining('run r is completed') })
    expect(readFileSync(join(programs, 'asked'), 'utf8')).toContain('You are the reviewer.')
  },
  60_000,
)

test('HOOK-82 command line, MCP server and hook find the same store, from a folder below and from a worktree', async () => {
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@e.org', ...words], { cwd: project.root })
  project.write('pawl.yaml', '')
  project.write('.gitignore', '.pawl\n')
  for (const words of [['init'], ['add', '.'], ['commit', '--message=first'], ['worktree', 'add', 'inner']]) git(...words)
  await project.begin('outer', 's-1')
  const below = join(project.root, 'a', 'b')
  mkdirSync(below, { recursive: true })
  const inner = join(project.root, 'inner')
  expect(await runsSeenFrom(below)).toEqual({ cli: ['outer'], mcp: ['outer'] })
  // The worktree has its own pawl.yaml, so it is its own project, with a store that does not exist yet.
  expect(await runsSeenFrom(inner)).toEqual({ cli: [], mcp: [] })
  const bind = ['ralph', '--prompt', 'x', '--check', 'test -f made', '--id', 'inner', '--bind', 's-2', '--agent', 'claude']
  expect(pawl(inner, ...bind).status).toBe(0)
  expect(await runsSeenFrom(inner)).toEqual({ cli: ['inner'], mcp: ['inner'] })
  const stop = { hook_event_name: 'Stop', last_assistant_message: 'x' }
  // A session is held by its own run, wherever it has gone since.
  expect(hook({ ...stop, session_id: 's-2', cwd: inner })).toMatchObject({ reason: expect.stringContaining('run inner') })
  for (const cwd of [below, inner]) expect(hook({ ...stop, cwd })).toMatchObject({ reason: expect.stringContaining('run outer') })
})

async function runsSeenFrom(cwd: string): Promise<{ readonly cli: readonly string[]; readonly mcp: readonly string[] }> {
  const client = await startClient(cwd)
  const { data } = await client.tool('run_list', {})
  await client.end()
  const listed: { readonly run: string }[] = JSON.parse(pawl(cwd, 'ls', '--json').stdout)
  return { cli: listed.map(({ run }) => run), mcp: data.runs.map(({ run }: { readonly run: string }) => run) }
}

function pawl(cwd: string, ...words: readonly string[]) {
  const [program = '', ...args] = pawlCommand(...words)
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
  return spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 30_000 })
}

function hook(input: object, programs = '/usr/bin'): unknown {
  const text = JSON.stringify({ cwd: project.root, session_id: 's-1', ...input })
  const env = { PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin` }
  const [program = '', ...args] = pawlCommand('hook', 'claude')
  const { status, stdout } = spawnSync(program, args, { cwd: project.root, env, input: text, encoding: 'utf8', timeout: 30_000 })
  expect(status).toBe(0)
  return JSON.parse(stdout)
}
