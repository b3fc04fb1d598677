import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { review } from './review.ts'

let project: TestProject
let outside: string

beforeEach(() => {
  project = testProject()
  outside = mkdtempSync(join(tmpdir(), 'pawl-held-out-'))
  writeFileSync(join(outside, 'check.sh'), 'echo "HIDDEN WORDS"; grep -q line-2 work.txt\n')
  writeFileSync(join(outside, 'plan.md'), '- [ ] The work says enough\n')
})

afterEach(async () => {
  rmSync(outside, { recursive: true })
  await project.remove()
})

/** Reviews a plan of one item, whose coder writes a line in each pass. */
async function reviewed(settings: string): Promise<readonly Event[]> {
  const coder = `sh -c 'cat > ${outside}/brief-$PAWL_ITERATION; echo line-$PAWL_ITERATION >> work.txt; echo written'`
  const approve = JSON.stringify({ verdict: 'approve', summary: 'Fine.' })
  const critic = `sh -c 'cat > /dev/null; cat ${outside}/verdict'`
  writeFileSync(join(outside, 'verdict'), approve)
  const agents = `agents:\n  alice: { command: ${JSON.stringify(coder)} }\n  critic: { command: ${JSON.stringify(critic)} }\n`
  writeFileSync(join(project.root, 'pawl.yaml'), agents + settings)
  const flags = { id: 'shop', coder: ['alice'], reviewer: 'critic', ask: false }
  expect(await review(project.look(), flags, join(outside, 'plan.md'))).toBe(0)
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read('shop')
  } finally {
    await store.close()
  }
}

const CHECK = 'checks:\n  - { name: seen, command: "grep -q line work.txt" }\n'

test('REVIEW-120 an item is not done while a held-out check fails, and its coder learns nothing else', async () => {
  const events = await reviewed(`${CHECK}held_out: ${outside}\n`)
  const made = events.flatMap((event) => (event.type === 'proof.made' ? [event.data.heldOut] : []))
  expect(made).toEqual(['failed', 'passed'])
  const brief = readFileSync(join(outside, 'brief-2'), 'utf8')
  expect(brief).toContain('a check that you cannot see fails')
  expect(brief).not.toContain('HIDDEN WORDS')
})

test('REVIEW-120 a slow check runs once the others pass, and no item is done without it', async () => {
  const events = await reviewed(`${CHECK}  - { name: slow, command: "grep -q line-2 work.txt", when: before-success }\n`)
  const ran = events.flatMap(({ type, data }) =>
    type === 'check.failed' || type === 'check.passed' ? [`${type} ${(data as { name: string }).name}`] : [],
  )
  expect(ran.slice(-4)).toEqual(['check.passed seen', 'check.failed slow', 'check.passed seen', 'check.passed slow'])
})
