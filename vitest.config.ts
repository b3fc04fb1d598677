import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  // What examples import is the source, not the build.
  resolve: {
    alias: [
      { find: /^pawl$/, replacement: join(import.meta.dirname, 'src/index.ts') },
      { find: /^pawl\/loops\/task$/, replacement: join(import.meta.dirname, 'src/loops/task/index.ts') },
    ],
  },
  test: {
    // Real agents are large and take minutes: `npm run test:agents` runs them.
    exclude: [...configDefaults.exclude, 'test/agents/**'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // Most tests wait for processes, so a few more than there are cores are at work.
    maxWorkers: 3,
    // Starting a worker for each of hundreds of files takes longer than most of them do. No test changes what another one sees.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
