import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'

const VERDICT = JSON.stringify(JSON.stringify({ verdict: 'approve', summary: 'Good.' }))
const APPROVED = `cat <<'END'
{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"text","text":${VERDICT}}]}}
{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":${VERDICT}}
END`

let project: TestProject
beforeEach(() => {
  project = testProject()
  program('worker', 'echo done > work.txt')
  // Too slow for the first limit, and not so slow the second time that anybody has to wait; what it leaves among the files is put back.
  program('slow', `if [ -f .git/slow ]; then sleep 2; else touch .git/slow; sleep 60; fi\n${APPROVED}`)
  program('quick', APPROVED)
  writeFileSync(
    join(project.root, 'pawl.yaml'),
    `agent: worker
agents:
  worker: { command: ./worker }
  slow: { driver: claude, program: ./slow }
  quick: { driver: claude, program: ./quick }
checks: [{ name: t, command: "grep -q done work.txt" }]
`,
  )
})
afterEach(() => project.remove())

function program(name: string, script: string): void {
  writeFileSync(join(project.root, name), `#!/bin/sh\ncat > /dev/null\n${script}\n`)
  chmodSync(join(project.root, name), 0o755)
}

async function timedOut() {
  const context = project.look()
  const flags = { id: 'r', ask: false, reviewer: 'slow', timeout: '1s' }
  expect(await task(context, flags, ['work.txt says done'])).toBe(EXIT.setUp)
  return context
}

async function changes(): Promise<readonly string[]> {
  const store = sqliteStore({ path: project.storePath })
  const events = await store.read('r')
  await store.close()
  return events.flatMap((event) => (event.type === 'run.reconfigured' ? [event.data.message] : []))
}

describe('a reviewer that takes too long', () => {
  it('CLI-422 is ended at --timeout, the card says what changes that, and more time does', async () => {
    const { out } = await timedOut()
    const card = out.join(' ').replaceAll(/\s+/g, ' ')
    expect(card).toContain('Give it more time, or choose another reviewer.')
    expect(card).toContain('pawl resume r --reviewer NAME (an agent of pawl.yaml, or person), or --timeout 1h')
    expect(card).not.toContain('--check')
    expect(await resume(project.look(), { timeout: '20s', ask: false }, 'r')).toBe(EXIT.done)
    expect(await changes()).toEqual(['Changed: agent, checks.'])
  })

  it('CLI-422 is replaced by another with resume --reviewer', async () => {
    await timedOut()
    const after = project.look()
    expect(await resume(after, { reviewer: ['quick'], ask: false }, 'r')).toBe(EXIT.done)
    expect(await changes()).toEqual(['Changed: checks.'])
    expect(after.out).toContain('  1/3  the reviewer quick is working')
  })

  it('CLI-423 is shown at work when the agent no longer is', async () => {
    const { out } = await timedOut()
    expect(out.filter((line) => line.includes('is working'))).toEqual([
      '  1/3  worker is working',
      '  1/3  the reviewer slow is working',
    ])
  })
})
