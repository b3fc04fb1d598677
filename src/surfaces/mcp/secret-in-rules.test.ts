import { expect, test } from 'vitest'
import { keepSecretsOf } from '../../secrets/known-values.ts'
import { redactText } from '../../secrets/filter.ts'
import { testFolder, toolsIn } from '../../../test/support/mcp-support.ts'

const VALUE = 'shop-word-2'

function start(taskId: string, word: string) {
  return {
    taskId,
    maxIterations: 3,
    completionPromises: ['<promise>COMPLETE</promise>'],
    validationRules: [{ type: 'command', name: 'tests', config: { command: `grep -q ${word} work.txt` } }],
  }
}

test('SECRET-36 a loop is refused whose rule holds a known value, and one that runs already is refused while it is known', async () => {
  const { call, project } = toolsIn(testFolder())
  await call('iteration_start', start('before', VALUE))
  expect(await call('iteration_start', start('before', VALUE))).toMatchObject({ resumed: true })
  keepSecretsOf({ SHOP_KEY: VALUE })
  const refused = { code: 'run.secret-in-config', message: expect.stringContaining('checks[0].command') }
  await expect(call('iteration_start', start('after', VALUE))).rejects.toMatchObject(refused)
  expect(await project.store.read('after')).toEqual([])
  await expect(call('iteration_validate', { iterationId: 'before' })).rejects.toMatchObject(refused)
})

test('SECRET-35 a loop whose task is called after a known value begins, and the same start finds it again', async () => {
  keepSecretsOf({ TASK_KEY: 'task-word-3' })
  const { call } = toolsIn(testFolder())
  expect(await call('iteration_start', start('task-word-3', 'x'))).toMatchObject({ iterationId: 'task-word-3', resumed: false })
  expect(await call('iteration_start', start('task-word-3', 'x'))).toMatchObject({ iterationId: 'task-word-3', resumed: true })
})

test('SECRET-44 whoever asks about a run that does not exist makes nothing of its name visible; a run that begins does', async () => {
  keepSecretsOf({ ASKED_KEY: 'asked-word-4' })
  const { call } = toolsIn(testFolder())
  for (const name of ['iteration_validate', 'iteration_next'])
    await expect(call(name, { iterationId: 'asked-word-4' })).rejects.toMatchObject({ code: 'run.unknown' })
  await expect(call('run_question', { run: 'asked-word-4' })).rejects.toMatchObject({ code: 'run.unknown' })
  await expect(call('research_step', { runId: 'asked-word-4' })).rejects.toMatchObject({ code: 'research.no-question' })
  expect(await redactText('see asked-word-4')).toBe('see [redacted: ASKED_KEY]')
  await call('iteration_start', start('asked-word-4', 'x'))
  expect(await redactText('see asked-word-4')).toBe('see asked-word-4')
})

test('SECRET-46 an answer that ends a loop takes effect although its rule holds a known value', async () => {
  const { call, project } = toolsIn(testFolder(), { relaysAnswers: true })
  await call('iteration_start', { ...start('ended', 'shop-word-5'), maxIterations: 1 })
  await call('iteration_validate', { iterationId: 'ended' })
  await call('iteration_next', { iterationId: 'ended' })
  keepSecretsOf({ SHOP_KEY: 'shop-word-5' })
  const refused = expect.stringContaining('Run ended is refused (pawl abort ended ends it)')
  await expect(call('iteration_next', { iterationId: 'ended' })).rejects.toMatchObject({ message: refused })
  expect(await call('run_answer', { run: 'ended', choice: 'abort' })).toMatchObject({ status: 'aborted' })
  expect((await project.store.read('ended')).at(-1)?.type).toBe('run.aborted')
})

test('SECRET-49 research whose question holds a secret continues by the same call', async () => {
  keepSecretsOf({ LOOK_KEY: 'look-word-5' })
  const { call } = toolsIn(testFolder())
  const asked = { runId: 'look', question: 'How does look-word-5 work?' }
  for (const _ of ['begins', 'goes on']) expect(await call('research_step', asked)).toMatchObject({ run: 'look' })
  await expect(call('research_step', { ...asked, question: 'How else?' })).rejects.toMatchObject({
    code: 'research.other-question',
  })
})
