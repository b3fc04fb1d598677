import { defineConfig } from 'vitest/config'

/** Ways to fake a pass and kinds of honest work, each a run of its own with real tools: `npm run test:fakes`. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.test.ts'], testTimeout: 120_000, hookTimeout: 60_000, maxWorkers: 3 },
})
