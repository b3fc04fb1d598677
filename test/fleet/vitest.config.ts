import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Real database servers take seconds to start, and megabytes once: `npm run test:fleet` runs these tests, `npm test` does not. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: [join(import.meta.dirname, 'install-servers.ts')],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
