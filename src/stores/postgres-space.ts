import { CLAIM_COLUMNS, type PostgresClaims } from './postgres-claims.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import type { Claim, RunSize, Store, StoreSizes } from './store.ts'

/** Removes runs, and texts that no run needs. */
export interface PostgresSpace {
  remove(claim: Claim): Promise<boolean>
  sizes(): Promise<StoreSizes>
  compact(): ReturnType<Store['compact']>
}

/** What is kept in the database, and a way to have less of it. The server looks for references itself: events stay where they are. */
export function postgresSpace({ ask, transact }: PostgresConnection, schema: string, claims: PostgresClaims): PostgresSpace {
  // Any hash in an event may be a text's: one too many keeps a text, one too few would lose it.
  const references = `SELECT DISTINCT events.run, decode(found[1], 'hex') AS sha256 FROM ${schema}.events, regexp_matches(event, '[0-9a-f]{64}', 'g') AS found`
  return {
    async remove({ run, epoch }) {
      let isRetried = false
      return transact(
        async (client) => {
          const { rows } = await client.query(
            `SELECT id, epoch = $2 AND NOT is_released AS "isHeld" FROM ${schema}.runs WHERE run = $1 FOR UPDATE`,
            [run, epoch],
          )
          const [row] = rows
          // It was removed before the connection was lost.
          if (row === undefined && isRetried) return true
          if (row?.['isHeld'] !== true) return false
          for (const table of ['events', 'snapshots', 'summaries', 'queue'])
            await client.query(`DELETE FROM ${schema}.${table} WHERE run = $1`, [row['id']])
          await client.query(`DELETE FROM ${schema}.runs WHERE id = $1`, [row['id']])
          return true
        },
        { onRetry: () => (isRetried = true) },
      )
    },
    async sizes() {
      const runs = await ask(
        `SELECT runs.run, count(*)::int AS events, sum(octet_length(event))::float8 AS "eventBytes"
         FROM ${schema}.events JOIN ${schema}.runs ON runs.id = events.run GROUP BY runs.run`,
      )
      const texts = await ask(
        `WITH refs AS (${references}), users AS (SELECT sha256, count(*) AS count, min(run) AS run FROM refs GROUP BY sha256)
         SELECT least(coalesce(users.count, 0), 2)::int AS users, CASE WHEN users.count = 1 THEN runs.run END AS run,
           sum(octet_length(content))::float8 AS bytes
         FROM ${schema}.texts LEFT JOIN users USING (sha256) LEFT JOIN ${schema}.runs ON runs.id = users.run GROUP BY 1, 2`,
      )
      const own = new Map(texts.filter(({ users }) => users === 1).map(({ run, bytes }) => [run, Number(bytes)]))
      const bytesOf = (users: number): number => Number(texts.find((each) => each['users'] === users)?.['bytes'] ?? 0)
      return {
        runs: runs.map((row) => ({ ...(row as unknown as RunSize), textBytes: own.get(row['run']) ?? 0 })),
        sharedTextBytes: bytesOf(2),
        unusedTextBytes: bytesOf(0),
        fileBytes: await tableBytes(),
      }
    },
    async compact() {
      return transact(async (client) => {
        // Who appends meanwhile waits, and writes its texts again if they are gone by then.
        await client.query(`LOCK TABLE ${schema}.texts, ${schema}.events, ${schema}.runs IN SHARE ROW EXCLUSIVE MODE`)
        const { rows: open } = await client.query(`SELECT ${CLAIM_COLUMNS} FROM ${schema}.runs WHERE NOT is_released`)
        if (claims.held(open).length > 0) return undefined
        const { rows } = await client.query(
          `WITH refs AS MATERIALIZED (${references}), gone AS (
             DELETE FROM ${schema}.texts WHERE NOT EXISTS (SELECT FROM refs WHERE refs.sha256 = texts.sha256) RETURNING octet_length(content) AS bytes
           ) SELECT coalesce(sum(bytes), 0)::float8 AS bytes FROM gone`,
        )
        return { bytesFreed: Number(rows[0]?.['bytes']) }
      })
    },
  }

  async function tableBytes(): Promise<number> {
    const [row] = await ask(
      `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
      [schema],
    )
    return Number(row?.['bytes'])
  }
}
