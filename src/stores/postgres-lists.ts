import type { RunId } from '../core/event.ts'
import type { PostgresConnection, Row } from './postgres-connection.ts'
import type { RunChange, RunEntry, RunPage, RunPosition, RunQuery, RunSort, RunSummary } from './store.ts'

export interface PostgresLists {
  runs(): Promise<readonly RunEntry[]>
  /** Where every run's journal ends; or those of these runs. */
  ends(runs?: readonly RunId[]): Promise<readonly RunChange[]>
  /** Differs after every change to any run. */
  version(): Promise<string>
  stale(version: number): Promise<readonly RunChange[]>
  put(summaries: readonly RunSummary[]): Promise<void>
  find(query: RunQuery): Promise<RunPage>
}

/** Lists of runs, and the summaries that they are found by. */
export function postgresLists({ ask }: PostgresConnection, schema: string): PostgresLists {
  const [runs, table] = [`${schema}.runs`, `${schema}.summaries`]
  return {
    async runs() {
      const rows = await ask(
        `SELECT run, seq, coalesce(started_at, 0) AS "startedAt", coalesce(updated_at, 0) AS "updatedAt" FROM ${runs}
         WHERE seq > 0 ORDER BY "updatedAt" DESC, run`,
      )
      return rows as unknown as readonly RunEntry[]
    },
    async ends(wanted) {
      const rows = await ask(`SELECT run, seq FROM ${runs} WHERE seq > 0 AND ($1::text[] IS NULL OR run = ANY($1))`, [
        wanted ?? null,
      ])
      return rows as unknown as readonly RunChange[]
    },
    async version() {
      const [row] = await ask(`SELECT coalesce(sum(hashtextextended(run, seq)), 0)::text AS version FROM ${runs} WHERE seq > 0`)
      return String(row?.['version'])
    },
    async stale(version) {
      const rows = await ask(
        `SELECT runs.run, runs.seq FROM ${runs} LEFT JOIN ${table} ON summaries.run = runs.id
         WHERE runs.seq > 0 AND (summaries.seq IS DISTINCT FROM runs.seq OR summaries.version IS DISTINCT FROM $1::int)`,
        [version],
      )
      return rows as unknown as readonly RunChange[]
    },
    async put(summaries) {
      // Always in the same order, so that two processes can't wait for each other.
      const sorted = summaries.toSorted((one, other) => (one.run < other.run ? -1 : 1))
      for (const each of sorted) await ask(putStatement(runs, table), [each.run, ...columnsOf(each)])
    },
    async find(query) {
      const { sort = 'updated', isAscending = false, limit, after } = query
      const { conditions, values } = filtersOf(query)
      const value = VALUES[sort]
      const source = `${table} JOIN ${runs} ON runs.id = summaries.run WHERE ${conditions.join(' AND ')}`
      const later = after ? laterThan(after, value, isAscending, values.length) : { condition: 'true', values: [] }
      const [counts] = await ask(
        `SELECT (SELECT count(*) FROM ${source})::int AS total, (SELECT count(*) FROM ${table} WHERE is_waiting)::int AS waiting`,
        values,
      )
      const rows = await ask(
        `SELECT summaries.*, runs.run AS name, ${value} AS value FROM ${source} AND ${later.condition}
         ORDER BY is_waiting DESC, value ${isAscending ? 'ASC' : 'DESC'}, name LIMIT ${Math.max(0, Math.trunc(limit)) + 1}`,
        [...values, ...later.values],
      )
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return {
        items: shown.map(toSummary),
        ...(last
          ? {
              next: {
                isWaiting: last['is_waiting'] === true,
                value: last['value'] as string | number,
                run: String(last['name']),
              },
            }
          : {}),
        total: Number(counts?.['total']),
        waiting: Number(counts?.['waiting']),
      }
    },
  }
}

const COLUMNS = 'seq, version, status, is_waiting, loop, agent, text, started_at, updated_at, iterations, cost_usd, row'

function putStatement(runs: string, table: string): string {
  const names = COLUMNS.split(', ')
  const set = names.map((name) => `${name} = excluded.${name}`).join(', ')
  const values = names.map((_, index) => `$${index + 2}`).join(', ')
  // A new run can be removed, or not exist, by now.
  return `INSERT INTO ${table} (run, ${COLUMNS}) SELECT id, ${values.replace('$5', '$5::boolean')} FROM ${runs} WHERE run = $1 AND seq > 0
    ON CONFLICT (run) DO UPDATE SET ${set}`
}

function columnsOf(summary: RunSummary): readonly unknown[] {
  const { seq, version, status, isWaiting, loop, agent, text, startedAt, updatedAt, iterations, costUsd, row } = summary
  return [
    seq,
    version,
    status,
    isWaiting,
    loop,
    agent,
    text,
    startedAt,
    updatedAt,
    iterations,
    costUsd ?? null,
    JSON.stringify(row),
  ]
}

/** Never text of a request: only these become a part of a statement. */
const VALUES: Readonly<Record<RunSort, string>> = {
  updated: 'summaries.updated_at',
  started: 'summaries.started_at',
  cost: 'coalesce(cost_usd, -1)',
  iterations: 'iterations',
  run: 'runs.run',
}

interface Filters {
  readonly conditions: readonly string[]
  readonly values: readonly unknown[]
}

function filtersOf({ status, loop, agent, search }: RunQuery): Filters {
  const wanted: readonly (readonly [condition: (place: string) => string, value: unknown])[] = [
    [(place) => `status = ANY(${place}::text[])`, status],
    [(place) => `loop = ${place}`, loop],
    [(place) => `agent = ${place}`, agent],
    [(place) => `strpos(text, ${place}) > 0`, search?.toLowerCase()],
  ]
  const given = wanted.filter(([, value]) => value !== undefined)
  return {
    conditions: ['true', ...given.map(([condition], index) => condition(`$${index + 1}`))],
    values: given.map(([, value]) => value),
  }
}

function laterThan(
  { isWaiting, value, run }: RunPosition,
  column: string,
  isAscending: boolean,
  before: number,
): {
  readonly condition: string
  readonly values: readonly unknown[]
} {
  const [waits, place, name] = [1, 2, 3].map((number) => `$${before + number}`)
  const kind = typeof value === 'number' ? 'float8' : 'text'
  const sign = isAscending ? '>' : '<'
  return {
    condition: `(is_waiting < ${waits}::boolean OR (is_waiting = ${waits} AND (${column} ${sign} ${place}::${kind} OR (${column} = ${place} AND runs.run > ${name}))))`,
    values: [isWaiting, value, run],
  }
}

function toSummary(row: Row): RunSummary {
  const { name, seq, version, status, loop, agent, text, iterations } = row as unknown as RunSummary & { readonly name: RunId }
  return {
    run: name,
    seq,
    version,
    status,
    isWaiting: row['is_waiting'] === true,
    loop,
    agent,
    text,
    startedAt: Number(row['started_at']),
    updatedAt: Number(row['updated_at']),
    iterations,
    ...(row['cost_usd'] === null ? {} : { costUsd: Number(row['cost_usd']) }),
    row: JSON.parse(String(row['row'])),
  }
}
