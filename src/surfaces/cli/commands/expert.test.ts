import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commandAgent } from '../../../agents/command-agent.ts'
import { commandCheck } from '../../../checks/command-check.ts'
import { memoryStore } from '../../../stores/memory-store.ts'
import { folderWorkspace } from '../../../workspaces/folder-workspace.ts'
import { circuitBreaker } from '../../../guards/index.ts'
import { taskLoop } from '../../../loops/task/index.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import type { Agent } from '../../../agents/agent.ts'
import { createLoop } from '../../library/create-loop.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { answer } from './answer.ts'
import { log } from './log.ts'
import { show } from './show.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject({ isGit: false })
})
afterEach(() => project.remove())

const CONFIG = `
agent: novice
agents:
  novice: { command: "echo try >> work.txt", shell: true }
  master: { command: "echo done >> work.txt", shell: true }
checks: [{ name: done, command: "grep -q done work.txt" }]
max_iterations: 2
experts: { max_iterations: master }
`

test('STATS-31 the expert of pawl.yaml does the work after a person put it there, also in another process', async () => {
  writeFileSync(join(project.root, 'pawl.yaml'), CONFIG)
  expect(await task(project.look(), { id: 'hard', ask: false }, ['Get it done'])).toBe(3)
  expect(await answer(project.look(), {}, 'hard', 'expert')).toBe(0)
  const done = project.look()
  const { resume } = await import('./resume.ts')
  expect(await resume(done, { ask: false }, 'hard')).toBe(0)
  const events = project.look({ json: true })
  await log(events, 'hard', { type: 'work.finished' })
  const by = (events.documents as { by: { name: string } }[]).map((event) => event.by.name)
  expect(by).toEqual(['novice', 'novice', 'master'])
  const shown = project.look({ json: true })
  await show(shown, 'hard')
  expect(shown.documents[0]).toMatchObject({ status: 'completed', config: { agent: expect.stringContaining('master') } })
})

test('STATS-32 an expert that is no agent, or for a guard there is not, is refused with its place', async () => {
  writeFileSync(join(project.root, 'pawl.yaml'), 'experts:\n  same_failure: nobody\n  same_failur: codex\n')
  await expect(loadConfig(join(project.root, 'pawl.yaml'))).rejects.toThrow(
    /pawl\.yaml:2:17: there is no agent "nobody".*\n.*pawl\.yaml:3:3: unknown key "same_failur".*same_failure/,
  )
})

function writer(name: string): Agent {
  return commandAgent({ name, command: `echo ${name} >> work.txt`, shell: true })
}

test('STATS-31 a program has its experts among its own agents', async () => {
  const loop = createLoop({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [circuitBreaker({ failuresMax: 1 })],
    agent: writer('novice'),
    experts: { circuitBreaker: writer('master') },
    checks: [commandCheck({ name: 'done', command: 'grep -q master work.txt', shell: true })],
    proof: { require: 'unproven' },
    workspace: folderWorkspace({ path: project.root }),
    store: memoryStore(),
  })
  expect(await loop.run('hard')).toMatchObject({ status: 'escalated' })
  await loop.answer('hard', { choice: 'expert' })
  expect(await loop.run('hard')).toMatchObject({ status: 'completed', iterations: 2 })
  expect(await loop.run('other')).toMatchObject({ status: 'completed' })
})

test('STATS-23 a program calls a guard wrong: the run continues once, and the fact is there', async () => {
  const loop = createLoop({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards: [circuitBreaker({ failuresMax: 1 })],
    agent: writer('novice'),
    checks: [commandCheck({ name: 'twice', command: 'test "$(grep -c novice work.txt)" = 2', shell: true })],
    workspace: folderWorkspace({ path: project.root }),
    store: memoryStore(),
  })
  expect(await loop.run('wrong')).toMatchObject({ status: 'escalated' })
  await expect(loop.dispute('wrong', 'maxIterations')).rejects.toMatchObject({ code: 'usage.guard-limit' })
  await loop.dispute('wrong', 'circuitBreaker', 'It had only begun.')
  expect(await loop.run('wrong')).toMatchObject({ status: 'completed', iterations: 2 })
  const disputed = (await loop.events('wrong')).filter(({ type }) => type === 'guard.disputed')
  expect(disputed.map(({ data }) => data)).toEqual([{ guard: 'circuitBreaker', note: 'It had only begun.' }])
})
