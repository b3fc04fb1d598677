import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Finished, startPawl } from './pawl-process.ts'
import { collectingContext } from '../support/collecting-context.ts'
import { pawlCommand } from '../support/programs.ts'
import { log } from '../../src/surfaces/cli/commands/log.ts'
import { show } from '../../src/surfaces/cli/commands/show.ts'

/**
 * A store that an earlier version wrote (see fixtures/stores/record-v1.ts) has to open, show, verify, resume and take answers for ever.
 * Nothing here looks at wording. Where a later version decides otherwise on purpose, only what comes after the recorded events may differ.
 */
const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'stores', 'v1')

interface ExpectedRun {
  readonly run: string
  readonly loop: string
  readonly status: string
  readonly iterations: number
  readonly events: number
  readonly hash: string
  readonly decisions: readonly { readonly iteration: number; readonly action: string; readonly guards: readonly string[] }[]
  readonly choices: readonly string[]
}

const EXPECTED = JSON.parse(readFileSync(join(FIXTURE, 'expected.json'), 'utf8')) as readonly ExpectedRun[]
const PLACE_MS_MAX = 600_000
const ENV = { PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
const RUNS = EXPECTED.map(({ run }) => run)

describe('a store of version 1, in another folder on another machine', () => {
  let folder: string
  let root: string

  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-old-store-')))
    root = restored(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('ls lists every run with its loop, status and iterations', async () => {
    const listed = await json(root, 0, 'ls')
    expect(listed.map(({ run, loop, status, iterations }: ExpectedRun) => ({ run, loop, status, iterations }))).toEqual(
      EXPECTED.map(({ run, loop, status, iterations }) => ({ run, loop, status, iterations })),
    )
  })

  test('every hash chain holds, with the hashes of then', async () => {
    const verified = await json(root, 0, 'verify')
    expect(verified).toMatchObject(EXPECTED.map(({ run, events, hash }) => ({ run, events, hash, ok: true, problems: [] })))
  })

  test.for(EXPECTED)('show and log tell of $run what was recorded', async ({ run, loop, status, iterations, ...expected }) => {
    const [shown, events] = [await shownRun(root, run), await journal(root, run)]
    expect(shown).toMatchObject({ run, loop, status, iterationsDone: iterations })
    expect(decisionsIn(shown)).toEqual(expected.decisions)
    expect((shown.question?.options ?? []).map(({ choice }: { choice: string }) => choice)).toEqual(
      expect.arrayContaining([...expected.choices]),
    )
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: expected.events }, (_, index) => index + 1))
    expect(events.at(-1)?.hash).toBe(expected.hash)
    const text = collectingContext(root)
    expect(await show(text, run)).toBe(0)
    expect(text.warned).toEqual([])
  })
})

/**
 * Journals name the folder that a run works in, so runs continue at the path where they were recorded. The host is another one: whether the
 * killed processes live cannot be seen from here, and their claims have run out.
 */
describe('a store of version 1, if it was recorded', () => {
  const base = '/tmp/pawl-store-v1'
  let root: string

  beforeAll(async () => {
    await takePlace(base)
    root = restored(base)
  }, PLACE_MS_MAX)
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  // First: as long as a process that cannot be seen from here holds a run in the folder, no other one may work there.
  test('resumes a run that was killed while its agent worked, to its end', async () => {
    // The files were unpacked just now, long after the crash, so Pawl asks before it undoes anything.
    expect((await pawl(root, 'resume', 'task-killed', '--no-ask')).stderr).toContain('--undo-changes')
    expect(await json(root, 0, 'resume', 'task-killed', '--no-ask', '--undo-changes')).toMatchObject({ status: 'completed' })
    expect(await types(root, 'task-killed')).toContain('work.abandoned')
  })

  test('resumes a plan that was killed in its second task, in its own worktree', async () => {
    // Under today's rules it asks about tasks that no test can tell of.
    expect(await json(root, 3, 'resume', 'plan-killed', '--no-ask', '--undo-changes')).toMatchObject({
      question: { code: 'unproven' },
    })
    await pawl(root, 'answer', 'plan-killed', 'accept', '--resume')
    for (let tries = 0; tries < 3 && (await shownRun(root, 'plan-killed')).status !== 'completed'; tries++)
      await pawl(root, 'answer', 'plan-killed', 'accept', '--resume')
    expect(await shownRun(root, 'plan-killed')).toMatchObject({ status: 'completed' })
    const { tasks } = await shownRun(root, 'plan-killed')
    expect(tasks.map(({ status }: { status: string }) => status)).toEqual(['done', 'done', 'done'])
  })

  test('resumes research that was paused', async () => {
    expect(await json(root, 0, 'resume', 'research-paused', '--no-ask')).toMatchObject({ status: 'completed' })
  })

  test.for([
    ['task-asks', 'continue'],
    ['task-stopped', 'continue'],
    // Its agent's promise is beside other words, which no longer counts.
    ['ralph-asks', 'accept'],
    ['review-asks', 'continue'],
    ['research-asks', 'accept'],
  ] as const)('answers %s with %s and continues to the end', async ([run, choice]) => {
    await pawl(root, 'answer', run, choice, '--note', 'Escape the name.', '--resume')
    expect(await shownRun(root, run)).toMatchObject({ status: 'completed' })
    expect(await types(root, run)).toContain('escalation.answered')
  })

  test('keeps the session going that a run is bound to, until its promise holds', async () => {
    expect(hook(root, 'Not yet.')).toMatchObject({ decision: 'block' })
    writeFileSync(join(root, 'session.txt'), 'done\n')
    expect(hook(root, '<promise>COMPLETE</promise>')).not.toHaveProperty('decision')
    expect(await shownRun(root, 'session')).toMatchObject({ status: 'completed' })
  })

  test('continues with a loop of the MCP tools, with its checkpoint and to a promise that holds', async () => {
    writeFileSync(join(root, 'mcp.txt'), 'done\n')
    const checkpointId = (await journal(root, 'mcp')).find(({ type }) => type === 'checkpoint.created')?.data['checkpoint']
    // It has expired long ago, and can still be looked at.
    const [kept, validated] = await mcp(root, [
      ['checkpoint_get', { checkpointId }],
      ['iteration_validate', { iterationId: 'mcp', agentOutput: '<promise>COMPLETE</promise>' }],
    ])
    expect(kept).toMatchObject({ draftContent: 'half a draft' })
    expect(validated).toMatchObject({ iterationNumber: 2, validationPassed: true, completionSignal: 'COMPLETE' })
  })

  test('takes the next attempt of a run that pawl check keeps', () => {
    const document = 'iteration_check: { task_id: checked, current_iteration: 3, test_result: { status: fail, output: "x" } }\n'
    const { status, stdout } = spawned(root, ['check', '--run', 'checked', '--exit-code', '--json'], document)
    expect(status).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ decision: { action: 'escalate', iteration: 3 } })
  })

  test('still has every recorded event, decisions included, and every chain holds', async () => {
    const verified = await json(root, 0, 'verify')
    expect(verified.map(({ run, ok }: { run: string; ok: boolean }) => ({ run, ok }))).toEqual(
      expect.arrayContaining(RUNS.map((run) => ({ run, ok: true }))),
    )
    for (const { run, events, hash } of EXPECTED)
      expect({ run, hash: (await journal(root, run))[events - 1]?.hash }).toEqual({ run, hash })
  }, 120_000)
})

/** Unpacks the project and puts the store into it. */
function restored(folder: string): string {
  execFileSync('tar', ['-xzf', join(FIXTURE, 'project.tar.gz'), '-C', folder])
  const root = join(folder, 'project')
  copyFileSync(join(FIXTURE, 'pawl.db'), join(root, '.pawl', 'pawl.db'))
  return root
}

/** Makes the folder once no other run of this test has it. One that was left behind is removed. */
async function takePlace(folder: string): Promise<void> {
  for (;;) {
    try {
      return mkdirSync(folder)
    } catch {
      const age = Date.now() - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (age > PLACE_MS_MAX / 2) rmSync(folder, { recursive: true, force: true })
      await sleep(500)
    }
  }
}

function pawl(root: string, ...words: readonly string[]): Promise<Finished> {
  return startPawl(words, { cwd: root, home: root }).finished
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what its command prints.
async function json(root: string, code: number, ...words: readonly string[]): Promise<any> {
  const finished = await pawl(root, ...words, '--json')
  expect({ words, ...finished }).toMatchObject({ code })
  return JSON.parse(finished.stdout)
}

/** What `pawl show RUN --json` prints. Read within this process: a dozen runs, three times each. */
// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what its run has.
async function shownRun(root: string, run: string): Promise<any> {
  const context = collectingContext(root, true)
  expect(await show(context, run)).toBe(0)
  return context.documents[0]
}

interface LoggedEvent {
  readonly seq: number
  readonly type: string
  readonly hash: string
  readonly data: Readonly<Record<string, unknown>>
}

async function journal(root: string, run: string): Promise<readonly LoggedEvent[]> {
  const context = collectingContext(root, true)
  expect(await log(context, run)).toBe(0)
  return context.documents as readonly LoggedEvent[]
}

async function types(root: string, run: string): Promise<readonly string[]> {
  return (await journal(root, run)).map(({ type }) => type)
}

interface ShownDecision {
  readonly iteration: number
  readonly action: string
  readonly trips: readonly { readonly guard: string }[]
}

function decisionsIn({ decisions }: { readonly decisions: readonly ShownDecision[] }): ExpectedRun['decisions'] {
  return decisions.map(({ iteration, action, trips }) => ({ iteration, action, guards: trips.map(({ guard }) => guard) }))
}

function spawned(root: string, words: readonly string[], input: string) {
  const [program = '', ...args] = pawlCommand(...words)
  return spawnSync(program, args, { cwd: root, env: ENV, input, encoding: 'utf8', timeout: 50_000 })
}

function hook(root: string, said: string): unknown {
  const call = { cwd: root, session_id: 'session-1', hook_event_name: 'Stop', last_assistant_message: said }
  const { status, stdout } = spawned(root, ['hook', 'claude'], JSON.stringify(call))
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

/** What the tools answer, one after the other. */
async function mcp(root: string, calls: readonly (readonly [name: string, args: object])[]): Promise<readonly unknown[]> {
  const [program = '', ...args] = pawlCommand('mcp')
  const server = spawn(program, args, { cwd: root, env: ENV, stdio: ['pipe', 'pipe', 'ignore'], timeout: 50_000 })
  const over = new Promise((resolve) => server.once('exit', resolve))
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const request = async (method: string, params: object) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`)
    return JSON.parse(String((await lines.next()).value)).result
  }
  try {
    await request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    const answers: unknown[] = []
    for (const [name, given] of calls) {
      const answer = await request('tools/call', { name, arguments: given })
      expect(answer).not.toHaveProperty('isError', true)
      answers.push(answer.structuredContent)
    }
    return answers
  } finally {
    server.stdin.end()
    await over
  }
}
