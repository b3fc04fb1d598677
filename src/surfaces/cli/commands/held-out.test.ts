import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Event } from '../../../core/event.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { show } from './show.ts'
import { task } from './task.ts'

let project: TestProject
let outside: string

beforeEach(() => {
  project = testProject()
  outside = mkdtempSync(join(tmpdir(), 'pawl-held-out-'))
  mkdirSync(join(outside, 'hidden'))
  writeFileSync(join(outside, 'hidden/wanted.txt'), 'line-2\n')
  writeFileSync(join(outside, 'check.sh'), 'echo "HIDDEN WORDS"; grep -qf hidden/wanted.txt work.txt\n')
})

afterEach(async () => {
  rmSync(outside, { recursive: true })
  await project.remove()
})

async function events(run: string): Promise<readonly Event[]> {
  const store = sqliteStore({ path: project.storePath })
  try {
    return await store.read(run)
  } finally {
    await store.close()
  }
}

function write(check: string, heldOut = outside): void {
  writeFileSync(join(project.root, 'pawl.yaml'), `held_out: ${heldOut}\nchecks: [{ name: seen, command: "${check}" }]\n`)
}

const FLAGS = { agentCommand: "sh -c 'cat > brief-$PAWL_ITERATION; echo line-$PAWL_ITERATION >> work.txt'", ask: false }

test('PROOF-18 a held-out check that fails is a failed iteration, and the agent learns nothing else of it', async () => {
  write('grep -q line work.txt')
  expect(await task(project.look(), { ...FLAGS, id: 'held' }, ['work'])).toBe(0)
  const made = (await events('held')).filter((event) => event.type === 'proof.made').map(({ data }) => data)
  expect(made).toMatchObject([
    { heldOut: 'failed', findings: [{ code: 'held-out-fails', count: 1 }] },
    { heldOut: 'passed', findings: [], level: 'red-to-green' },
  ])
  const brief = readFileSync(join(project.root, 'brief-2'), 'utf8')
  expect(brief).toContain('a check that you cannot see fails')
  for (const name of readdirSync(project.root, { recursive: true, encoding: 'utf8' }).filter((each) => !each.startsWith('.git/')))
    expect(textOf(join(project.root, name))).not.toMatch(/HIDDEN WORDS|wanted\.txt/)
  const look = project.look()
  await show(look, 'held')
  expect(look.out.join('\n')).toContain('HIDDEN WORDS')
})

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

test('PROOF-18 one that fails on the start and passes now proves the work, where the other checks passed before', async () => {
  write('true')
  expect(await task(project.look(), { ...FLAGS, id: 'green' }, ['work'])).toBe(0)
  const proof = (await events('green')).findLast((event) => event.type === 'proof.made')?.data
  expect(proof).toMatchObject({ level: 'red-to-green', turned: ['held-out'], heldOut: 'passed' })
})

test('PROOF-18 a folder inside the project, or without check.sh, is asked about', async () => {
  write('grep -q line work.txt', join(outside, 'hidden'))
  expect(await task(project.look(), { ...FLAGS, id: 'none' }, ['work'])).toBe(7)
  expect((await events('none')).find(({ type }) => type === 'check.errored')?.data).toMatchObject({
    message: expect.stringContaining('There is no check.sh in'),
  })
})
