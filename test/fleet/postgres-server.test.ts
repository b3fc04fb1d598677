import { Client } from 'pg'
import { expect, test } from 'vitest'
import { postgresMissing, startPostgres } from './postgres-server.ts'

const missing = postgresMissing()

test.skipIf(missing)(
  `POSTGRES-20 the server of these tests survives a crash with what was committed${missing ? `: ${missing}` : ''}`,
  async () => {
    await using server = await startPostgres()
    const url = await server.newDatabase()
    const ask = async (sql: string): Promise<unknown> => {
      const client = new Client(url)
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    }
    await ask('CREATE TABLE t (n int); INSERT INTO t VALUES (1)')
    await server.stop('kill')
    await expect(ask('SELECT 1')).rejects.toThrow('ECONNREFUSED')
    await server.start()
    expect(await ask('SELECT n FROM t')).toEqual([{ n: 1 }])
  },
)
