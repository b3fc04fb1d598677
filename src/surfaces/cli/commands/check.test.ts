import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseAllDocuments, stringify } from 'yaml'
import { PawlError } from '../../../core/pawl-error.ts'
import { keepSecretsOf } from '../../../secrets/known-values.ts'
import { redactText } from '../../../secrets/filter.ts'
import type { DecisionDocument } from '../../../loops/task/iteration-check/decision-document.ts'
import { type Look, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { withStore } from '../cli-context.ts'
import { answer } from './answer.ts'
import { type CheckFlags, check } from './check.ts'
import { log } from './log.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { verify } from './verify.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(() => project.remove())

function attempt(iteration: number, result: string, more = ''): string {
  return `iteration_check:\n  task_id: task-003\n  current_iteration: ${iteration}\n  test_result: { status: ${result} }\n${more}`
}

const FAILED = 'fail, output: "Expected: 1\\nReceived: 2"'

async function piped(text: string, flags: CheckFlags = {}, look: Look = project.look()): Promise<{ code: number; look: Look }> {
  return { code: await check(look, flags, undefined, Readable.from([Buffer.from(text)])), look }
}

function decisions({ out }: Look): readonly DecisionDocument['decision'][] {
  return parseAllDocuments(out.join('\n')).map((document) => (document.toJS() as DecisionDocument).decision)
}

async function last(more = ''): Promise<DecisionDocument['decision'] | undefined> {
  return decisions((await piped(attempt(3, FAILED, more))).look)[0]
}

async function told(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof PawlError) return `${error.code} ${error.message}`
  throw new Error('No error was reported.', { cause: error })
}

test('CLI-303 decisions are printed as YAML documents in order, from a file or standard input, and nothing is kept', async () => {
  const text = [attempt(1, FAILED), attempt(2, 'pass')].join('---\n')
  const { code, look } = await piped(text)
  expect(code).toBe(0)
  expect(decisions(look).map(({ action }) => action)).toEqual(['retry', 'proceed'])
  const file = join(project.root, 'attempts.yaml')
  writeFileSync(file, text)
  const other = project.look()
  await check(other, {}, file)
  expect(other.out).toEqual(look.out)
  expect(existsSync(project.storePath)).toBe(false)
})

test('CLI-303 with --json every decision is a line of JSON', async () => {
  const { look } = await piped(attempt(2, 'pass'), {}, project.look({ json: true }))
  expect(look.documents).toEqual([
    { decision: { action: 'proceed', task_id: 'task-003', message: 'Validation passed. Proceeding to next task.' } },
  ])
})

test('SECRET-44 attempts that are kept as a run make what is in its name visible, from the first one on', async () => {
  keepSecretsOf({ CHECK_KEY: 'check-word-1' })
  expect(await redactText('check-word-1')).toBe('[redacted: CHECK_KEY]')
  for (const text of [attempt(1, FAILED), attempt(2, 'pass')])
    await piped(text.replace('task-003', 'check-word-1'), { run: 'for-check-word-1' })
  const events = await withStore(project.look(), (store) => store.read('for-check-word-1'))
  expect(events.map(({ type }) => type)).toContain('run.completed')
  expect(JSON.stringify(events)).not.toContain('[redacted')
})

test('CLI-304 the exit code is 0 for any decision; with --exit-code it tells the last one', async () => {
  const flags = { exitCode: true }
  expect((await piped(attempt(3, FAILED))).code).toBe(0)
  expect((await piped(attempt(1, 'pass'), flags)).code).toBe(0)
  expect((await piped(attempt(1, FAILED), flags)).code).toBe(10)
  expect((await piped(attempt(3, FAILED), flags)).code).toBe(3)
  expect((await piped(attempt(1, 'pass', '  review_result: { status: pending }\n'), flags)).code).toBe(3)
})

test('CLI-305 a bad document is one error with every place, after the answers to those before it', async () => {
  const look = project.look()
  const complaint = await told(piped(`${attempt(1, FAILED)}---\n${attempt(2, 'maybe')}`, {}, look))
  expect(complaint).toBe('usage.document standard input:9:26: "status" must be pass, fail or error, not the text "maybe"')
  expect(decisions(look)).toHaveLength(1)
  expect(await told(piped(`${attempt(1, FAILED)}---\n${attempt(1, FAILED)}`))).toMatch(
    /^usage\.iteration standard input:6:1: "current_iteration" of task "task-003" must be at least 2, not 1/,
  )
  expect(await told(check(look, {}, join(project.root, 'none.yaml')))).toMatch(/^usage\.no-file There is no file /)
  expect(await told(check(look, {}, undefined, Object.assign(Readable.from([]), { isTTY: true })))).toMatch(/^usage\.no-document/)
})

test('CLI-306 --run keeps the attempts: a later call continues them, and show, log and verify work on the run', async () => {
  const flags = { run: 'kept' }
  expect(decisions((await piped(attempt(1, FAILED), flags)).look)[0]?.action).toBe('retry')
  await piped(attempt(2, FAILED), flags)
  const [third] = decisions((await piped(attempt(3, FAILED), flags)).look)
  expect(third).toMatchObject({ action: 'escalate', iteration: 3 })
  expect(JSON.stringify(third)).toMatch(/Iteration 1: .*Iteration 2: .*Iteration 3: /)
  const shown = project.look({ json: true })
  expect(await show(shown, 'kept')).toBe(0)
  expect(shown.documents[0]).toMatchObject({ goal: 'task-003', status: 'escalated', iterationsDone: 3 })
  const logged = project.look()
  await log(logged, 'kept', { type: 'check.failed' })
  expect(logged.out).toHaveLength(3)
  const verified = project.look({ json: true })
  expect(await verify(verified, 'kept')).toBe(0)
  expect(verified.documents[0]).toMatchObject({ ok: true, texts: 1 })
  expect(await told(resume(project.look(), {}, 'kept'))).toContain('pawl check')
})

test('CLI-307 what a person answers holds for the attempts after it', async () => {
  const flags = { run: 'kept' }
  await piped([1, 2, 3].map((iteration) => attempt(iteration, FAILED)).join('---\n'), flags)
  await answer(project.look(), { note: 'Look at the parser.' }, 'kept', '1')
  // The answer raised the maximum, so that the fourth attempt is not the last.
  const pending = '  review_result: { status: pending }\n'
  expect(decisions((await piped(attempt(4, FAILED, pending), flags)).look)[0]?.action).toBe('retry')
  expect(decisions((await piped(attempt(5, FAILED), flags)).look)[0]?.action).toBe('retry')
  expect(decisions((await piped(attempt(6, 'pass'), flags)).look)[0]?.action).toBe('proceed')
  expect(await told(piped(attempt(7, 'pass'), flags))).toMatch(
    /usage\.task-over .*Task "task-003" is completed already in run kept/,
  )
})

test('CLI-307 a person may accept the work, or review it, by an answer', async () => {
  const failed = [1, 2, 3].map((iteration) => attempt(iteration, FAILED)).join('---\n')
  const pending = attempt(1, 'pass', '  review_result: { status: pending }\n')
  const next = async (run: string, given: string, choice: string, then: string): Promise<string | undefined> => {
    await piped(given, { run })
    await answer(project.look(), {}, run, choice)
    return decisions((await piped(then, { run })).look)[0]?.action
  }
  expect(await next('accepted', failed, 'accept', attempt(4, FAILED))).toBe('proceed')
  expect(await next('approved', pending, 'approve', pending)).toBe('proceed')
  expect(await next('rejected', pending, 'reject', pending)).toBe('retry')
  expect(await next('further', pending, 'reject', attempt(2, 'pass'))).toBe('proceed')
  const logged = project.look()
  await log(logged, 'further', { type: 'review.rejected' })
  expect(logged.out).toHaveLength(1)
  await expect(next('ended', failed, 'abort', attempt(4, FAILED))).rejects.toThrow('is aborted already in run ended')
})

test('SAFE-6 an iteration ends once: in a run, another attempt at one that was judged is refused', async () => {
  const flags = { run: 'kept' }
  const failed = [1, 2, 3].map((iteration) => attempt(iteration, FAILED)).join('---\n')
  await piped(failed, flags)
  expect(await told(piped(attempt(3, FAILED), flags))).toMatch(/usage\.iteration .*must be at least 4, not 3/)
  // The question stays open, and its answer opens the next iteration only.
  await answer(project.look(), {}, 'kept', '1')
  expect(await told(piped(attempt(3, FAILED), flags))).toMatch(/usage\.iteration/)
  await piped(attempt(4, FAILED), flags)
  const events = await withStore(project.look(), (store) => store.read('kept'))
  const ended = events.flatMap((event) => (event.type === 'iteration.ended' ? [event.data.iteration] : []))
  expect(ended).toEqual([1, 2, 3, 4])
})

test.each(['YAML', 'JSON'])('SAFE-7 a %s document of 10 MB is judged, not a stack overflow', async (kind) => {
  const output = 'FAIL a.test.ts\n\tExpected: "1"\n'.repeat(350_000)
  const document = { iteration_check: { task_id: 'big', current_iteration: 1, test_result: { status: 'fail', output } } }
  const text = kind === 'JSON' ? JSON.stringify(document) : stringify(document)
  expect(text.length).toBeGreaterThan(10 * 1024 * 1024)
  expect(decisions((await piped(text)).look)[0]?.action).toBe('retry')
})

test('CLI-308 a run keeps one task, and one that a runner drives takes no documents', async () => {
  await piped(attempt(1, FAILED), { run: 'kept' })
  expect(await told(piped(attempt(2, FAILED).replace('task-003', 'task-004'), { run: 'kept' }))).toMatch(/usage\.other-task/)
  await project.seed({ failing: [1, 1, 1, 1] })
  expect(await told(piped(attempt(4, FAILED), { run: 'fix-login' }))).toMatch(/usage\.other-run/)
  expect(await told(piped(attempt(1, FAILED), { run: '../x' }))).toMatch(/run\.bad-id/)
})

test('CLI-309 secrets in a document never reach the store', async () => {
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
  await piped(attempt(1, `fail, output: "Error: bad token ${secret}"`), { run: 'kept' })
  await withStore(project.look(), async (store) => {
    expect(JSON.stringify(await store.read('kept'))).not.toContain(secret)
  })
})

test('CLI-310 without a diff in the document, the repository’s changes are in the context, at most 20 KB of it', async () => {
  writeFileSync(join(project.root, 'work.txt'), 'something else\n')
  expect(await last()).toMatchObject({ context: { diff: expect.stringContaining('+something else') } })
  expect(await last('  diff: "--- mine"\n')).toMatchObject({ context: { diff: '--- mine' } })
  expect(JSON.stringify(await last('iteration_control: { escalation_includes_diff: false }\n'))).not.toContain('+something else')
  writeFileSync(join(project.root, 'work.txt'), 'a long line\n'.repeat(10_000))
  const long = await last()
  if (long?.action !== 'escalate') throw new Error('It did not escalate.')
  expect(Buffer.byteLength(long.context.diff ?? '')).toBe(20 * 1024)
})
