import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
  writeFileSync(join(project.root, '.gitignore'), 'made\n.pawl\n')
})

afterEach(() => project.remove())

const FLAGS = { agentCommand: 'sh -c "echo more >> work.txt"', ask: false }

async function events(run: string): Promise<readonly Event[]> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read(run)
  } finally {
    await store.close()
  }
}

async function prepared(run: string): Promise<readonly unknown[]> {
  return (await events(run)).filter(({ type }) => type.startsWith('prepare.')).map(({ type, data }) => ({ type, ...data }))
}

function write(prepare: string, check = 'cat made/it && grep -q more work.txt'): void {
  const text = `prepare:\n  - ${prepare}\nchecks: [{ name: more, command: "${check}" }]\n`
  writeFileSync(join(project.root, 'pawl.yaml'), text)
}

const MAKES = 'command: "mkdir made && echo x > made/it"'

test('PROOF-16 `prepare` runs once in a worktree before the first look, and in each fresh copy that lacks what it makes', async () => {
  write(`{ ${MAKES}, unless: made }`)
  expect(await task(project.look(), { ...FLAGS, id: 'tree', worktree: true }, ['work'])).toBe(0)
  // The copies of a proof have the worktree's ignored files.
  expect(await prepared('tree')).toMatchObject([{ type: 'prepare.started' }, { type: 'prepare.finished', key: '0/observe/0' }])
  expect(existsSync(join(project.root, 'made'))).toBe(false)
  const all = await events('tree')
  expect(all.findIndex(({ type }) => type === 'prepare.finished')).toBeLessThan(
    all.findIndex(({ type }) => type === 'workspace.observed'),
  )
})

test('PROOF-16 without `unless` it runs in every copy of a proof, and in your own folder never', async () => {
  mkdirSync(join(project.root, 'made'))
  writeFileSync(join(project.root, 'made/it'), 'x')
  write('echo run >> made/it')
  expect(await task(project.look(), { ...FLAGS, id: 'own' }, ['work'])).toBe(0)
  expect(await prepared('own')).toMatchObject([
    { type: 'prepare.started', cell: 'old-tests-new-code', command: 'echo run >> made/it' },
    { type: 'prepare.finished', cell: 'old-tests-new-code' },
    // A text turned the check green, so the files as they were are tried too.
    { type: 'prepare.started', cell: 'old-tests-old-code' },
    { type: 'prepare.finished', cell: 'old-tests-old-code' },
  ])
  expect(readFileSync(join(project.root, 'made/it'), 'utf8')).toBe('x')
})

test('PROOF-17 a `prepare` that fails is no failed check: Pawl asks, and continues when it is fixed', async () => {
  write('sh ../ready.sh', 'grep -q more work.txt')
  const look = project.look()
  expect(await task(look, { ...FLAGS, id: 'fails' }, ['work'])).toBe(7)
  const [, failed] = await prepared('fails')
  expect(failed).toMatchObject({ type: 'prepare.failed', key: '1/proof/0', cell: 'old-tests-new-code', fault: 'environment' })
  const all = await events('fails')
  expect(all.filter(({ type }) => type === 'check.failed')).toHaveLength(1)
  expect(all.find(({ type }) => type === 'escalation.raised')?.data).toMatchObject({
    message: expect.stringContaining("A command of `prepare` couldn't run: "),
  })
  expect(look.out.join('\n')).toContain('Run it yourself to see more, or correct `prepare` in pawl.yaml.')
  const flags = { answer: 'continue', prepare: ['true'], ask: false }
  expect(await resume(project.look(), flags, 'fails')).toBe(0)
})

test('PROOF-17 a worktree that cannot be made ready asks before any work', async () => {
  write('exit 7')
  expect(await task(project.look(), { ...FLAGS, id: 'fails', worktree: true }, ['work'])).toBe(7)
  expect((await events('fails')).map(({ type }) => type)).not.toContain('work.started')
  expect((await prepared('fails'))[1]).toMatchObject({ key: '0/observe/0', message: '`exit 7` ended with exit code 7.' })
})
