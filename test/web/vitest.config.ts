import { defineConfig } from 'vitest/config'
import { inMemory } from '../support/memory-folder.ts'

/** The page in a real browser, against the built program. `npm run test:web`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // Each file has a browser of its own.
    maxWorkers: 2,
    env: inMemory(),
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
