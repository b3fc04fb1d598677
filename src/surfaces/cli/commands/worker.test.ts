import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { ls } from './ls.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'
import { worker } from './worker.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(async () => {
  await project.remove()
})

test('FLEET-7 a queued run is recorded and not driven; a worker drives it in a worktree of its own', async () => {
  const agentCommand = `${process.execPath} -e "require('fs').writeFileSync('work.txt', 'enough')"`
  const flags = {
    agentCommand,
    check: ['grep -q enough work.txt'],
    queue: true,
    labels: 'gpu,linux',
    priority: '2',
    id: 'queued',
  }
  const queueing = project.look()
  expect(await task(queueing, flags, ['enough'])).toBe(0)
  expect(queueing.out.join('\n')).toContain('queued is in the queue')
  const listed = project.look()
  await ls(listed)
  expect(listed.out.join('\n')).toMatch(/queued +queued +0/)
  const store = sqliteStore({ path: project.storePath })
  try {
    expect((await store.read('queued')).map(({ type }) => type)).toEqual(['run.started'])
    expect(await store.queue.list()).toMatchObject([{ run: 'queued', priority: 2 }])
    await expect(resume(project.look(), { queue: true, maxIterations: '9' }, 'queued')).rejects.toMatchObject({
      code: 'usage.queue',
    })
    await worker(project.look(), { once: true, labels: 'gpu' })
    expect(await store.queue.list()).toHaveLength(1)
    const working = project.look()
    expect(await worker(working, { once: true, slots: '2', labels: 'linux,gpu' })).toBe(0)
    expect(working.out.join('\n')).toMatch(/queued {2}started\n.*queued {2}completed: /)
    expect((await store.read('queued')).at(-1)?.type).toBe('run.completed')
    expect(await store.queue.list()).toEqual([])
  } finally {
    await store.close()
  }
  expect(readFileSync(join(project.root, 'work.txt'), 'utf8')).toBe('nothing yet\n')
})

test.each(['0', 'many', '1.5'])('FLEET-7 --slots %s is refused', async (slots) => {
  await expect(worker(project.look(), { slots })).rejects.toMatchObject({ code: 'usage.number' })
})
