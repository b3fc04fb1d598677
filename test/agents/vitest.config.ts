import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Real agents take seconds each and hundreds of megabytes once: `npm run test:agents` runs them, `npm test` does not. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: [join(import.meta.dirname, 'install-agents.ts')],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
})
