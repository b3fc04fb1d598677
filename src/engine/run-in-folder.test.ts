import { expect, test } from 'vitest'
import type { RunConfig } from '../core/run-config.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { currentProcessIdentity } from '../process/process-identity.ts'
import { configOf } from '../testing/state-builder.ts'
import { runInFolder } from './run-in-folder.ts'

function configAt(path: string, worktree = false): RunConfig {
  return { ...configOf([]), workspace: { name: 'git', v: 1, settings: { path, worktree } } }
}

test('CLI-255 a run that is being driven in the same folder is in the way, and no other is', async () => {
  const store = memoryStore()
  const claimed = await store.claim('one', currentProcessIdentity())
  if (claimed.status !== 'claimed') throw new Error('not claimed')
  const { claim } = claimed
  const started = { type: 'run.started', at: 1, by: { role: 'runner' }, data: { config: configAt('/a') } } as const
  await store.append('one', [started], { claim, expectedSeq: 0 })
  expect(await runInFolder({ store }, 'two', configAt('/a'))).toBe('one')
  expect(await runInFolder({ store }, 'one', configAt('/a'))).toBeUndefined()
  expect(await runInFolder({ store }, 'two', configAt('/b'))).toBeUndefined()
  expect(await runInFolder({ store }, 'two', configAt('/a', true))).toBeUndefined()
  await store.release(claim)
  expect(await runInFolder({ store }, 'two', configAt('/a'))).toBeUndefined()
})
