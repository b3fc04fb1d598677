import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresStore } from '../../src/stores/postgres-store.ts'
import { storeConformance } from '../../src/testing/store-conformance.ts'
import { postgresMissing, type PostgresServer, startPostgres } from './postgres-server.ts'

const missing = postgresMissing()
let server: PostgresServer | undefined

beforeAll(async () => {
  if (!missing) server = await startPostgres()
})
afterAll(() => server?.[Symbol.asyncDispose]())

let places = 0

const cases = storeConformance('postgres', async ({ leaseMs }) => {
  // A schema each: making a database takes longer.
  const url = `${(shared ??= (await server?.newDatabase()) ?? '')}?schema=place_${++places}`
  return { open: () => postgresStore({ url, leaseMs }), dispose: () => undefined }
})
let shared: string | undefined

test.skipIf(missing).for(cases)(`$name${missing ? `: skipped, ${missing}` : ''}`, async ({ run }) => {
  await expect(run()).resolves.toBeUndefined()
})
