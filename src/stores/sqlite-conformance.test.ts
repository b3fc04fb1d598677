import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { storeConformance } from '../testing/store-conformance.ts'
import { sqliteStore } from './sqlite-store.ts'

const cases = storeConformance('sqlite', ({ leaseMs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-store-'))
  return {
    open: () => sqliteStore({ path: join(folder, 'pawl.db'), leaseMs }),
    dispose: () => rmSync(folder, { recursive: true }),
  }
})

test.for(cases)('$name', async ({ run }) => {
  await expect(run()).resolves.toBeUndefined()
})
