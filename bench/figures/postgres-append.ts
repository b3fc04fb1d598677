import { Client } from 'pg'
import { postgresStore } from '../../src/stores/postgres-store.ts'
import { claimed, iterationStarted } from '../../src/testing/store-case.ts'
import { postgresMissing, startPostgres } from '../../test/fleet/postgres-server.ts'
import { setup } from '../../test/fleet/install-servers.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { milliseconds, spread } from '../wording.ts'

const APPENDS = 100
const ROUNDS = 5

/** What an append to Postgres costs beside one INSERT of the same rows: same server, same connection settings, one transaction each. */
export const postgresAppend: Figure = {
  name: 'postgres-append',
  bound: atMost(1.5),
  async measure(say) {
    await setup()
    const missing = postgresMissing()
    if (missing) return { status: 'unmeasured', reason: missing }
    await using server = await startPostgres()
    const url = await server.newDatabase()
    const store = postgresStore({ url })
    const claim = await claimed(store)
    const client = new Client(url)
    await client.connect()
    await client.query('CREATE TABLE bare (run bigint, seq int, hash bytea, event text, PRIMARY KEY (run, seq))')
    const [bare, own]: [number[], number[]] = [[], []]
    let seq = 0
    try {
      for (let round = 0; round <= ROUNDS; round++) {
        say(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}, ${APPENDS} appends each`)
        const [ownMs, bareMs]: [number[], number[]] = [[], []]
        for (let count = 0; count < APPENDS; count++) {
          const startedAt = performance.now()
          await store.append(claim.run, [iterationStarted(seq)], { claim, expectedSeq: seq })
          ownMs.push(performance.now() - startedAt)
          seq += 1
          const [row] = (await client.query('SELECT hash, event FROM pawl.events WHERE seq = $1', [seq])).rows
          const bareAt = performance.now()
          await client.query('INSERT INTO bare VALUES ($1, $2, $3, $4)', [1, seq, row.hash, row.event])
          bareMs.push(performance.now() - bareAt)
        }
        if (round === 0) continue
        own.push(median(ownMs))
        bare.push(median(bareMs))
      }
    } finally {
      await client.end()
      await store.close()
    }
    const ratios = own.map((ms, index) => ms / (bare[index] as number))
    const details = [
      `An append takes ${milliseconds(median(own))}, a bare INSERT of the same row ${milliseconds(median(bare))} (medians), both durable.`,
      `The value is the median of ${ROUNDS} ratios, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: median(ratios), details }
  },
}
