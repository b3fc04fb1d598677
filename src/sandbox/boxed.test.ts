import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandAgent } from '../agents/command-agent.ts'
import { agentReview } from '../checks/agent-review.ts'
import { commandCheck } from '../checks/command-check.ts'
import { isolationOfRole } from '../core/run-config.ts'
import { maxIterations } from '../guards/index.ts'
import { taskLoop } from '../loops/task/index.ts'
import { createLoop, type LoopOptions } from '../surfaces/library/create-loop.ts'
import { sqliteStore } from '../stores/sqlite-store.ts'
import { folderWorkspace } from '../workspaces/folder-workspace.ts'
import { sandbox } from './sandbox.ts'
import { wrapper } from './wrapper.ts'

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

const REVIEWER = `cat > /dev/null; echo '{"verdict": "approve", "summary": "fine", "items": []}'`

test('BOX-23 a role and a check can have an isolation of their own, and the journal has what each was in', async ({ skip }) => {
  if (trouble) return skip(trouble.message)
  const reviewer = commandAgent({ name: 'judge', command: REVIEWER, shell: true })
  const { loop } = loopIn({
    agent: commandAgent({ name: 'coder', command: 'cat > brief.txt; echo done > work.txt', shell: true }),
    checks: [
      commandCheck({ name: 'tests', command: ['grep', 'done', 'work.txt'] }),
      commandCheck({ name: 'outside', command: ['true'] }),
      agentReview({ agent: reviewer }),
    ],
    isolation: sandbox(),
    isolations: { roles: { reviewer: wrapper({ command: ['env'] }) }, checks: { outside: 'none' } },
  })
  expect(await loop.run('own')).toMatchObject({ status: 'completed' })
  const boxes = (await loop.events('own')).flatMap(({ type, data }) => {
    const { name = 'coder', box } = data as { readonly name?: string; readonly box?: { readonly isolation: string } }
    return ['work.started', 'check.started', 'review.started'].includes(type) ? [`${name} ${box?.isolation ?? 'none'}`] : []
  })
  expect([...new Set(boxes)].toSorted()).toEqual(['coder sandbox', 'outside none', 'review command', 'tests sandbox'])
})

test('BOX-23 a role whose isolation does not work is an error before any work', async () => {
  const { root, loop } = loopIn({ isolations: { roles: { planner: wrapper({ command: ['no-such-wrapper'] }) } } })
  const result = await loop.run('missing')
  expect(JSON.stringify(result)).toContain('no-such-wrapper')
  expect(existsSync(join(root, 'brief.txt'))).toBe(false)
})

function of(loop: string, role: string, roles: Readonly<Record<string, string>>): string | undefined {
  return isolationOfRole(loop, role, { isolation: 'all', isolations: { roles } })
}

test('BOX-23 a role has its own isolation, else that of its kind, else the run’s', () => {
  expect(of('task', 'coder', {})).toBe('all')
  expect(of('review', 'coder_b', { coder: 'a', coder_b: 'b' })).toBe('b')
  expect(of('review', 'coder_b', { coder: 'a' })).toBe('a')
  expect(of('review', 'planner', { coder: 'a' })).toBe('all')
  expect(of('task', 'test_writer', { test_writer: 'none' })).toBeUndefined()
  expect(of('research', 'fast:explore', { research: 'r' })).toBe('r')
  expect(of('research', 'fast:explore', { explore: 'e', research: 'r' })).toBe('e')
})
