import { defineConfig } from 'vitest/config'
import { inMemory } from '../support/memory-folder.ts'

/** Ways to fake a pass and kinds of honest work, each a run of its own with real tools: `npm run test:fakes`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    env: inMemory(),
    testTimeout: 240_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
  },
})
