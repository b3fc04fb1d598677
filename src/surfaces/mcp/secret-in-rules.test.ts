import { expect, test } from 'vitest'
import { keepSecretsOf } from '../../journal/known-secrets.ts'
import { testFolder, toolsIn } from './test-support.ts'

const VALUE = 'shop-word-2'

function start(taskId: string, word: string) {
  return {
    taskId,
    maxIterations: 3,
    completionPromises: ['<promise>COMPLETE</promise>'],
    validationRules: [{ type: 'command', name: 'tests', config: { command: `grep -q ${word} work.txt` } }],
  }
}

test('SECRET-36 a loop is refused whose rule holds a known value, and one that goes on already is refused while it is known', async () => {
  const { call, workshop } = toolsIn(testFolder())
  await call('iteration_start', start('before', VALUE))
  expect(await call('iteration_start', start('before', VALUE))).toMatchObject({ resumed: true })
  keepSecretsOf({ SHOP_KEY: VALUE })
  const refused = { code: 'run.secret-in-config', message: expect.stringContaining('checks[0].command') }
  await expect(call('iteration_start', start('after', VALUE))).rejects.toMatchObject(refused)
  expect(await workshop.store.read('after')).toEqual([])
  await expect(call('iteration_validate', { iterationId: 'before' })).rejects.toMatchObject(refused)
})

test('SECRET-35 a loop whose task is called after a known value begins, and the same start finds it again', async () => {
  keepSecretsOf({ TASK_KEY: 'task-word-3' })
  const { call } = toolsIn(testFolder())
  expect(await call('iteration_start', start('task-word-3', 'x'))).toMatchObject({ iterationId: 'task-word-3', resumed: false })
  expect(await call('iteration_start', start('task-word-3', 'x'))).toMatchObject({ iterationId: 'task-word-3', resumed: true })
})
