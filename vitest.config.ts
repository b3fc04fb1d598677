import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Real agents are large and take minutes: `npm run test:agents` runs them.
    exclude: [...configDefaults.exclude, 'test/agents/**'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
