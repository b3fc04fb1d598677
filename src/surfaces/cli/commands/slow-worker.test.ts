import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { EXIT } from '../exit-codes.ts'
import type { RunView } from '../../../present/run-view.ts'
import { resume } from './resume.ts'
import { show } from './show.ts'
import { task } from './task.ts'

test('CLI-425 the card of an agent that ran out of time says how to give it more, and that way works', async () => {
  const project = testProject({ isGit: false })
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
