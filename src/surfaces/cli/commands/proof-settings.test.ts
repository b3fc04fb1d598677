import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { ralph } from './ralph.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(() => project.remove())

const WORK = { agentCommand: 'sh -c "echo more >> work.txt"', ask: false }

async function events(run: string): Promise<readonly Event[]> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read(run)
  } finally {
    await store.close()
  }
}

async function proofOf(run: string): Promise<object | undefined> {
  return (await events(run)).findLast((event) => event.type === 'proof.made')?.data
}

test('CLI-510 with --accept-unproven a pass that nothing proves is done, where Pawl asks otherwise', async () => {
  const flags = { ...WORK, check: ['true'] }
  expect(await task(project.look(), { ...flags, id: 'asks' }, ['work'])).toBe(3)
  expect(await proofOf('asks')).toMatchObject({ level: 'unproven' })
  expect(await task(project.look(), { ...flags, id: 'done', acceptUnproven: true }, ['work'])).toBe(0)
  expect(await task(project.look(), { ...flags, id: 'done-too', requireProof: 'unproven' }, ['work'])).toBe(0)
  const resumed = { answer: 'continue', note: 'once more', acceptUnproven: true, ask: false }
  expect(await resume(project.look(), resumed, 'asks')).toBe(0)
})

test('CLI-511 the settings of pawl.yaml are recorded with the run, and flags override them', async () => {
  writeFileSync(join(project.root, 'pawl.yaml'), 'tests: ["checks/**"]\nmay_change: [test/a]\nrequire_proof: red-to-green\n')
  const flags = { ...WORK, check: ['true'], mayChange: ['test/b'], acceptUnproven: true }
  const wanted = { tests: ['checks/**'], mayChange: ['test/b'], require: 'unproven' }
  await task(project.look(), { ...flags, id: 'task' }, ['work'])
  await ralph(project.look(), { ...flags, id: 'ralph', prompt: 'work', maxIterations: '1' })
  for (const run of ['task', 'ralph']) expect((await events(run))[0]?.data).toMatchObject({ config: { proof: wanted } })
})

function checkWith(more: string): string {
  return `checks: [{ name: more, command: "grep -q more work.txt"${more} }]\n`
}

/** A text turned the check green, so the files as they were are tried too. */
const IN_A_COPY = [
  { cell: 'old-tests-new-code', passed: true, place: expect.stringMatching(/mount|copy/) },
  { cell: 'old-tests-old-code', passed: false, place: expect.stringMatching(/mount|copy/) },
]

test('CHECK-70 a check with `room: false` is proved in the workspace, any other in a fresh copy', async () => {
  writeFileSync(join(project.root, 'pawl.yaml'), checkWith(''))
  expect(await task(project.look(), { ...WORK, id: 'copy' }, ['work'])).toBe(0)
  expect(await proofOf('copy')).toMatchObject({ level: 'red-to-green', cells: IN_A_COPY })
  writeFileSync(join(project.root, 'work.txt'), 'nothing yet\n')
  writeFileSync(join(project.root, 'pawl.yaml'), checkWith(', room: false'))
  expect(await task(project.look(), { ...WORK, id: 'place' }, ['work'])).toBe(0)
  expect(await proofOf('place')).toMatchObject({ level: 'red-to-green', cells: [{ place: 'workspace' }] })
})

test('CHECK-69 a check with `cwd` runs in that folder, in the workspace and in a fresh copy', async () => {
  mkdirSync(join(project.root, 'packages/api'), { recursive: true })
  writeFileSync(join(project.root, 'packages/api/api.txt'), 'nothing yet\n')
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    'checks: [{ name: more, command: "grep -q more api.txt", cwd: packages/api/ }]\n',
  )
  const flags = { ...WORK, agentCommand: 'sh -c "echo more >> packages/api/api.txt"', id: 'below' }
  expect(await task(project.look(), flags, ['work'])).toBe(0)
  expect(await proofOf('below')).toMatchObject({ level: 'red-to-green', cells: IN_A_COPY })
})
