import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { inMemory } from './test/support/memory-folder.ts'

/** Files that start many processes. One of them begun last would keep one worker busy after the others are done. */
const LONG = /\/test\/|\/(?:tinker|workspaces|cli\/commands)\/[^/]+$|\/serve-stdio\./

/** Long files first, also in a fresh clone, where Vitest knows no durations yet. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- the base class's method, which returns a promise
    const { long = [], short = [] } = Object.groupBy(await super.sort(files), ({ moduleId }) =>
      LONG.test(moduleId) ? 'long' : 'short',
    )
    return [...long, ...short]
  }
}

export default defineConfig({
  // What examples import is the source, not the build.
  resolve: {
    alias: [
      { find: /^pawl$/, replacement: join(import.meta.dirname, 'src/index.ts') },
      { find: /^pawl\/loops\/task$/, replacement: join(import.meta.dirname, 'src/loops/task/index.ts') },
    ],
  },
  test: {
    // These take minutes each: `npm run test:e2e`, `test:agents`, `test:fakes`, `test:fleet` and `test:web` run them.
    exclude: [...configDefaults.exclude, 'test/e2e/**', 'test/agents/**', 'test/fakes/**', 'test/fleet/**', 'test/web/**'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    // Many tests wait for processes and for the disk, so a few more than there are cores are at work.
    maxWorkers: availableParallelism() + 2,
    // Starting a worker for each of hundreds of files takes longer than most of them do. No test changes what another one sees.
    isolate: false,
    // What runs of one account share is the tests' own.
    env: { ...inMemory(), PAWL_STATE_DIR: join(tmpdir(), `pawl-test-state-${process.pid}`) },
    sequence: { sequencer: LongFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
