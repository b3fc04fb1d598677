import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { ralph } from './ralph.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(() => project.remove())

async function events(run: string): Promise<readonly Event[]> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read(run)
  } finally {
    await store.close()
  }
}

/** Which checks ran in the workspace, iteration by iteration. */
async function ran(run: string): Promise<readonly string[]> {
  const found = (await events(run)).filter(({ type }) => type === 'check.passed' || type === 'check.failed')
  return found.map(({ data }) => `${(data as { key: string }).key.split('/')[0]} ${(data as { name: string }).name}`)
}

/** The first iteration gets the unit tests right, the second the rest. */
const AGENT = "sh -c 'echo unit-$PAWL_ITERATION >> work.txt'"

function write(yaml: string): void {
  writeFileSync(join(project.root, 'pawl.yaml'), yaml)
}

const CHECKS = `checks:
  - { name: slow, command: "grep -q unit-2 work.txt", when: before-success }
  - { name: unit, command: "grep -q unit work.txt" }
`

test('CHECK-80 a check with `when: before-success` runs only once the others pass, and no success comes without it', async () => {
  write(CHECKS)
  expect(await task(project.look(), { agentCommand: AGENT, id: 'tiers', ask: false }, ['work'])).toBe(0)
  expect(await ran('tiers')).toEqual(['0 unit', '1 unit', '1 slow', '2 unit', '2 slow'])
  const proof = (await events('tiers')).findLast((event) => event.type === 'proof.made')?.data
  // A text turned a check green, so the files as they were are tried too.
  const cells = [{ check: 'unit' }, { check: 'slow' }, { check: 'unit', cell: 'old-tests-old-code' }]
  expect(proof).toMatchObject({ level: 'red-to-green', cells })
})

test('CHECK-80 what was not run is in the journal, on the card and in the brief', async () => {
  write(CHECKS.replace('grep -q unit work', 'grep -q never work'))
  const context = project.look()
  expect(await task(context, { agentCommand: AGENT, id: 'tiers', ask: false, maxIterations: '1' }, ['work'])).toBe(3)
  const all = await events('tiers')
  expect(all.find(({ type }) => type === 'iteration.ended')?.data).toMatchObject({ checksNotRun: ['slow'] })
  const raised = all.find(({ type }) => type === 'escalation.raised')?.data
  expect(JSON.stringify(raised)).toContain('slow not run')
})

test('CHECK-80 so it is in the Ralph loop', async () => {
  write(CHECKS)
  const promises = 'sh -c \'echo unit-$PAWL_ITERATION >> work.txt; echo "<promise>COMPLETE</promise>"\''
  expect(await ralph(project.look(), { agentCommand: promises, id: 'ralph', prompt: 'work', maxIterations: '3' })).toBe(0)
  expect(await ran('ralph')).toEqual(['0 unit', '1 unit', '1 slow', '2 unit', '2 slow'])
  expect(readFileSync(join(project.root, 'work.txt'), 'utf8')).toContain('unit-2')
})
