import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { PawlError } from '../core/pawl-error.ts'
import { keepSecretsOf } from '../secrets/known-values.ts'
import { loadTasks } from './load-tasks.ts'
import { parseChecklist, type TaskList } from './task-list.ts'
import { parseTasks } from './parse-tasks.ts'

const folder = mkdtempSync(join(tmpdir(), 'pawl-tasks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function load(name: string, text: string): Promise<TaskList> {
  const path = join(folder, name)
  writeFileSync(path, text)
  return loadTasks(path)
}

function complaints(parse: (text: string, file: string) => unknown, text: string): readonly string[] {
  try {
    parse(text, 'todo')
    return []
  } catch (error) {
    if (!(error instanceof PawlError) || error.code !== 'config.tasks') throw error
    return error.message.split('\n')
  }
}

test.each([
  ['todo.md', '- [ ] Use task-word-1 for it\n- [ ] Use nothing'],
  ['todo.yaml', '- Use task-word-1 for it\n- Use nothing\n'],
])('SECRET-49 a task is named after its goal without the secrets in it: %s', async (name, text) => {
  keepSecretsOf({ TASK_KEY: 'task-word-1' })
  const { tasks } = await load(name, text)
  expect(tasks).toEqual([
    { id: 'use-redacted-task-key-for-it', goal: 'Use task-word-1 for it' },
    { id: 'use-nothing', goal: 'Use nothing' },
  ])
})

test('CONFIG-200 a YAML list of goals is a list of tasks, named after their goals, each name once', async () => {
  const { tasks, control } = await load(
    'todo.yaml',
    '- Login returns a numeric userId\n- Login returns a numeric userId\n- 登录\n',
  )
  expect(tasks).toEqual([
    { id: 'login-returns-a-numeric-userid', goal: 'Login returns a numeric userId' },
    { id: 'login-returns-a-numeric-userid-2', goal: 'Login returns a numeric userId' },
    { id: 'task', goal: '登录' },
  ])
  expect(control).toEqual({})
})

test('CONFIG-201 a task may have its own name and settings, and the file settings for all', async () => {
  const { tasks, control } = await load(
    'todo.yml',
    `iteration_control:
  max_iterations: 5
  escalation_includes_diff: false
  feedback_max_length: 900
tasks:
  - id: login
    goal: Login returns a numeric userId
    max_iterations: 2
    auto_retry_on_test_fail: false
    auto_retry_on_review_reject: true
    feedback_max_length: 100
  - Login
`,
  )
  expect(tasks).toEqual([
    {
      id: 'login',
      goal: 'Login returns a numeric userId',
      iterationsMax: 2,
      autoRetryOnTestFail: false,
      autoRetryOnReviewReject: true,
      feedbackLengthMax: 100,
    },
    { id: 'login-2', goal: 'Login' },
  ])
  expect(control).toEqual({ maxIterations: 5, escalationIncludesDiff: false, feedbackMaxLength: 900 })
})

test.each([
  ['todo.yaml', '- goal: Add login\n  checks: [npm run e2e, " node login.js "]\n- Add logout\n'],
  ['todo.md', '- [ ] Add login\n  - Check: `npm run e2e`\n  check: ` node login.js `\n- [ ] Add logout\n'],
])('CONFIG-330 a task may name commands that are checks of its own: %s', async (name, text) => {
  const { tasks } = await load(name, text)
  expect(tasks).toEqual([
    { id: 'add-login', goal: 'Add login', checks: ['npm run e2e', 'node login.js'] },
    { id: 'add-logout', goal: 'Add logout' },
  ])
})

test('CONFIG-202 the open items of a Markdown checklist are tasks; what is nested belongs to the goal, all else is passed over', async () => {
  const { tasks } = await load(
    'todo.md',
    `# Login

Some words about it, and a list that is no checklist:

- not a task

## To do
- [ ] Login returns a numeric userId
- [x] Done already
  - [ ] even its part
* [ ] The token has:
  - the id
    as a number

      code that stays indented
  - [ ] and the name
1. [ ] A numbered one
that goes on here
+ [X] Done too

\`\`\`md
- [ ] only an example
\`\`\`
\t- [ ] Indented by a tab
`,
  )
  expect(tasks.map(({ goal }) => goal)).toEqual([
    'Login returns a numeric userId',
    'The token has:\n- the id\n  as a number\n\n    code that stays indented\n- [ ] and the name',
    'A numbered one\nthat goes on here',
    'Indented by a tab',
  ])
  expect(tasks.map(({ id }) => id)).toEqual([
    'login-returns-a-numeric-userid',
    'the-token-has',
    'a-numbered-one',
    'indented-by-a-tab',
  ])
  expect((await load('TODO', '- [ ] Found by its box\n')).tasks).toHaveLength(1)
})

test.each([
  ['', 'todo has no task: write each as an item of a checklist, such as "- [ ] Login returns a numeric userId".'],
  ['- [x] a\n', 'todo has no open task: every item of its checklist is checked.'],
  ['- [ ] a\n\n  - [ ]\n- [ ]   \n', 'todo:4:1: this task says nothing: write what is to be true'],
])('CONFIG-203 the checklist %j is refused', (text, told) => {
  expect(complaints(parseChecklist, text)).toEqual([told])
})

test('CONFIG-203 reports everything wrong in a YAML file of tasks at once, with line and column', () => {
  const text = `tasks:
  - ""
  - goal: a
    max_iteration: 3
  - { id: x, goal: b, max_iterations: 0 }
  - { id: x, goal: c }
  - 7
iteration_controll: {}
`
  expect(complaints(parseTasks, text)).toEqual([
    'todo:2:5: item 1 of "tasks" must be a text that says what is to be true, not an empty text',
    'todo:4:5: unknown key "max_iteration"; did you mean "max_iterations"?',
    'todo:5:39: "max_iterations" must be a whole number of at least 1, not 0',
    'todo:6:11: another task is called "x" too; give each a name of its own',
    'todo:7:5: item 5 of "tasks" must be a text, or a map such as { goal: "Login returns a numeric userId" }, not 7',
    'todo:8:1: unknown key "iteration_controll"; did you mean "iteration_control"?',
  ])
  expect(complaints(parseTasks, '- a\n- { gaol: b }\n')).toEqual([
    'todo:2:3: "goal" is missing: it must be a text that says what is to be true',
    'todo:2:5: unknown key "gaol"; did you mean "goal"?',
  ])
  for (const wrong of ['', 'words', '[]', '{}', '7', 'tasks: [', 'tasks: {}', 'a: &a [*a]'])
    expect(complaints(parseTasks, wrong)[0]).toMatch(/^todo:1:\d+: /)
})

test('CONFIG-203 a file that is not there is a sentence', async () => {
  await expect(loadTasks(join(folder, 'none.md'))).rejects.toThrow('give one with tasks, in Markdown or YAML')
})

test('CONFIG-204 whatever is in a file, it is read or refused with a sentence', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '- [ ] a',
      '- [x] b',
      '  - c',
      '',
      '```',
      '# d',
      '\t- [ ] e',
      'tasks:',
      '  - goal: f',
      '- g',
      '{',
      '}',
      '- [',
      '"',
      '&a',
      '*a',
    ),
  )
  fc.assert(
    fc.property(pieces, (lines) => {
      for (const parse of [parseChecklist, parseTasks]) expect(complaints(parse, lines.join('\n'))).not.toContain('')
    }),
    { numRuns: 300 },
  )
})
