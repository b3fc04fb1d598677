import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../test/support/cli-project.ts'

test('RUN-308 an answer given with run takes effect with it, and where there is no question nothing is done', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const loop = project.loop({ passesAt: 4 })
  await expect(loop.run('r', { answer: { choice: 'continue' } })).rejects.toMatchObject({ code: 'run.unknown' })
  expect(await loop.run('r')).toMatchObject({ status: 'escalated', iterations: 3 })
  const before = await loop.events('r')
  await expect(loop.run('r', { answer: { choice: 'perhaps' } })).rejects.toMatchObject({ code: 'question.no-such-option' })
  expect(await loop.events('r')).toEqual(before)
  const answer = { choice: 'continue', note: 'One line more.' }
  expect(await loop.run('r', { answer })).toMatchObject({ status: 'completed', iterations: 4 })
  const [answered, resumed] = (await loop.events('r')).slice(before.length)
  expect(answered).toMatchObject({ type: 'escalation.answered', data: answer })
  expect(resumed).toMatchObject({ type: 'run.resumed' })
  await expect(loop.run('r', { answer })).rejects.toMatchObject({ code: 'question.none' })
})
