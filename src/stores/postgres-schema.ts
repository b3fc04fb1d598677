import { PawlError } from '../core/pawl-error.ts'
import type { PostgresClient, PostgresConnection } from './postgres-connection.ts'

/** Version of the tables, kept in `schema_version`. */
const SCHEMA_VERSION = 1

/**
 * `runs` has where each journal ends, so that one UPDATE decides whether an append is taken; its rows change often, so they get space to do
 * so in place. Events and texts are written once. `event` is the canonical text that the hash covers, as text: JSONB would change it.
 * Names of runs are sorted as bytes, whatever the database's language.
 */
const tables = (schema: string): string => `
  CREATE SCHEMA IF NOT EXISTS ${schema};
  CREATE TABLE ${schema}.schema_version (version int NOT NULL);
  INSERT INTO ${schema}.schema_version VALUES (${SCHEMA_VERSION});
  CREATE TABLE ${schema}.runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text COLLATE "C" NOT NULL UNIQUE,
    seq int NOT NULL DEFAULT 0, hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    started_at float8, updated_at float8,
    epoch int NOT NULL DEFAULT 0, is_released boolean NOT NULL DEFAULT true, token text,
    pid int, process_started_at text, host text, since float8, renewed_at float8
  ) WITH (fillfactor = 50);
  CREATE TABLE ${schema}.events (
    run bigint NOT NULL, seq int NOT NULL, hash bytea NOT NULL, event text NOT NULL, PRIMARY KEY (run, seq)
  );
  CREATE TABLE ${schema}.texts (sha256 bytea PRIMARY KEY, content bytea NOT NULL);
  CREATE TABLE ${schema}.snapshots (
    run bigint PRIMARY KEY, seq int NOT NULL, hash text NOT NULL, version int NOT NULL, state text NOT NULL
  );
  CREATE TABLE ${schema}.summaries (
    run bigint PRIMARY KEY, seq int NOT NULL, version int NOT NULL, status text NOT NULL, is_waiting boolean NOT NULL,
    loop text NOT NULL, agent text NOT NULL, text text NOT NULL, started_at float8 NOT NULL, updated_at float8 NOT NULL,
    iterations float8 NOT NULL, cost_usd float8, row text NOT NULL
  );
  CREATE TABLE ${schema}.queue (
    run bigint PRIMARY KEY, project text NOT NULL, repository text NOT NULL, repository_runs_max int, labels text[] NOT NULL,
    priority float8 NOT NULL, due_at float8, event_version int NOT NULL, place bigint GENERATED ALWAYS AS IDENTITY
  );
  CREATE TABLE ${schema}.queue_turns (project text PRIMARY KEY, turn bigint NOT NULL);
`

/** The database's clock, in whole milliseconds since the epoch. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8'

/** Makes the tables unless they are there. Refuses those of a newer Pawl. */
export async function ensureSchema(connection: PostgresConnection, schema: string): Promise<void> {
  const version = await versionOf((sql) => connection.ask(sql), schema, connection.where)
  if (version === SCHEMA_VERSION) return
  await connection.transact(async (client) => {
    // For this transaction only, so that a pooler may have the connection back.
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('pawl schema ' || $1, 0))", [schema])
    // Another process may have made them while we waited.
    if ((await versionOf(asks(client), schema, connection.where)) === 0) await client.query(tables(schema))
  })
}

/** 0 if there are no tables yet. */
async function versionOf(
  ask: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  schema: string,
  where: string,
): Promise<number> {
  // The catalog itself: what the server remembers of names may be older than the lock.
  const [found] = await ask(
    `SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE relname = 'schema_version' AND nspname = '${schema}'`,
  )
  if (!found) return 0
  const [row] = await ask(`SELECT version FROM ${schema}.schema_version`)
  const version = Number(row?.['version'])
  if (version <= SCHEMA_VERSION) return version
  const message = `${where} was written by a newer Pawl (schema ${version}, this one knows ${SCHEMA_VERSION}).\n  Update  npm install -g pawl`
  throw new PawlError('store.newer-schema', message, { value: version })
}

function asks(client: PostgresClient) {
  return async (sql: string) => (await client.query(sql)).rows
}
