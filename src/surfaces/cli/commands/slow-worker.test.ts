import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../testing/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import type { RunView } from '../views/run-view.ts'
import { resume, type ResumeFlags } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

test('CLI-425 the card of an agent that ran out of time says how to give it more, and that way works', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const flags = { id: 'r', ask: false, maxIterations: '1', timeout: '400ms', check: ['grep -q done work.txt'] }
  const started = project.look({ columns: 80 })
  expect(await task(started, { ...flags, agentCommand: `sh -c 'sleep 1; echo done >work.txt'` }, ['done'])).toBe(EXIT.waiting)
  const hint = 'sh ran out of time. To give it more: pawl resume r --timeout 1h --answer continue'
  expect(started.out.join(' ').replaceAll(/\s+/g, ' ')).toContain(`Note ${hint}`)
  expect(await resume(project.look(), { timeout: '1h', answer: 'continue', ask: false }, 'r')).toBe(EXIT.done)
  const after = project.look({ json: true })
  await show(after, 'r')
  expect((after.documents[0] as RunView).hints).toBeUndefined()
})

test('CLI-431 an answer and a change of settings are one command, and where either makes no sense nothing is done', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  const flags = { id: 'r', ask: false, maxIterations: '1', check: ['grep -q two work.txt'] }
  await task(project.look(), { ...flags, agentCommand: `sh -c 'echo one >>work.txt'` }, ['two'])
  const given = { ask: false, agentCommand: `sh -c 'cat >brief.txt; echo two >>work.txt'` }
  const asIs = project.look({ json: true })
  await show(asIs, 'r')
  const refused = (more: ResumeFlags) => resume(project.look(), { ...given, ...more }, 'r')
  await expect(refused({ answer: 'continue', timeout: 'soon' })).rejects.toThrow('--timeout')
  await expect(refused({ answer: '7' })).rejects.toThrow('7')
  await expect(refused({ note: 'Mind the case.' })).rejects.toThrow('--note goes with an answer')
  await expect(refused({ answer: '1', due: true })).rejects.toThrow('--due')
  const still = project.look({ json: true })
  await show(still, 'r')
  expect((still.documents[0] as RunView).seq).toBe((asIs.documents[0] as RunView).seq)
  expect(await refused({ answer: 'continue', note: 'Mind the case.' })).toBe(EXIT.done)
  expect(readFileSync(join(project.root, 'brief.txt'), 'utf8')).toContain('Mind the case.')
})
