import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { initialState } from '../../core/state.ts'
import type { Project } from '../../settings/find-project.ts'
import { parseConfig } from '../../settings/parse-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { researchConfig, type ResearchFlags } from './research-config.ts'
import { type ChangeFlags, reconfigured, type StartFlags } from './run-settings.ts'
import { taskConfig } from './task-config.ts'
import { type TaskRequest, taskRequest } from './task-request.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-request-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const WISH: TaskRequest = { goal: 'a', name: 'a', control: {} }
const FLAGS: StartFlags = { agent: 'claude', check: ['npm test'] }
const YAML: PawlConfig = { agents: { mine: { command: ['mine'] } }, checks: [] }

test('CLI-320 one goal is the goal; several are tasks in order, each with its own name', async () => {
  expect(await taskRequest(['Fix it'], undefined)).toEqual({ goal: 'Fix it', name: 'Fix it', control: {} })
  expect(await taskRequest(['Fix it', 'Fix it'], undefined)).toEqual({
    goal: 'Fix it; Fix it',
    name: 'Fix it',
    tasks: [
      { id: 'fix-it', goal: 'Fix it' },
      { id: 'fix-it-2', goal: 'Fix it' },
    ],
    control: {},
  })
})

test('CLI-321 tasks come from a file or from the command line, not from both and not from nowhere', async () => {
  const file = join(folder, 'todo.md')
  writeFileSync(file, '- [ ] One\n- [ ] Two\n')
  const request = await taskRequest([], file)
  expect(request).toMatchObject({ name: 'todo', tasks: [{ id: 'one' }, { id: 'two' }] })
  expect(request.goal).toContain('todo.md')
  await expect(taskRequest(['x'], file)).rejects.toThrow('put them into the file, or leave it out')
  await expect(taskRequest([], undefined)).rejects.toThrow('What is to be done?')
})

test('CLI-322 settings come from flags, then the list of tasks, then pawl.yaml', () => {
  const yaml: PawlConfig = {
    ...YAML,
    maxIterations: 9,
    feedbackMaxLength: 90,
    autoRetryOnTestFail: true,
    escalationIncludesDiff: false,
  }
  const listed: TaskRequest = { ...WISH, tasks: [{ id: 'one', goal: 'One' }], control: { maxIterations: 5 } }
  const config = taskConfig(folder, FLAGS, yaml, listed)
  expect(config.guards[0]?.settings).toEqual({ iterationsMax: 5 })
  expect(config.loop.settings).toMatchObject({
    feedbackLengthMax: 90,
    autoRetryOnTestFail: true,
    escalationIncludesDiff: false,
    tasks: [{ id: 'one', goal: 'One' }],
  })
  const flagged = taskConfig(folder, { ...FLAGS, maxIterations: '2', autoRetry: false }, yaml, listed)
  expect(flagged.guards[0]?.settings).toEqual({ iterationsMax: 2 })
  expect(flagged.loop.settings).toMatchObject({ autoRetryOnTestFail: false, autoRetryOnReviewReject: false })
})

test('CLI-323 a reviewer comes after the checks: an agent with its command, or a person', () => {
  const person = taskConfig(folder, { ...FLAGS, reviewer: 'person' }, undefined, WISH)
  expect(person.checks.slice(1)).toEqual([{ name: 'person-review', v: 1, settings: { name: 'review', review: 'person' } }])
  const agent = taskConfig(folder, FLAGS, { ...YAML, reviewer: 'mine', questioner: 'mine', protect: ['test/**'] }, WISH)
  const mine = { name: 'command', v: 1, settings: expect.objectContaining({ name: 'mine', command: ['mine'] }) }
  expect(agent.checks.slice(1)).toEqual([
    { name: 'agent-review', v: 1, settings: { name: 'review', review: 'agent', agent: mine } },
  ])
  expect(agent).toMatchObject({ questioner: mine, protect: ['test/**'] })
  const flagged = { ...FLAGS, reviewer: 'person', protect: ['a', 'b'] }
  expect(taskConfig(folder, flagged, { ...YAML, reviewer: 'mine', protect: ['c'] }, WISH)).toMatchObject({
    protect: ['a', 'b'],
    checks: [{}, { name: 'person-review' }],
  })
})

test('CLI-324 who cannot review, and a check that takes the name of the review, are refused', () => {
  expect(() => taskConfig(folder, { ...FLAGS, reviewer: 'tinker' }, undefined, WISH)).toThrow('tinker cannot review')
  expect(() => taskConfig(folder, { ...FLAGS, questioner: 'nobody' }, undefined, WISH)).toThrow('There is no agent "nobody"')
  expect(() => taskConfig(folder, { ...FLAGS, check: ['review'], reviewer: 'person' }, undefined, WISH)).toThrow(
    'A check is called "review" already',
  )
})

test('CLI-325 a resumed run keeps its reviewer when its checks or their time limits are changed', () => {
  const config = taskConfig(folder, { ...FLAGS, reviewer: 'person' }, undefined, WISH)
  const state = initialState('r', 1, 0, config)
  const names = (flags: ChangeFlags): readonly unknown[] =>
    reconfigured(state, flags, undefined).checks.map(({ settings }) => [settings['name'], settings['timeoutMs']])
  expect(names({ check: ['make'] })).toEqual([
    ['make', undefined],
    ['review', undefined],
  ])
  expect(names({ checkTimeout: '5s' })).toEqual([
    ['npm test', 5000],
    ['review', undefined],
  ])
})

test('CHECK-69 tinker runs a check with cwd in its folder too', () => {
  const checks: PawlConfig['checks'] = [{ name: 'api', command: ['npm', 'run', "it's"], cwd: 'packages/api' }]
  const { agent } = taskConfig(folder, { agent: 'tinker' }, { ...YAML, checks }, WISH)
  const line = `cd './packages/api' && 'npm' 'run' 'it'\\''s'`
  expect(agent.settings).toMatchObject({ variables: { PAWL_TINKER_CHECK_SHELL: line } })
})

test('FLAKY-13 `flaky` comes from pawl.yaml, the flag over it, and resume changes it', () => {
  expect(taskConfig(folder, FLAGS, YAML, WISH).proof).toBeUndefined()
  expect(taskConfig(folder, FLAGS, { ...YAML, flaky: 'ask' }, WISH).proof).toEqual({ flaky: 'ask' })
  const config = taskConfig(folder, { ...FLAGS, flaky: 'ignore' }, { ...YAML, flaky: 'ask' }, WISH)
  expect(config.proof).toEqual({ flaky: 'ignore' })
  expect(reconfigured(initialState('r', 1, 0, config), { flaky: 'retry' }, YAML).proof).toEqual({ flaky: 'retry' })
})

test('CLI-510 resume takes the flags of the proof, but not for research', () => {
  const config = taskConfig(folder, { ...FLAGS, mayChange: ['a'] }, { ...YAML, requireProof: 'red-to-green' }, WISH)
  const state = initialState('r', 1, 0, config)
  expect(reconfigured(state, { acceptUnproven: true }, YAML).proof).toEqual({ mayChange: ['a'], require: 'unproven' })
  expect(reconfigured(state, {}, YAML)).toBe(config)
  const research = { ...config, loop: { ...config.loop, name: 'research' } }
  const asked = initialState('r', 1, 0, research)
  expect(() => reconfigured(asked, { acceptUnproven: true }, YAML)).toThrow("aren't for research")
})

test('BOX-23 roles and checks have isolations of their own: flags over pawl.yaml', () => {
  const text =
    'isolation: sandbox\nrole_isolation: { test_writer: none, reviewer: none }\nchecks:\n  - { name: tests, command: a, isolation: none }\n'
  const written = { ...YAML, ...parseConfig(text, 'pawl.yaml') }
  const flags = { ...FLAGS, roleIsolation: ['reviewer=sandbox'] }
  const { isolation, isolations, checks } = taskConfig(folder, flags, written, WISH)
  expect([isolation?.name, isolations?.checks]).toEqual(['sandbox', { tests: 'none' }])
  expect(isolations?.roles).toMatchObject({ test_writer: 'none', reviewer: { name: 'sandbox' } })
  expect(checks[0]?.settings).not.toHaveProperty('isolation')
  const project = { root: folder, configPath: '', storePath: join(folder, '.pawl', 'pawl.db') } as Project
  const research = (more: ResearchFlags) => researchConfig(project, more, written, { goal: 'Why?', overrides: {} })
  expect(research({ agent: 'claude' })).toMatchObject({ isolation: { name: 'sandbox' } })
  expect(research({ agent: 'claude', isolation: 'none' })).not.toHaveProperty('isolation')
  // The explorer is Pawl itself.
  expect(research({ offline: true })).not.toHaveProperty('isolation')
  expect(() => taskConfig(folder, { ...FLAGS, roleIsolation: ['reviewer=worktree'] }, written, WISH)).toThrow('ROLE=KIND')
})

test('BOX-22 a worktree as isolation is the workspace’s own, and a contradiction is refused', () => {
  const root = process.cwd()
  const { workspace, isolation } = taskConfig(root, FLAGS, { ...YAML, isolation: 'worktree' }, WISH)
  expect([workspace.settings['worktree'], isolation]).toEqual([true, undefined])
  const both = taskConfig(root, { ...FLAGS, isolation: 'sandbox' }, { ...YAML, worktree: true }, WISH)
  expect([both.workspace.settings['worktree'], both.isolation?.name]).toEqual([true, 'sandbox'])
  expect(() => taskConfig(root, FLAGS, { ...YAML, isolation: 'worktree', worktree: false }, WISH)).toThrow('contradict')
})
