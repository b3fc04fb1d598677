import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SessionProject, sessionProject, spawnHook } from '../../../test/support/session-project.ts'
import { answerText, readCall } from './protocol.ts'
import { hook } from './hook.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => project.remove())

const stop = { hook_event_name: 'Stop' }

describe('the hook as a program', () => {
  it('HOOK-21 answers each agent in its own shape', async () => {
    const shapes = [
      ['codex', { ...stop, turn_id: 't', model: 'm', last_assistant_message: null }, 'block'],
      [
        'gemini',
        { hook_event_name: 'AfterAgent', prompt: 'p', prompt_response: 'done', stop_hook_active: false, timestamp: 'now' },
        'deny',
      ],
      ['qwen', { ...stop, last_assistant_message: 'done' }, 'block'],
    ] as const
    await Promise.all(
      shapes.map(async ([agent, input, decision]) => {
        await project.begin(agent, `s-${agent}`, {}, agent)
        const { answer, exitCode } = await project.hook(agent, { ...input, session_id: `s-${agent}` })
        expect(answer).toEqual({ decision, reason: expect.stringContaining('Make work.txt'), systemMessage: expect.any(String) })
        expect(exitCode).toBe(0)
      }),
    )
  })

  it('HOOK-22 lets the agent stop, says why and exits 0 whatever is wrong', async () => {
    const elsewhere = join(project.root, 'other')
    mkdirSync(join(elsewhere, '.pawl'), { recursive: true })
    writeFileSync(join(elsewhere, '.pawl', 'pawl.db'), 'not a database')
    const newer = join(project.root, 'newer', '.pawl')
    mkdirSync(newer, { recursive: true })
    const database = new DatabaseSync(join(newer, 'pawl.db'))
    database.exec('CREATE TABLE t (a); PRAGMA application_id = 1346459468; PRAGMA user_version = 99')
    database.close()
    const bound = { session_id: 's-1', ...stop }
    for (const folder of [elsewhere, join(project.root, 'newer')]) project.list(folder, 'claude', 's-1', 'r')
    const wrong: readonly (readonly [string, string | object, RegExp])[] = [
      ['claude', '', /not a JSON object/],
      ['claude', '[1]', /not a JSON object/],
      ['claude', { ...stop, session_id: '' }, /no session_id/],
      ['claude', { session_id: 's' }, /no hook_event_name/],
      ['cursor', { ...bound }, /one of claude/],
      ['claude', { ...bound, cwd: 'relative' }, /absolute path/],
      ['claude', { ...bound, cwd: '/' }, /no \.pawl/],
      ['claude', { ...bound, cwd: elsewhere }, /pawl\.db/],
      ['claude', { ...bound, cwd: join(project.root, 'newer') }, /newer Pawl/],
    ]
    await Promise.all(
      wrong.map(async ([agent, input, reason]) => {
        const { exitCode, answer, stderr } = await project.hook(agent, input as string)
        expect({ exitCode, decision: answer['decision'] }).toEqual({ exitCode: 0, decision: undefined })
        expect(stderr).toMatch(reason)
      }),
    )
  })

  it('HOOK-23 ten sessions in one folder are each answered for their own run, at the same time', async () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index)
    for (const number of numbers) await project.begin(`r${number}`, `s-${number}`)
    const results = await Promise.all(numbers.map((number) => project.call('claude', { ...stop, session_id: `s-${number}` })))
    for (const [number, { answer }] of results.entries())
      expect(answer['reason']).toContain(`run r${number} continues with iteration 2`)
    for (const number of numbers) expect((await project.state(`r${number}`))?.current.number).toBe(2)
  })

  it('HOOK-24 a hook that is killed in the middle of a check leaves the run to the next one, which ends what was left and checks what is there', async () => {
    await project.begin('r', 's-1', {
      check: 'if [ -f hang ]; then echo $$ > pid; touch hanging; sleep 30; fi; grep -q done work.txt',
    })
    project.write('hang', '')
    const child = spawnHook(['claude'], project.root)
    child.stdin?.end(JSON.stringify({ ...stop, session_id: 's-1', cwd: project.root, last_assistant_message: 'one' }))
    await until(() => existsSync(join(project.root, 'hanging')))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    project.write('work.txt', 'done\n')
    rmSync(join(project.root, 'hang'))
    const { answer } = await project.call('claude', { ...stop, last_assistant_message: 'two' })
    expect(answer).toMatchObject({ decision: 'block' })
    const state = await project.state('r')
    expect(state?.recent).toMatchObject([{ iteration: 1, verdict: { passed: true } }])
    expect(state?.current.number).toBe(2)
    await untilGone()
  })

  it('HOOK-25 a hook that its agent ends lets go at once, and the check with it', async () => {
    await project.begin('r', 's-1', { check: 'echo $$ > pid; touch hanging; sleep 30' })
    const child = spawnHook(['claude'], project.root)
    const out: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
    child.stdin?.end(JSON.stringify({ ...stop, session_id: 's-1', cwd: project.root }))
    await until(() => existsSync(join(project.root, 'hanging')))
    child.kill('SIGTERM')
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0)
    expect(JSON.parse(Buffer.concat(out).toString())).toEqual({
      systemMessage: expect.stringContaining('run again at the next end of a turn'),
    })
    await untilGone()
  })

  it('HOOK-26 no input makes it throw, block or hold a session without a run', async () => {
    await project.begin('r', 's-1')
    const field = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('Stop', 'PostToolBatch', 'PostToolUse', 's-2', project.root, 'mcp__pawl__iteration_start'),
    )
    const names = [
      'hook_event_name',
      'session_id',
      'cwd',
      'tool_calls',
      'tool_name',
      'tool_input',
      'tool_response',
      'last_assistant_message',
      'background_tasks',
      'iterationId',
    ]
    const input = fc.dictionary(fc.constantFrom(...names), field)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('claude', 'codex', 'gemini', 'qwen'),
        fc.oneof(
          input.map((each) => JSON.stringify(each)),
          fc.string(),
        ),
        async (agent, text) => {
          const call = readCall(agent as 'claude', text, project.root)
          if (typeof call === 'string' || call.session === 's-1') return
          const answer = await hook(call, { timeLimit: () => new AbortController().signal, say: () => undefined })
          expect(answer.kind).toBe('pass')
          expect(answerText(call, answer)).toBe('{}')
        },
      ),
      { numRuns: 400 },
    )
  })

  it('HOOK-27 whatever the bound session sends is answered without an error, and never beyond the maximum', async () => {
    await project.begin('r', 's-1')
    const texts = fc.sample(fc.jsonValue(), { numRuns: 3, seed: 7 })
    const answers = await Promise.all(
      texts.map((value) =>
        project.hook('claude', { ...stop, last_assistant_message: value, background_tasks: value, tool_calls: value }),
      ),
    )
    expect(answers.map(({ exitCode }) => exitCode)).toEqual(texts.map(() => 0))
    expect((await project.state('r'))?.current.number).toBeLessThanOrEqual(3)
  })

  it('HOOK-28 a store that cannot be opened lets the agent stop', async () => {
    await project.begin('r', 's-1')
    rmSync(project.storePath)
    mkdirSync(project.storePath)
    const { exitCode, answer, stderr } = await project.hook('claude', stop)
    expect({ exitCode, answer }).toEqual({ exitCode: 0, answer: { systemMessage: expect.stringContaining('pawl.db') } })
    expect(stderr).toContain('pawl.db')
  })

  it('HOOK-73 a store that is broken or gone is reported on the screen at the end of a turn, to the session that has a run there', async () => {
    await project.begin('r', 's-1')
    writeFileSync(project.storePath, 'not a database')
    const broken = await project.hook('claude', stop)
    expect(broken.answer).toEqual({ systemMessage: expect.stringMatching(/^Pawl: .*pawl\.db.* This session is let go\.$/s) })
    for (const ending of ['', '-wal', '-shm']) rmSync(`${project.storePath}${ending}`, { force: true })
    expect((await project.hook('claude', stop)).answer).toEqual({
      systemMessage: expect.stringContaining('run r of this session'),
    })
    expect((await project.call('claude', { ...stop, session_id: 's-2' })).answer).toEqual({})
    expect((await project.call('claude', { hook_event_name: 'PostToolBatch', tool_calls: [] })).answer).toEqual({})
  })
})

/** The check that wrote its own number has ended. */
async function untilGone(): Promise<void> {
  const stat = `/proc/${readFileSync(join(project.root, 'pid'), 'utf8').trim()}/stat`
  await until(() => !existsSync(stat) || readFileSync(stat, 'utf8').includes(') Z'))
}

async function until(isSo: () => boolean): Promise<void> {
  for (let count = 0; count < 400 && !isSo(); count++) await new Promise((resolve) => setTimeout(resolve, 50))
  expect(isSo()).toBe(true)
}
