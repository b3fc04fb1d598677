import { expect, onTestFinished, test, vi } from 'vitest'
import { keepSecret } from '../../../secrets/known-values.ts'
import { testProject } from '../../../../test/support/cli-project.ts'
import { sessionProject } from '../../../../test/support/session-project.ts'
import { abort } from './abort.ts'
import { answer } from './answer.ts'
import { collectingContext } from '../../../../test/support/collecting-context.ts'
import { ralph } from './ralph.ts'
import { resume } from './resume.ts'
import { task } from './task.ts'

test('SECRET-46 a run that is refused for a secret in it can be ended: by an answer that ends it, or by abort, which the refusal names', async () => {
  const project = testProject({ isGit: false })
  onTestFinished(() => project.remove())
  const flags = { agentCommand: 'true', check: ['grep -q cli-word-21 work.txt'], maxIterations: '1', ask: false }
  for (const id of ['stuck', 'good', 'left']) expect(await task(project.look(), { ...flags, id }, ['x'])).toBe(3)
  keepSecret('cli-word-21', 'CLI_KEY')
  const refusal = /^Run stuck is refused \(pawl abort stuck ends it\) because checks\[0\]\.command holds the value of CLI_KEY/
  await expect(resume(project.look(), {}, 'stuck')).rejects.toThrow(refusal)
  expect(await answer(project.look(), {}, 'stuck', 'abort')).toBe(0)
  const ended = project.look({ json: true })
  await resume(ended, {}, 'stuck')
  expect(ended.documents[0]).toMatchObject({ run: 'stuck', status: 'aborted' })
  const accepted = project.look({ json: true })
  expect(await answer(accepted, { resume: true }, 'good', 'accept')).toBe(0)
  expect(accepted.documents[0]).toMatchObject({ run: 'good', status: 'completed' })
  expect(await abort(project.look(), {}, 'left')).toBe(0)
})

test('SECRET-46 so can one that belongs to a session', async () => {
  const project = sessionProject()
  onTestFinished(() => project.remove())
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', 's-1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const look = () => collectingContext(project.root, false)
  const flags = { agentCommand: 'true', check: ['grep -q cli-word-22 work.txt'], maxIterations: '1', id: 'bound' }
  await ralph(look(), { ...flags, prompt: 'x', bind: true })
  vi.stubEnv('CLAUDE_CODE_SESSION_ID', '')
  await project.call('claude', { hook_event_name: 'Stop' })
  keepSecret('cli-word-22', 'CLI_KEY')
  await answer(look(), {}, 'bound', 'abort')
  expect((await project.state('bound'))?.status).toBe('aborted')
})
