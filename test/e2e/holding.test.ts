import { expect, test } from 'vitest'
import { makeProject } from './project.ts'

test('RUN-104 a second driver is told who holds the run, exits with 6 and disturbs nothing', async (context) => {
  const project = await makeProject(context)
  const agent = await project.script('agent.sh', 'cat >/dev/null; echo x >"$NOTES/begun"; wait_for go; echo good >a.txt')
  const task = ['task', 'good', '--id', 'held', '--agent-command', agent, '--check', 'grep -q good a.txt']
  const first = project.start(task)
  await project.noted('begun')
  const before = await project.events('held')

  const [resume, again, json] = await Promise.all([
    project.pawl('resume', 'held'),
    project.pawl(...task),
    project.pawl('resume', 'held', '--json'),
  ])
  for (const { code, stdout } of [resume, again]) {
    expect(code).toBe(6)
    expect(stdout).toContain(`driven by process ${first.pid} on `)
  }
  expect(json.code).toBe(6)
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'held', run: 'held', holder: { pid: first.pid } })
  expect(await project.events('held')).toEqual(before)
  await project.note('go')
  expect(await project.over(first)).toMatchObject({ code: 0 })
})

test('RUN-105 once the holder is killed, another takes over at once', async (context) => {
  const project = await makeProject(context)
  const agent = await project.script(
    'agent.sh',
    'cat >/dev/null; [ -e "$NOTES/begun" ] && { echo good >a.txt; exit; }; echo x >"$NOTES/begun"; wait_for never',
  )
  const task = ['task', 'good', '--id', 'held', '--agent-command', agent, '--check', 'grep -q good a.txt']
  const first = project.start(task)
  await project.noted('begun')
  first.signal('SIGKILL')
  await first.finished
  expect(await project.pawl(...task)).toMatchObject({ code: 0 })
  expect(await project.of('held', 'run.resumed')).toHaveLength(1)
})
