import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import { restore } from './restore.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'

const SLOW = `sh -c 'sleep 0.5; echo more >>work.txt'`

test('CLI-258 of two runs that begin in one folder at the same moment at most one works, and the other can be resumed', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const begin = (id: string) =>
    task(project.look(), { id, ask: false, check: ['test -s work.txt'], agentCommand: SLOW }, ['More work']).catch(
      (error: { code: string }) => error.code,
    )
  const ends = await Promise.all(['a', 'b', 'c'].map(begin))
  expect(ends.filter((end) => end === 'run.same-folder').length).toBeGreaterThanOrEqual(2)
  const refused = ['a', 'b', 'c'][ends.indexOf('run.same-folder')] as string
  // What its check asks for is there already, so it proves nothing: a person is asked.
  expect(await resume(project.look(), { ask: false }, refused)).toBe(EXIT.waiting)
})

test('CLI-259 no tree is restored while another run is driven in the folder', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const flags = { ask: false, check: ['test -s work.txt'] }
  await task(project.look(), { ...flags, id: 'old', agentCommand: `sh -c 'echo more >>work.txt'` }, ['More work'])
  const driven = task(project.look(), { ...flags, id: 'new', agentCommand: SLOW.replace('0.5', '4') }, ['More work'])
  await expect
    .poll(() => restore(project.look(), 'old', '0', { yes: true }).catch((error: { code: string }) => error.code), {
      timeout: 30_000,
    })
    .toBe('run.same-folder')
  expect(await driven).toBe(EXIT.waiting)
})
