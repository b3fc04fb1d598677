import { expect, test } from 'vitest'
import { makeProject } from './project.ts'

test('RUN-104 RUN-105 a second driver learns who holds the run, exits with 6 and disturbs nothing; once the holder is killed it takes over at once', async (context) => {
  const project = await makeProject(context)
  const agent = await project.script(
    'agent.sh',
    'cat >/dev/null; if [ -e "$NOTES/begun" ]; then echo good >a.txt; exit; fi; echo x >"$NOTES/begun"; wait_for never',
  )
  const task = ['task', 'good', '--id', 'held', '--agent-command', agent, '--check', 'grep -q good a.txt']
  const first = project.start(task)
  await project.noted('begun')
  const before = await project.events('held')
  const [resume, again, json] = await Promise.all([
    project.pawl('resume', 'held'),
    project.pawl(...task),
    project.pawl('resume', 'held', '--json'),
  ])
  expect([resume.code, again.code, json.code]).toEqual([6, 6, 6])
  expect([resume.stdout, again.stdout]).toEqual(Array(2).fill(expect.stringContaining(`driven by process ${first.pid} on `)))
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'held', run: 'held', holder: { pid: first.pid } })
  expect(await project.events('held')).toEqual(before)
  expect(first.isOver()).toBe(false)

  first.signal('SIGKILL')
  await first.finished
  expect(await project.pawl(...task)).toMatchObject({ code: 0 })
  expect(await project.of('held', 'run.resumed')).toHaveLength(1)
})
