import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import { postgresStore } from '../../src/stores/postgres-store.ts'
import { simulate } from '../../src/testing/simulation.ts'
import { claimed, drive, iterationStarted, runPaused, STRANGER } from '../../src/testing/store-case.ts'
import { scenarios } from '../scenarios.ts'
import { postgresMissing, type PostgresServer, startPostgres } from './postgres-server.ts'

const missing = postgresMissing()

describe.skipIf(missing)(`Postgres${missing ? `, skipped: ${missing}` : ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  test('POSTGRES-1 a stale epoch is refused in the transaction of its own append, also if this store does not know yet', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url, { leaseMs: 100 })
    const [one, two] = [clients.open(), clients.open()]
    const old = await claimed(one, 'a', STRANGER)
    await drive(one, old, 0, iterationStarted(1))
    await sleep(150)
    await drive(two, await claimed(two, 'a', STRANGER), 1, iterationStarted(2))
    // It remembers that its own epoch may write, and where the journal ended then.
    expect(await one.append('a', [iterationStarted(3)], { claim: old, expectedSeq: 1 })).toEqual({
      status: 'fenced',
      holder: STRANGER,
    })
    expect(await one.read('a')).toHaveLength(2)
  })

  test('POSTGRES-2 leases go by the clock of the database, whatever this machine thinks', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url, { leaseMs: 60_000 })
    const store = clients.open()
    await claimed(store, 'a', STRANGER)
    const { now } = Date
    try {
      Date.now = () => now() + 3_600_000
      expect(await store.holder('a')).toEqual(STRANGER)
    } finally {
      Date.now = now
    }
    await sql(url, 'UPDATE pawl.runs SET renewed_at = renewed_at - 61000')
    expect(await store.holder('a')).toBeUndefined()
  })

  test('POSTGRES-3 a claim is renewed while all other connections are busy', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url, { connectionsMax: 1 })
    const store = clients.open()
    const claim = await claimed(store)
    await store.append('b', [runPaused('tea')])
    const blocker = new Client(url)
    await blocker.connect()
    await blocker.query("BEGIN; SELECT 1 FROM pawl.runs WHERE run = 'b' FOR UPDATE")
    const stuck = store.append('b', [runPaused('cake')])
    expect(await store.renew(claim)).toBe(true)
    await blocker.query('ROLLBACK')
    await blocker.end()
    expect((await stuck).status).toBe('appended')
  })

  test('POSTGRES-4 appends outlast a server that is killed and started again: all are there, once', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url)
    const store = clients.open()
    const claim = await claimed(store)
    const writing = (async () => {
      for (let seq = 0; seq < 300; seq++) await drive(store, claim, seq, iterationStarted(seq + 1))
    })()
    const people = (async () => {
      for (let count = 0; count < 100; count++) await store.append('other', [runPaused(`reason ${count}`)])
    })()
    await sleep(200)
    await server.stop('kill')
    await sleep(500)
    await server.start()
    await Promise.all([writing, people])
    for (const [run, count] of [
      [claim.run, 300],
      ['other', 100],
    ] as const) {
      const events = await store.readStored(run)
      expect(verifyChain(events)).toMatchObject({ ok: true, seq: count })
      expect(new Set(events.map(({ data }) => JSON.stringify(data))).size).toBe(count)
    }
  })

  test('POSTGRES-5 tables of a newer Pawl are refused, and nothing is changed', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url)
    await clients.open().append('a', [runPaused('tea')])
    await sql(url, 'UPDATE pawl.schema_version SET version = 99')
    const newer = clients.open()
    await expect(newer.append('a', [runPaused('tea')])).rejects.toMatchObject({ code: 'store.newer-schema' })
    expect(await sql(url, 'SELECT count(*)::int AS count FROM pawl.events')).toEqual([{ count: 1 }])
  })

  test('POSTGRES-6 many processes that come first make the tables once', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url)
    await Promise.all(Array.from({ length: 8 }, (_, index) => clients.open().append(`run-${index}`, [runPaused('tea')])))
    expect(await clients.open().runs()).toHaveLength(8)
  })

  test('POSTGRES-7 an unreachable server, a wrong password and a missing database are named in three lines with the fix, without the password', async () => {
    const url = await server.newDatabase()
    const wrong = [
      [url.replace(/:\d+\//, ':1/'), 'store.unreachable', /PAWL_STORE/],
      [url.replace(server.password, 'other-password'), 'store.refused', /PGPASSWORD/],
      [url.replace(/test_\d+$/, 'nowhere'), 'store.refused', /createdb/],
    ] as const
    for (const [address, code, fix] of wrong) {
      const store = postgresStore({ url: address, retryMsMax: 200 })
      const error = await store.runs().catch((each: unknown) => each as Error)
      expect(error).toMatchObject({ code, message: expect.stringMatching(fix) })
      expect((error as Error).message.split('\n').length).toBeLessThanOrEqual(3)
      expect((error as Error).message).not.toMatch(/other-password|not-a-secret/)
      await store.close()
    }
  })

  test('POSTGRES-8 a changed event is noticed by verify, and by who writes next', async () => {
    const url = await server.newDatabase()
    await using clients = opened(url)
    await clients.open().append('a', [runPaused('tea'), runPaused('cake')])
    await sql(url, `UPDATE pawl.events SET event = replace(event, 'tea', 'gin') WHERE seq = 1`)
    const store = clients.open()
    expect(verifyChain(await store.readStored('a'))).toMatchObject({ ok: false, seq: 1 })
    await expect(store.append('a', [runPaused('more')])).rejects.toMatchObject({ code: 'store.tampered' })
  })

  test.each(['task', 'review'])(
    'POSTGRES-9 simulated crashes: a %s loop that is killed at every fifth moment ends with the same history',
    async (kind) => {
      const url = await server.newDatabase()
      const [name, scenario] =
        Object.entries(scenarios).find(([each]) => each.includes(kind)) ?? Object.entries(scenarios)[0] ?? []
      if (!scenario) throw new Error(`there is a scenario ${kind} (${name})`)
      const play = async (crashAt: readonly number[]) => {
        let alive: (holder: never) => boolean | 'unknown' = isNobodyAlive
        const store = postgresStore({ url, isAlive: (holder) => alive(holder as never) })
        const { claim } = (await store.claim('simulated', STRANGER)) as { claim: Parameters<typeof store.remove>[0] }
        await store.remove(claim)
        const result = await simulate(
          scenario,
          (isAlive) => {
            alive = isAlive as never
            return store
          },
          crashAt,
        )
        expect(verifyChain(await store.readStored('simulated')).ok).toBe(true)
        alive = isNobodyAlive
        await store.close()
        return result
      }
      const types = ({ events }: Awaited<ReturnType<typeof play>>) =>
        events
          .filter(({ type }) => /^(?:iteration\.ended|decision\.made|run\.(?:completed|stopped))/.test(type))
          .map(({ type }) => type)
      const whole = await play([])
      let crashes = 0
      // Every moment, in memory, is test/simulation.test.ts; a database takes longer.
      for (let moment = 1; moment <= whole.moments; moment += 5) {
        const killed = await play([moment])
        crashes += killed.crashes
        expect(types(killed), `killed at ${moment}`).toEqual(types(whole))
        expect([...killed.files].toSorted()).toEqual([...whole.files].toSorted())
      }
      // Renewals go by the clock, so there are a few moments more or less each time.
      expect(crashes).toBeGreaterThan(whole.moments / 10)
    },
  )
})

/** Stores that are closed together. */
function opened(url: string, options: Partial<Parameters<typeof postgresStore>[0]> = {}) {
  const stores: ReturnType<typeof postgresStore>[] = []
  return {
    open() {
      const store = postgresStore({ url, ...options })
      stores.push(store)
      return store
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stores.map((store) => store.close()))
    },
  }
}

async function sql(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows as readonly unknown[]
  } finally {
    await client.end()
  }
}

function isNobodyAlive(): boolean {
  return false
}
