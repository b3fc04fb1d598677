import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { inMemory } from '../support/memory-folder.ts'

/** The built program in separate processes: killed, interrupted, answered, watched. `npm run test:e2e`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // They wait for processes and for the disk, so a few more than there are cores are at work.
    maxWorkers: availableParallelism() + 2,
    isolate: false,
    env: inMemory(),
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
