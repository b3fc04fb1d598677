import type { KnipConfig } from 'knip'
import { ENTRIES } from './tsdown.config.ts'

const config: KnipConfig = {
  entry: [
    ...Object.values(ENTRIES),
    'scripts/setup.mjs',
    'scripts/docs-site.ts',
    'test/fleet/worker-process.ts',
    'web/build.ts',
    'web/src/main.tsx',
    'web/src/report.tsx',
    'scripts/list-parts.ts',
    'scripts/write-reference.ts',
    'bench/*.ts',
    'bench/odds/train.ts',
    'bench/programs/*.ts',
    'test/fixtures/reports/record-*.ts',
    'test/fixtures/stores/record-*.ts',
    'test/fixtures/agents/*.ts',
    'test/support/short-hook.ts',
    'examples/**/*.ts',
  ],
  project: ['src/**/*.ts', 'test/**/*.ts', 'scripts/*', 'bench/**/*.ts', 'web/**/*.{ts,tsx}'],
  // A type may be exported to give a part of a contract its name, and tests may start any program of the system.
  exclude: ['types', 'binaries'],
}

export default config
