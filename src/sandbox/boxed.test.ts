import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandAgent } from '../agents/command-agent.ts'
import { commandCheck } from '../checks/command-check.ts'
import { maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { sqliteStore } from '../stores/sqlite-store.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { sandbox } from './sandbox.ts'

const trouble = await sandbox().ready()

function loopIn(given: Partial<LoopOptions>) {
  const root = mkdtempSync(join(homedir(), '.pawl-boxed-test-'))
  writeFileSync(join(root, 'work.txt'), 'nothing yet\n')
  const store = sqliteStore({ path: join(root, '.pawl', 'pawl.db') })
  onTestFinished(async () => {
    await store.close()
    rmSync(root, { recursive: true })
  })
  const loop = createLoop({
    loop: taskLoop({ goal: 'Fill the file' }),
    guards: [maxIterations(2)],
    agent: commandAgent({ name: 'coder', command: 'cat > brief.txt; echo x > /etc/pawl-refused; true', shell: true }),
    checks: [commandCheck({ name: 'tests', command: ['grep', 'done', 'work.txt'] })],
    workspace: folderWorkspace({ path: root }),
    store,
    ...given,
  })
  return { root, loop }
}

test('BOX-13 a refusal is an event of its own while the agent works, and reaches the brief and the question with its line', async ({
  skip,
}) => {
  if (trouble) return skip(trouble.message)
  const { root, loop } = loopIn({ isolation: sandbox() })
  const result = await loop.run('refused')
  const question = result.status === 'escalated' ? result.question : undefined
  const events = await loop.events('refused')
  const types = events.map(({ type }) => type)
  expect(events.find(({ type }) => type === 'box.refused')).toMatchObject({
    by: { role: 'runner' },
    data: { what: 'write', name: '/etc/pawl-refused', allow: '/etc' },
  })
  expect(types.indexOf('box.refused')).toBeGreaterThan(types.indexOf('work.started'))
  expect(types.indexOf('box.refused')).toBeLessThan(types.indexOf('work.finished'))
  expect(types.filter((type) => type === 'box.refused')).toHaveLength(2)
  expect(events.find(({ type }) => type === 'work.finished')?.data).not.toHaveProperty('refused')
  const line = 'sandbox: { writable: [/etc] }'
  expect(readFileSync(join(root, 'brief.txt'), 'utf8')).toContain(line)
  expect(question?.text).toContain('a write to /etc/pawl-refused')
  expect(JSON.stringify(question)).toContain(line)
})
