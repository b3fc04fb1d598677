import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { git, type Look, testProject, type TestProject } from '../support/cli-project.ts'
import type { SealedEvent } from '../../src/stores/store.ts'
import { withStore } from '../../src/surfaces/cli/cli-context.ts'
import { abort } from '../../src/surfaces/cli/commands/abort.ts'
import { answer } from '../../src/surfaces/cli/commands/answer.ts'
import { parallelTasks, race } from '../../src/surfaces/cli/commands/parallel.ts'
import { resume } from '../../src/surfaces/cli/commands/resume.ts'
import { task } from '../../src/surfaces/cli/commands/task.ts'
import { startPawl } from './pawl-process.ts'
import { seededNumbers } from './seeded-numbers.ts'

let project: TestProject
let state: string
const before = process.env['PAWL_STATE_DIR']

beforeEach(() => {
  project = testProject()
  state = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-state-')))
  process.env['PAWL_STATE_DIR'] = state
})

afterEach(async () => {
  if (before === undefined) delete process.env['PAWL_STATE_DIR']
  else process.env['PAWL_STATE_DIR'] = before
  await project.remove()
  rmSync(state, { recursive: true, force: true })
})

/** Writes files and commits them. */
function given(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project.root, path)), { recursive: true })
    writeFileSync(join(project.root, path), text)
  }
  git(project.root, 'add', '.')
  git(project.root, '-c', 'user.name=Test', '-c', 'user.email=test@example.org', 'commit', '--quiet', '--message', 'Files')
}

/** An agent that does what the shell says for the goal that its brief begins with. Kept outside the project. */
function agent(cases: Readonly<Record<string, string>>, name = 'agent.sh'): string {
  const path = join(state, name)
  const arms = Object.entries(cases).map(([goal, script]) => `*"${goal}"*)\n${script}\n;;`)
  writeFileSync(
    path,
    `#!/bin/sh\nbrief=$(cat)\necho "$PAWL_PORT_FIRST $PAWL_PORT_LAST" >> ${state}/ports\ncase "$brief" in\n${arms.join('\n')}\nesac\n`,
  )
  chmodSync(path, 0o755)
  return path
}

function tests(file: string, name: string, imports: string, assertion: string): Readonly<Record<string, string>> {
  return {
    [file]: `import { test } from 'node:test'\nimport assert from 'node:assert'\n${imports}\ntest('${name}', () => ${assertion})\n`,
  }
}

const ADD = {
  'add.mjs': 'export const add = (a, b) => a - b\n',
  ...tests('add.test.mjs', 'adds', "import { add } from './add.mjs'", 'assert.equal(add(2, 3), 5)'),
}
const MUL = {
  'mul.mjs': 'export const mul = (a, b) => a + b\n',
  ...tests('mul.test.mjs', 'multiplies', "import { mul } from './mul.mjs'", 'assert.equal(mul(2, 3), 6)'),
}
const FIX_ADD = "sed -i 's/a - b/a + b/' add.mjs"
const FIX_MUL = "sed -i 's/a + b/a * b/' mul.mjs"

const CHECK = ['node --test']

async function run(goals: readonly string[], flags: object = {}): Promise<{ readonly code: number; readonly look: Look }> {
  const look = project.look({ columns: 100 })
  const code = await task(look, { id: 'todo', check: CHECK, ask: false, parallel: '2', ...flags }, goals)
  return { code, look }
}

async function events(id = 'todo'): Promise<readonly SealedEvent[]> {
  return withStore(project.look(), (store) => store.read(id))
}

async function told(type: string, id = 'todo'): Promise<readonly Record<string, unknown>[]> {
  return (await events(id)).filter((event) => event.type === type).map(({ data }) => data as unknown as Record<string, unknown>)
}

/** A file as the result has it. */
function result(path: string): string {
  return git(project.root, 'show', `pawl/todo:${path}`)
}

/** Runs the tests on the result, in a folder of their own. */
function testResult(branch = 'pawl/todo'): void {
  const folder = join(state, 'result')
  git(project.root, 'worktree', 'add', '--quiet', '--detach', folder, branch)
  execFileSync('node', ['--test'], { cwd: folder, env: { PATH: process.env['PATH'] ?? '' } })
}

test('PAR-1 tasks work at the same time in worktrees of their own, and the second is merged and proven again', async () => {
  given({ ...ADD, ...MUL })
  const head = git(project.root, 'rev-parse', 'HEAD')
  const { code, look } = await run(['add adds', 'mul multiplies'], {
    agentCommand: agent({ 'add adds': FIX_ADD, 'mul multiplies': FIX_MUL }),
  })
  expect(code).toBe(0)
  testResult()
  expect((await told('child.merged')).map(({ how }) => how).toSorted()).toEqual(['as-is', 'merged'])
  // Nothing of the user's moved.
  expect(git(project.root, 'rev-parse', 'HEAD')).toBe(head)
  expect(git(project.root, 'status', '--porcelain')).toBe('')
  expect(readFileSync(join(project.root, 'add.mjs'), 'utf8')).toContain('a - b')
  expect(look.out.join('\n')).toContain('git merge pawl/todo')
  // The proof of the merge ran the old tests of the tip, in which one of the two passes already.
  const merge = (await told('child.started')).find(({ stage }) => stage === 'merge')
  const proof = (await told('proof.made', String(merge?.['run']))).at(-1)
  expect(proof).toMatchObject({ level: 'red-to-green' })
})

test('PAR-2 no two runs have the same ports', async () => {
  given({ ...ADD, ...MUL })
  await run(['add adds', 'mul multiplies'], {
    agentCommand: agent({ 'add adds': `${FIX_ADD}; sleep 1`, 'mul multiplies': `${FIX_MUL}; sleep 1` }),
  })
  const leased = readFileSync(join(state, 'ports'), 'utf8').trim().split('\n')
  expect(new Set(leased).size).toBe(2)
  for (const range of leased) expect(range).toMatch(/^\d{5} \d{5}$/)
})

test('PAR-3 a task begins with the merged work of those that it needs, and its own checks are only its own', async () => {
  given({ ...ADD, ...MUL })
  const list = join(state, 'todo.yaml')
  writeFileSync(
    list,
    '- { id: two, goal: mul multiplies, needs: [one], checks: ["grep -q \\"a + b\\" add.mjs"] }\n- { id: one, goal: add adds }\n',
  )
  const look = project.look()
  const agentCommand = agent({ 'add adds': FIX_ADD, 'mul multiplies': `grep -q 'a + b' add.mjs && ${FIX_MUL}` })
  expect(await task(look, { id: 'todo', check: CHECK, ask: false, parallel: '4', tasks: list, agentCommand }, [])).toBe(0)
  expect((await told('child.merged')).map(({ child, how }) => [child, how])).toEqual([
    ['one', 'as-is'],
    ['two', 'as-is'],
  ])
  expect((await told('run.started', 'todo-one'))[0]).not.toMatchObject({ config: { checks: [{}, {}] } })
  expect((await told('run.started', 'todo-two'))[0]).toMatchObject({ config: { checks: [{}, {}] } })
  testResult()
})

const TEXT = {
  'words.mjs': "export const words = ['one']\n",
  ...tests('two.test.mjs', 'has two', "import { words } from './words.mjs'", "assert.ok(words.includes('two'))"),
  ...tests('three.test.mjs', 'has three', "import { words } from './words.mjs'", "assert.ok(words.includes('three'))"),
}

test('PAR-4 a textual conflict goes back to the agent, which resolves it', async () => {
  given(TEXT)
  const resolve = `printf "export const words = ['one', 'two', 'three']\\n" > words.mjs`
  const agentCommand = agent({
    'Resolve every conflict': `grep -q '<<<<<<<' words.mjs && ${resolve}`,
    'add two': "sed -i \"s/'one'/'one', 'two'/\" words.mjs",
    'add three': "sed -i \"s/'one'/'one', 'three'/\" words.mjs",
  })
  expect((await run(['add two', 'add three'], { agentCommand })).code).toBe(0)
  expect(result('words.mjs')).toBe("export const words = ['one', 'two', 'three']\n")
  const merge = (await told('child.started')).find(({ stage }) => stage === 'merge')
  expect(merge).toMatchObject({ conflicts: [expect.stringContaining('CONFLICT (content): Merge conflict in words.mjs')] })
  testResult()
})

test('PAR-5 work that merges cleanly but fails together goes back to the agent with the failure', async () => {
  given({
    'lib.mjs': 'export const add = (a, b) => a + b\n',
    ...tests('sum.test.mjs', 'sum sums', "import * as lib from './lib.mjs'", 'assert.equal(lib.sum?.(1, 2), 3)'),
    ...tests(
      'use.test.mjs',
      'uses',
      "import { existsSync } from 'node:fs'",
      "existsSync('use.mjs') ? import('./use.mjs').then(({ twice }) => assert.equal(twice(2), 4)) : assert.fail('no use.mjs')",
    ),
  })
  const agentCommand = agent({
    'This was done already': "sed -i 's/add/sum/g' use.mjs",
    'rename add': "sed -i 's/add/sum/' lib.mjs",
    'twice doubles': 'sleep 3; printf "import { add } from \'./lib.mjs\'\\nexport const twice = (a) => add(a, a)\\n" > use.mjs',
  })
  expect((await run(['rename add to sum', 'twice doubles'], { agentCommand })).code).toBe(0)
  testResult()
  const merge = (await told('child.started')).find(({ stage }) => stage === 'merge')
  expect(merge).toMatchObject({ child: 'twice-doubles' })
  expect(merge).not.toHaveProperty('conflicts')
  // The first iteration laid the merge, whose checks failed; the second is the agent's.
  expect(
    (await told('iteration.ended', 'todo-twice-doubles-merge')).map(({ verdict }) => (verdict as { passed: boolean }).passed),
  ).toEqual([false, true])
})

test('PAR-6 two tasks that add the same file are in conflict', async () => {
  given({
    ...tests('two.test.mjs', 'has two', '', "import('./new.mjs').then((all) => assert.equal(all.two, 2))"),
    ...tests('three.test.mjs', 'has three', '', "import('./new.mjs').then((all) => assert.equal(all.three, 3))"),
  })
  const agentCommand = agent({
    'Resolve every conflict': "printf 'export const two = 2\\nexport const three = 3\\n' > new.mjs",
    'export two': "echo 'export const two = 2' > new.mjs",
    'export three': "echo 'export const three = 3' > new.mjs",
  })
  expect((await run(['export two', 'export three'], { agentCommand })).code).toBe(0)
  expect((await told('child.started')).at(-1)).toMatchObject({ conflicts: [expect.stringContaining('CONFLICT (add/add)')] })
  testResult()
})

test('PAR-7 an edit follows a file that another task renamed', async () => {
  const long = Array.from({ length: 20 }, (_, index) => `// line ${index}`).join('\n')
  given({
    'old.mjs': `${long}\nexport const value = 1\n`,
    ...tests('new.test.mjs', 'has a new name', '', "import('./new.mjs').then((all) => assert.ok(all.value))"),
    ...tests(
      'value.test.mjs',
      'is two',
      "import { existsSync } from 'node:fs'",
      "import(existsSync('new.mjs') ? './new.mjs' : './old.mjs').then((all) => assert.equal(all.value, 2))",
    ),
  })
  const agentCommand = agent({
    'rename it': 'git mv old.mjs new.mjs 2>/dev/null || mv old.mjs new.mjs',
    'make it two': "sleep 2; sed -i 's/value = 1/value = 2/' old.mjs",
  })
  expect((await run(['rename it', 'make it two'], { agentCommand })).code).toBe(0)
  expect(result('new.mjs')).toContain('value = 2')
  expect(git(project.root, 'ls-tree', '--name-only', 'pawl/todo')).not.toContain('old.mjs')
  testResult()
})

test('PAR-8 a task that asks does not stop the others; its answer continues the parent', async () => {
  given({ ...ADD, ...MUL })
  const agentCommand = agent({ 'A person said': FIX_ADD, 'add adds': 'echo "// nothing" >> add.mjs', 'mul multiplies': FIX_MUL })
  const { code, look } = await run(['add adds', 'mul multiplies'], { agentCommand, maxIterations: '1' })
  expect(code).toBe(3)
  expect((await told('child.merged')).map(({ child }) => child)).toEqual(['mul-multiplies'])
  expect(look.out.join('\n')).toContain('pawl answer todo-add-adds')
  expect(await answer(project.look(), { note: 'use plus', resume: true }, 'todo-add-adds', '1')).toBe(0)
  expect(await told('run.completed')).toHaveLength(1)
  testResult()
})

test('PAR-9 an agent that never ends is a task that asks, and the rest is merged', async () => {
  given({ ...ADD, ...MUL })
  const agentCommand = agent({ 'add adds': 'sleep 600', 'mul multiplies': FIX_MUL })
  const { code } = await run(['add adds', 'mul multiplies'], { agentCommand, maxIterations: '1', timeout: '2s' })
  expect(code).toBe(3)
  expect(result('mul.mjs')).toContain('a * b')
  // Left out by a person: never a success by itself.
  await abort(project.look(), {}, 'todo-add-adds')
  expect(await resume(project.look(), { ask: false }, 'todo')).toBe(3)
  expect((await told('escalation.raised')).at(-1)).toMatchObject({ question: { code: 'parallel' } })
  expect(await answer(project.look(), { resume: true }, 'todo', 'accept')).toBe(0)
})

test('PAR-10 a merge that the agent cannot repair is no success, and nothing lands', async () => {
  given(TEXT)
  const agentCommand = agent({
    'Resolve every conflict': 'true',
    'add two': "sed -i \"s/'one'/'one', 'two'/\" words.mjs",
    'add three': "sed -i \"s/'one'/'one', 'three'/\" words.mjs",
  })
  const branch = git(project.root, 'branch', '--show-current').trim()
  const head = git(project.root, 'rev-parse', 'HEAD')
  expect((await run(['add two', 'add three'], { agentCommand, maxIterations: '1', onto: branch })).code).toBe(3)
  expect(await told('child.merged')).toHaveLength(1)
  expect(git(project.root, 'rev-parse', 'HEAD')).toBe(head)
  expect(await told('run.completed')).toEqual([])
})

test('PAR-11 --onto moves the branch forward, and where that is not possible a person is asked', async () => {
  given({ ...ADD, ...MUL })
  git(project.root, 'branch', 'other')
  const agentCommand = agent({ 'add adds': FIX_ADD, 'mul multiplies': FIX_MUL })
  expect((await run(['add adds', 'mul multiplies'], { agentCommand, onto: 'other' })).code).toBe(0)
  expect(git(project.root, 'rev-parse', 'other')).toBe(git(project.root, 'rev-parse', 'pawl/todo'))
  const look = project.look()
  const flags = { id: 'again', check: CHECK, ask: false, parallel: '2', agentCommand, onto: 'no-such' }
  expect(await task(look, flags, ['add adds', 'mul multiplies'])).toBe(3)
  expect((await told('result.landed', 'again')).at(-1)).toMatchObject({ result: 'no-branch' })
})

test('PAR-12 the first proven result wins a race; the other is stopped, and its half-done work is kept', async () => {
  given(ADD)
  const slow = agent({ 'add adds': 'echo "// half done" >> add.mjs; sleep 600' }, 'slow.sh')
  const quick = agent({ 'add adds': `sleep 2; ${FIX_ADD}` }, 'quick.sh')
  writeFileSync(join(project.root, 'pawl.yaml'), `agents:\n  quick: { command: ${quick} }\n  slow: { command: ${slow} }\n`)
  const look = project.look({ columns: 100 })
  expect(await race(look, { agents: 'slow,quick', id: 'todo', check: CHECK, ask: false }, 'add adds')).toBe(0)
  expect(await told('winner.chosen')).toEqual([{ child: 'quick', by: 'first' }])
  expect(result('add.mjs')).toContain('a + b')
  const lost = (await told('child.finished')).find(({ child }) => child === 'slow')
  expect(lost).toMatchObject({
    status: 'stopped',
    message: expect.stringMatching(/quick won. Kept, its half-done work: pawl restore todo-slow saved-1/),
  })
  expect(git(project.root, 'grep', 'half done', 'refs/pawl/todo-slow/saved-1')).toContain('half done')
  expect((await events('todo-slow')).at(-1)?.type).toBe('run.aborted')
  expect(look.out.join('\n')).toMatch(/quick {2}won/)
})

test('PAR-13 with --best all finish, and the smaller of two equal proofs wins; the table says why', async () => {
  given(ADD)
  const wordy = agent({ 'add adds': `${FIX_ADD}; for i in 1 2 3 4; do echo "// line $i" >> add.mjs; done` }, 'wordy.sh')
  const terse = agent({ 'add adds': `sleep 2; ${FIX_ADD}` }, 'terse.sh')
  writeFileSync(join(project.root, 'pawl.yaml'), `agents:\n  wordy: { command: ${wordy} }\n  terse: { command: ${terse} }\n`)
  const look = project.look({ columns: 100 })
  expect(await race(look, { agents: 'wordy,terse', best: true, id: 'todo', check: CHECK, ask: false }, 'add adds')).toBe(0)
  expect(await told('winner.chosen')).toEqual([{ child: 'terse', by: 'diff', against: 'wordy' }])
  expect(look.out.join('\n')).toContain('terse won: the smaller diff (against wordy)')
  expect(result('add.mjs')).not.toContain('line 1')
})

test('PAR-14 tasks that need each other, and needs that name nothing, are refused before anything begins', async () => {
  const list = join(state, 'todo.yaml')
  const start = async (text: string, flags: object = {}): Promise<number> => {
    writeFileSync(list, text)
    return task(project.look(), { agentCommand: 'true', check: ['true'], tasks: list, ...flags }, [])
  }
  await expect(start('- { id: a, goal: x, needs: [b] }\n- { id: b, goal: y, needs: [a] }\n', { parallel: '2' })).rejects.toThrow(
    'need each other',
  )
  await expect(start('- { id: a, goal: x, needs: [c] }\n- { id: b, goal: y }\n', { parallel: '2' })).rejects.toThrow('needs "c"')
  await expect(start('- { id: a, goal: x, needs: [b] }\n- { id: b, goal: y }\n')).rejects.toThrow('comes after it')
  await expect(parallelTasks(project.look(), { parallel: '0' }, { goal: 'x', name: 'x', control: {} })).rejects.toThrow(
    'from 1 to 64',
  )
  expect(existsSync(project.storePath)).toBe(false)
})

const SEED = 25

test('PAR-16 the last task needs all tests to pass, also if agents did the same task twice', async () => {
  given({ ...ADD, ...MUL })
  const agentCommand = agent({ 'This was done already': FIX_MUL, 'add adds': FIX_ADD, 'mul multiplies': FIX_ADD })
  expect((await run(['add adds', 'mul multiplies'], { agentCommand })).code).toBe(0)
  testResult()
})

test('PAR-15 a parent that is killed again and again does nothing twice: each task is proven, merged and committed once', async () => {
  given({ ...ADD, ...MUL, ...TEXT })
  const agentCommand = agent({
    'Resolve every conflict': `printf "export const words = ['one', 'two', 'three']\\n" > words.mjs`,
    'add adds': FIX_ADD,
    'mul multiplies': FIX_MUL,
    'the second word': "sed -i \"s/'one'/'one', 'two'/\" words.mjs",
    'the third word': "sed -i \"s/'one'/'one', 'three'/\" words.mjs",
  })
  const random = seededNumbers(SEED)
  const place = { cwd: project.root, home: state, env: { PAWL_STATE_DIR: state } }
  const count = async (): Promise<number> =>
    existsSync(project.storePath)
      ? withStore(project.look(), async (store) => (await store.runs()).reduce((sum, { seq }) => sum + seq, 0))
      : 0
  const first = [
    'task',
    'add adds',
    'mul multiplies',
    'the second word',
    'the third word',
    '--id',
    'todo',
    '--parallel',
    '3',
    '--no-ask',
    '--check',
    'node --test',
    '--agent-command',
    agentCommand,
  ]
  let words = first
  let kills = 0
  for (let code: number | string = -1; code !== 0;) {
    const pawl = startPawl(words, place)
    const target = (await count()) + 2 + random(25)
    const isKilled = kills < KILLS_MAX
    if (isKilled) await until(async () => pawl.isOver() || (await count()) >= target)
    if (isKilled && !pawl.isOver()) {
      pawl.signal('SIGKILL')
      kills++
    }
    const ended = await pawl.finished
    code = ended.code
    if (code !== 0 && code !== 'SIGKILL') throw new Error(ended.stdout + ended.stderr)
    if ((await count()) > 0) words = ['resume', 'todo', '--no-ask']
  }
  expect(kills).toBeGreaterThan(2)
  testResult()
  const merged = (await told('child.merged')).map(({ child }) => String(child))
  expect(merged.toSorted()).toEqual(['add-adds', 'mul-multiplies', 'the-second-word', 'the-third-word'])
  expect(await told('run.completed')).toHaveLength(1)
  const started = (await told('child.started')).map(({ run: id }) => String(id))
  expect(new Set(started).size).toBe(started.length)
  for (const id of started) expect(await told('run.completed', id)).toHaveLength(1)
  const commits = git(project.root, 'log', '--format=%s', 'HEAD..pawl/todo').trim().split('\n')
  expect(commits.toSorted()).toEqual(['add adds', 'mul multiplies', 'the second word', 'the third word'])
  const verified = startPawl(['verify', '--all'], place)
  expect((await verified.finished).stderr).not.toContain('damaged')
}, 900_000)

const KILLS_MAX = 6

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(50)
}
