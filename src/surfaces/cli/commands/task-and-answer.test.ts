import { afterEach, beforeEach, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../testing/cli-project.ts'
import { answer } from './answer.ts'
import { task } from './task.ts'

let project: TestProject

beforeEach(() => {
  project = testProject()
})

afterEach(() => project.remove())

test('CLI-256 a run that is over is not announced again: another id is asked for', async () => {
  await project.loop({ passesAt: 1, goal: 'work' }).run('nightly')
  await project.close()
  const flags = { id: 'nightly', agentCommand: 'true', check: ['true'] }
  await expect(task(project.look(), flags, 'work')).rejects.toThrow(
    'Run nightly is completed already and checks nothing any more',
  )
})

test('CLI-257 an empty answer is no answer', async () => {
  await project.loop({ passesAt: 99, goal: 'work' }).run('stuck')
  await project.close()
  await expect(answer(project.look(), {}, 'stuck', ' ')).rejects.toThrow('The answer to run stuck is empty')
})
