import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectingContext } from '../../../test/support/collecting-context.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import { ralph } from '../cli/commands/ralph.ts'

let project: SessionProject
let outside: string

beforeEach(() => {
  project = sessionProject()
  outside = mkdtempSync(join(tmpdir(), 'pawl-held-out-'))
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  project.remove()
  rmSync(outside, { recursive: true })
})

const STOP = { hook_event_name: 'Stop', last_assistant_message: 'Done.\n<promise>COMPLETE</promise>' }
const stop = async () => (await project.call('claude', STOP)).answer

async function begin(settings: string, check = 'grep -q done work.txt'): Promise<void> {
  project.write('pawl.yaml', `agent: claude\nchecks:\n  - { name: seen, command: "${check}" }\n${settings}`)
  await ralph(collectingContext(project.root), { prompt: 'x', id: 'r', bind: true })
}

test('HOOK-99 a held-out check that fails keeps the session going, and it learns nothing else', async () => {
  mkdirSync(join(outside, 'hidden'))
  writeFileSync(join(outside, 'hidden/wanted.txt'), 'perfect\n')
  writeFileSync(join(outside, 'check.sh'), 'echo "HIDDEN WORDS"; grep -qf hidden/wanted.txt work.txt\n')
  await begin(`held_out: ${outside}\n`)
  project.write('work.txt', 'done\n')
  const kept = await stop()
  expect(kept).toMatchObject({ decision: 'block', reason: expect.stringContaining('a check that you cannot see fails') })
  expect(JSON.stringify(kept)).not.toMatch(/HIDDEN WORDS|wanted\.txt|perfect/)
  project.write('work.txt', 'done, perfect\n')
  expect((await stop())['systemMessage']).toContain('completed')
})

test('HOOK-99 a slow check runs once the others pass, and nothing is done without it', async () => {
  await begin('  - { name: slow, command: "grep -q perfect work.txt", when: before-success }\n')
  expect(await stop()).toMatchObject({ decision: 'block' })
  expect((await project.state('r'))?.recent.at(-1)).toMatchObject({ checksNotRun: ['slow'] })
  project.write('work.txt', 'done\n')
  expect(await stop()).toMatchObject({ decision: 'block', reason: expect.stringContaining('slow') })
  project.write('work.txt', 'done, perfect\n')
  expect((await stop())['systemMessage']).toContain('completed')
})

test('HOOK-99 an answer that adds a check takes effect at the next stop, on the work that is there', async () => {
  await begin('baseline: true\n', 'true')
  project.write('work.txt', 'done\n')
  expect((await stop())['systemMessage']).toContain('pawl answer r')
  await project.answer('r', 'check', 'grep -q done work.txt')
  expect((await stop())['systemMessage']).toContain('completed')
  const state = await project.state('r')
  expect(state).toMatchObject({ status: 'completed', current: { number: 1, proof: { level: 'red-to-green' } } })
})
