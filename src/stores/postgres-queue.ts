import type { PostgresClaims } from './postgres-claims.ts'
import { CLAIM_COLUMNS } from './postgres-claims.ts'
import type { PostgresConnection, Row } from './postgres-connection.ts'
import { NOW } from './postgres-schema.ts'
import type { QueuedRun, RunQueue } from './store.ts'

/**
 * The table of the queue. Takes happen one at a time, by a lock that ends with the transaction: how many runs of a project and of a
 * repository are under way is only true then. A run whose row is just being written is skipped, so nobody waits for an append.
 */
export function postgresQueue({ ask, transact }: PostgresConnection, schema: string, claims: PostgresClaims): RunQueue {
  const queue = `${schema}.queue`
  const runs = `${schema}.runs`
  const isOurs = `SELECT id, seq FROM ${runs} WHERE run = $1 AND epoch = $2 AND NOT is_released FOR UPDATE`
  const released = `released AS (UPDATE ${runs} SET is_released = true FROM ours WHERE runs.id = ours.id RETURNING runs.id, runs.seq)`
  return {
    async put({ run, project, repository, repositoryRunsMax, labels, priority, dueAt, eventVersion }) {
      await transact(async (client) => {
        await client.query(`INSERT INTO ${runs} (run) VALUES ($1) ON CONFLICT DO NOTHING`, [run])
        await client.query(
          `INSERT INTO ${queue} (run, project, repository, repository_runs_max, labels, priority, due_at, event_version)
           SELECT id, $2, $3, $4::int, $5::text[], $6::float8, $7::float8, $8::int FROM ${runs} WHERE run = $1
           ON CONFLICT (run) DO UPDATE SET project = excluded.project, repository = excluded.repository,
             repository_runs_max = excluded.repository_runs_max, labels = excluded.labels, priority = excluded.priority,
             due_at = excluded.due_at, event_version = excluded.event_version`,
          [run, project, repository, repositoryRunsMax ?? null, labels, priority, dueAt ?? null, eventVersion],
        )
      })
    },
    take: ({ holder, labels, eventVersion }) =>
      transact(async (client) => {
        await client.query("SELECT pg_advisory_xact_lock(hashtextextended('pawl queue ' || $1, 0))", [schema])
        const open = await client.query(
          `SELECT runs.id, ${CLAIM_COLUMNS} FROM ${queue} JOIN ${runs} ON runs.id = queue.run WHERE NOT is_released`,
        )
        const held = claims.held(open.rows).map(({ id }) => id)
        const { rows } = await client.query(nextStatement(schema), [held, eventVersion, labels])
        const [row] = rows
        if (row === undefined) return undefined
        const result = await claims.claimLocked(client, String(row['name']), holder)
        if (result.status !== 'claimed') return undefined
        await client.query(`UPDATE ${queue} SET event_version = $2 WHERE run = $1`, [row['run'], eventVersion])
        await client.query(
          `INSERT INTO ${schema}.queue_turns SELECT $1, coalesce(max(turn), 0) + 1 FROM ${schema}.queue_turns
           ON CONFLICT (project) DO UPDATE SET turn = excluded.turn`,
          [row['project']],
        )
        return { ...result, entry: { ...toEntry(row), eventVersion } }
      }),
    async putBack({ run, epoch }, { seq, dueAt }) {
      const rows = await ask(
        `WITH ours AS (${isOurs}), ${released}, later AS (
           UPDATE ${queue} SET due_at = CASE WHEN released.seq > $3::int THEN ${NOW} ELSE $4::float8 END
           FROM released WHERE queue.run = released.id
         ) SELECT 1 FROM released`,
        [run, epoch, seq, dueAt ?? null],
      )
      return rows.length > 0
    },
    async remove({ run, epoch }) {
      const rows = await ask(
        `WITH ours AS (${isOurs}), ${released}, gone AS (DELETE FROM ${queue} USING released WHERE queue.run = released.id)
         SELECT 1 FROM released`,
        [run, epoch],
      )
      return rows.length > 0
    },
    async list() {
      const rows = await ask(`SELECT queue.*, runs.run AS name FROM ${queue} JOIN ${runs} ON runs.id = queue.run ORDER BY place`)
      return rows.map(toEntry)
    },
  }
}

/** $1: the runs that somebody holds, $2: the worker's version of events, $3: its labels. */
function nextStatement(schema: string): string {
  return `
    WITH held AS (SELECT project, repository FROM ${schema}.queue WHERE run = ANY($1::bigint[])),
      projects AS (SELECT project, count(*) AS runs FROM held GROUP BY project),
      repositories AS (SELECT repository, count(*) AS runs FROM held GROUP BY repository)
    SELECT queue.*, runs.run AS name FROM ${schema}.queue
    JOIN ${schema}.runs ON runs.id = queue.run
    LEFT JOIN projects ON projects.project = queue.project
    LEFT JOIN repositories ON repositories.repository = queue.repository
    LEFT JOIN ${schema}.queue_turns ON queue_turns.project = queue.project
    WHERE due_at <= ${NOW} AND event_version <= $2 AND queue.run <> ALL($1::bigint[]) AND labels <@ $3::text[]
      AND coalesce(repositories.runs, 0) < coalesce(repository_runs_max, 2147483647)
    ORDER BY priority DESC, coalesce(projects.runs, 0), coalesce(turn, 0), due_at, place
    LIMIT 1 FOR UPDATE OF queue, runs SKIP LOCKED`
}

function toEntry(row: Row): QueuedRun {
  return {
    run: String(row['name']),
    project: String(row['project']),
    repository: String(row['repository']),
    ...(row['repository_runs_max'] === null ? {} : { repositoryRunsMax: Number(row['repository_runs_max']) }),
    labels: row['labels'] as readonly string[],
    priority: Number(row['priority']),
    ...(row['due_at'] === null ? {} : { dueAt: Number(row['due_at']) }),
    eventVersion: Number(row['event_version']),
  }
}
