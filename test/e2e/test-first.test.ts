import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { makeProject, type Project } from './project.ts'

const TEST = `import test from 'node:test'
import assert from 'node:assert'
import { median } from '../src/median.js'
test('median', () => assert.equal(median([3, 1, 2]), 2))
`
const CODE = 'export const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]\n'

const FILES = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'src/sum.js': 'export const add = (a, b) => a + b\n',
  'test/sum.test.js': `import test from 'node:test'
import assert from 'node:assert'
import { add } from '../src/sum.js'
test('adds', () => assert.equal(add(1, 2), 3))
`,
  'pawl.yaml': `agent: coder
agents:
  coder: { command: "sh ../notes/coder.sh" }
  writer: { command: "sh ../notes/writer.sh" }
checks: [{ name: tests, command: npm test }]
`,
}

/** A project whose agents are these scripts. */
async function projectWith(
  context: TestContext,
  scripts: Readonly<Record<string, string>>,
  { isGit = true }: { readonly isGit?: boolean } = {},
): Promise<Project> {
  const project = await makeProject(context, { files: FILES, isGit })
  for (const [name, text] of Object.entries(scripts)) await writeFile(join(project.notes, name), text)
  return project
}

const write = (path: string, text: string): string => `mkdir -p $(dirname ${path}); cat > ${path} <<'END'\n${text}END\n`
const writeTest = write('test/median.test.js', TEST)
const writeCode = write('src/median.js', CODE)

async function show(project: Project, run: string): Promise<Record<string, any>> {
  return JSON.parse((await project.pawl('show', run, '--json')).stdout) as Record<string, any>
}

it('PROOF-31 tests that another agent wrote first prove the work', async (context) => {
  const project = await projectWith(context, { 'writer.sh': writeTest, 'coder.sh': writeCode })
  const { code, stdout } = await project.pawl('task', 'Add median', '--id', 'median', '--test-writer', 'writer')
  expect(stdout).toContain('written, and 1 test failing before the work')
  expect(code).toBe(0)
  expect((await show(project, 'median'))['proof']).toMatchObject({ level: 'red-to-green' })
})

it('PROOF-31 so they do in a folder without git', async (context) => {
  const project = await projectWith(context, { 'writer.sh': writeTest, 'coder.sh': writeCode }, { isGit: false })
  expect((await project.pawl('task', 'Add median', '--id', 'median', '--test-writer', 'writer')).code).toBe(0)
  expect((await show(project, 'median'))['proof']).toMatchObject({ level: 'red-to-green' })
})

it('PROOF-31 tests that the coder wrote first are its own', async (context) => {
  const both = `if grep -q 'Write the tests'; then ${writeTest}\nelse ${writeCode}\nfi`
  const project = await projectWith(context, { 'coder.sh': both })
  const { code } = await project.pawl('task', 'Add median', '--id', 'median', '--test-first')
  expect(code).toBe(0)
  expect((await show(project, 'median'))['proof']).toMatchObject({ level: 'self-tested' })
})

it('PROOF-31 a coder that changes the tests which were written first is asked about', async (context) => {
  const weaker = `${write('src/median.js', 'export const median = () => 7\n')}${write('test/median.test.js', TEST.replace(', 2)', ', 7)'))}`
  const project = await projectWith(context, { 'writer.sh': writeTest, 'coder.sh': weaker })
  const { code, stdout } = await project.pawl('task', 'Add median', '--id', 'median', '--test-writer', 'writer', '--no-ask')
  expect(code).toBe(3)
  expect(stdout).toContain('test/median.test.js')
})

it('TASK-191 a test that cannot be read is no failing test, and the next prompt says so', async (context) => {
  const broken = `cat > ../notes/brief-$(ls ../notes | wc -l).txt; ${write('test/median.test.js', `${TEST})`)}`
  const project = await projectWith(context, { 'writer.sh': broken, 'coder.sh': writeCode })
  const { code, stdout } = await project.pawl('task', 'Add median', '--id', 'median', '--test-writer', 'writer', '--no-ask')
  expect(code).toBe(3)
  expect(stdout).toMatch(/syntax\s+error/)
  const answered = await project.pawl('answer', 'median', 'without-tests')
  expect(answered.code).toBe(0)
})

it('TASK-194 `pawl answer RUN write-test` proves work that is there by a test of another agent', async (context) => {
  const project = await projectWith(context, { 'writer.sh': writeTest, 'coder.sh': writeCode })
  await writeFile(join(project.root, 'pawl.yaml'), `${FILES['pawl.yaml']}test_first: writer\n`)
  const tasks = join(project.notes, 'tasks.yaml')
  await writeFile(tasks, '- { id: median, goal: Add median, test_first: false }\n')
  const { code, stdout } = await project.pawl('task', '--tasks', tasks, '--id', 'median', '--no-ask')
  expect(code).toBe(3)
  expect(stdout).toContain('have a test written')
  expect((await project.pawl('answer', 'median', 'write-test', '--resume')).code).toBe(0)
  expect((await show(project, 'median'))['proof']).toMatchObject({ level: 'red-to-green' })
})

it('TASK-194 a test that the coder wrote after its work is its own', async (context) => {
  const coder = `if grep -q 'work is there already'; then ${writeTest}\nelse ${writeCode}\nfi`
  const project = await projectWith(context, { 'coder.sh': coder })
  expect((await project.pawl('task', 'Add median', '--id', 'own', '--no-ask')).code).toBe(3)
  expect((await project.pawl('answer', 'own', 'write-test', '--resume')).code).toBe(0)
  expect((await show(project, 'own'))['proof']).toMatchObject({ level: 'self-tested' })
})

it('TASK-196 a check of one task runs for that task only, and proves it', async (context) => {
  const coder = `if grep -q 'Task 1'; then ${writeCode}\nelse echo more > more.txt\nfi`
  const project = await projectWith(context, { 'coder.sh': coder })
  const tasks = join(project.notes, 'tasks.md')
  await writeFile(tasks, '- [ ] Add median\n  - Check: `test -f src/median.js`\n- [ ] More\n  - Check: `test -f more.txt`\n')
  const { code, stdout } = await project.pawl('task', '--tasks', tasks, '--id', 'both')
  expect([code, stdout]).toEqual([0, expect.stringContaining('All 2 tasks done')])
  const events = await project.events('both')
  const ran = events.flatMap(({ type, data }) =>
    type === 'check.passed' || type === 'check.failed' ? [`${data.key.split('/')[0]} ${data.name}`] : [],
  )
  expect(ran).toEqual([
    '0 tests',
    '0 test -f src/median.js',
    '1 tests',
    '1 test -f src/median.js',
    '2 tests',
    '2 test -f more.txt',
  ])
  const levels = events.flatMap(({ type, data }) => (type === 'proof.made' ? [data.level] : []))
  expect(levels).toEqual(['red-to-green', 'red-to-green'])
})

it('TASK-196 a runner that is killed in the second task continues with the checks of that task', async (context) => {
  const coder = `if grep -q 'Task 1'; then echo one > one.txt
elif [ ! -e ../notes/at-work ]; then echo half > two.txt; echo yes > ../notes/at-work; sleep 60
else echo whole > two.txt
fi`
  const project = await projectWith(context, { 'coder.sh': coder })
  const tasks = join(project.notes, 'tasks.md')
  await writeFile(tasks, '- [ ] One\n  - Check: `test -f one.txt`\n- [ ] Two\n  - Check: `grep -q whole two.txt`\n')
  const runner = project.start(['task', '--tasks', tasks, '--id', 'both', '--no-ask'])
  await project.noted('at-work')
  runner.signal('SIGKILL')
  await runner.finished
  expect((await project.pawl('resume', 'both')).stdout).toContain('All 2 tasks done')
  const events = await project.events('both')
  const passed = events.flatMap(({ type, data }) => (type === 'check.passed' ? [`${data.key.split('/')[0]} ${data.name}`] : []))
  expect(passed).toEqual(['0 tests', '1 tests', '1 test -f one.txt', '2 tests', '2 grep -q whole two.txt'])
  const levels = events.flatMap(({ type, data }) => (type === 'proof.made' ? [data.level] : []))
  expect(levels).toEqual(['red-to-green', 'red-to-green'])
})

it('TASK-196 a task cannot name a check that runs for every task', async (context) => {
  const project = await projectWith(context, { 'coder.sh': writeCode })
  const tasks = join(project.notes, 'tasks.yaml')
  await writeFile(tasks, '- { goal: Add median, checks: [make] }\n')
  const { code, stderr } = await project.pawl('task', '--tasks', tasks, '--check', 'make')
  expect([code, stderr]).toEqual([2, expect.stringContaining('which runs for every task')])
})

/** A run whose checks passed before its work too, so that Pawl asks. */
async function askedAbout(context: TestContext): Promise<Project> {
  const approve = 'cat > /dev/null; echo \'{"verdict": "approve", "summary": "It is there."}\''
  const coder = 'echo at work >> ../notes/coder.txt; echo read me > README.md'
  const project = await projectWith(context, { 'coder.sh': coder, 'writer.sh': approve })
  await writeFile(join(project.root, 'pawl.yaml'), `${FILES['pawl.yaml']}fallback: [writer]\n`)
  expect((await project.pawl('task', 'Write a README', '--id', 'readme', '--no-ask')).code).toBe(3)
  return project
}

it.for<[string, readonly string[], string]>([
  ['has another agent review it', ['answer', 'readme', 'review', '--resume'], 'reviewed'],
  ['adds a check', ['answer', 'readme', 'check', '--note', 'test -f README.md', '--resume'], 'red-to-green'],
  ['gives it a reviewer with `pawl resume`', ['resume', 'readme', '--reviewer', 'writer'], 'reviewed'],
  ['gives it a check with `pawl resume`', ['resume', 'readme', '--check', 'test -f README.md'], 'red-to-green'],
])(
  'TASK-197 a person who %s gets the present work proven, and nobody works meanwhile',
  async ([_name, words, level], context) => {
    const project = await askedAbout(context)
    const { code, stdout, stderr } = await project.pawl(...words)
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('✓ All checks passed · 1 iteration')])
    expect((await show(project, 'readme'))['proof']).toMatchObject({ level })
    expect(await readFile(join(project.notes, 'coder.txt'), 'utf8')).toBe('at work\n')
  },
)

it('TASK-197 a check that is added needs its command', async (context) => {
  const project = await askedAbout(context)
  const { code, stderr } = await project.pawl('answer', 'readme', 'check')
  expect([code, stderr]).toEqual([2, expect.stringContaining('Which command?')])
})
