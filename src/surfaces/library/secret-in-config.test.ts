import { expect, test } from 'vitest'
import { maxIterations } from '../../guards/index.ts'
import { commandCheck } from '../../checks/command-check.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { keepSecret } from '../../secrets/known-values.ts'
import { taskLoop } from '../../loops/task/index.ts'
import { memoryWorkspace } from '../../testing/memory-parts.ts'
import { createLoop } from './create-loop.ts'

test('SECRET-36 a run of the library is refused at its start where a command holds a value that is known, and nobody is put to work', async () => {
  keepSecret('library-word-1', 'MY_KEY')
  let worked = 0
  const store = memoryStore()
  const loop = createLoop({
    loop: taskLoop({ goal: 'use library-word-1' }),
    guards: [maxIterations(1)],
    agent: {
      spec: { name: 'custom', v: 1, settings: {} },
      work: async (_request, context) => (await context.started(), worked++, { status: 'finished' }),
    },
    checks: [commandCheck({ name: 'tests', command: ['test', '-e', 'library-word-1'] })],
    workspace: memoryWorkspace({ a: '0' }),
    store,
  })
  await expect(loop.run('r')).rejects.toMatchObject({
    code: 'run.secret-in-config',
    message: expect.stringContaining('checks[0].command holds the value of MY_KEY'),
  })
  expect(await store.read('r')).toEqual([])
  expect(worked).toBe(0)
})
