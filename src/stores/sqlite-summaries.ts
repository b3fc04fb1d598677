import type { SQLInputValue } from 'node:sqlite'
import type { RunId } from '../core/event.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { LAST_PLACE_OF_RUN, PLACES_PER_RUN } from './sqlite-schema.ts'
import type { RunChange, RunPage, RunPosition, RunQuery, RunSort, RunSummary } from './store.ts'

export interface SqliteSummaries {
  /** Where every run's journal ends. */
  ends(): Promise<readonly RunChange[]>
  stale(version: number): Promise<readonly RunChange[]>
  put(summaries: readonly RunSummary[]): Promise<void>
  find(query: RunQuery): Promise<RunPage>
}

/** The table of summaries. Ten thousand rows are read in a few milliseconds, so it needs no index. */
export function sqliteSummaries({ database, query, transactLightly }: SqliteConnection): SqliteSummaries {
  const seqOfRun = `(${LAST_PLACE_OF_RUN}) - runs.id * ${PLACES_PER_RUN}`
  const ends = database.prepare(`SELECT run, seq FROM (SELECT run, ${seqOfRun} AS seq FROM runs) WHERE seq IS NOT NULL`)
  const stale = database.prepare(`
    SELECT run, seq FROM (
      SELECT runs.run, ${seqOfRun} AS seq, summaries.seq AS seen, version FROM runs LEFT JOIN summaries ON summaries.run = runs.id
    ) WHERE seq IS NOT NULL AND (seen IS NOT seq OR version IS NOT ?)`)
  const replace = database.prepare(
    `REPLACE INTO summaries SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM runs WHERE run = ? AND (${LAST_PLACE_OF_RUN}) IS NOT NULL`,
  )
  const waiting = database.prepare('SELECT count(*) AS count FROM summaries WHERE is_waiting = 1')
  return {
    ends: () => query(() => ends.all().map(toChange)),
    stale: (version) => query(() => stale.all(version).map(toChange)),
    put: (summaries) =>
      transactLightly(() => {
        for (const each of summaries) replace.run(...columnsOf(each), each.run)
      }),
    find: (wanted) =>
      query(() => {
        const { sort = 'updated', isAscending = false, limit, after } = wanted
        const { conditions, values } = filtersOf(wanted)
        const value = VALUES[sort]
        const where = conditions.join(' AND ')
        const total = Number(database.prepare(`SELECT count(*) AS count FROM summaries WHERE ${where}`).get(...values)?.['count'])
        const later = after ? laterThan(after, value, isAscending) : { condition: '1', values: [] }
        const order = `is_waiting DESC, value ${isAscending ? 'ASC' : 'DESC'}, name`
        // Only what the order needs is sorted; the rows themselves are read for this page alone.
        const rows = database
          .prepare(
            `SELECT summaries.*, found.name, found.value FROM (
               SELECT summaries.run AS id, runs.run AS name, is_waiting, ${value} AS value
               FROM summaries JOIN runs ON runs.id = summaries.run WHERE ${where} AND ${later.condition} ORDER BY ${order} LIMIT ?
             ) AS found JOIN summaries ON summaries.run = found.id ORDER BY found.${order.replace('value', 'found.value').replace('name', 'found.name')}`,
          )
          .all(...values, ...later.values, limit + 1) as unknown as readonly Row[]
        const shown = rows.slice(0, limit)
        const last = rows.length > limit ? shown.at(-1) : undefined
        return {
          items: shown.map(toSummary),
          ...(last ? { next: { isWaiting: last.is_waiting === 1, value: last.value, run: last.name } } : {}),
          total,
          waiting: Number(waiting.get()?.['count']),
        }
      }),
  }
}

function toChange({ run, seq }: Record<string, unknown>): RunChange {
  return { run: run as RunId, seq: seq as number }
}

/** Never text of a request: only these become a part of a statement. */
const VALUES: Readonly<Record<RunSort, string>> = {
  updated: 'updated_at',
  started: 'started_at',
  cost: 'coalesce(cost_usd, -1)',
  iterations: 'iterations',
  run: 'runs.run',
}

interface Filters {
  readonly conditions: readonly string[]
  readonly values: readonly SQLInputValue[]
}

function filtersOf({ status, loop, agent, search }: RunQuery): Filters {
  const all: readonly (readonly [condition: string, ...values: SQLInputValue[]])[] = [
    ['1'],
    ...(status ? [[`status IN (${status.map(() => '?').join(', ')})`, ...status] as const] : []),
    ...(loop === undefined ? [] : [['loop = ?', loop] as const]),
    ...(agent === undefined ? [] : [['agent = ?', agent] as const]),
    ...(search === undefined ? [] : [['instr(text, ?) > 0', search.toLowerCase()] as const]),
  ]
  return { conditions: all.map(([condition]) => condition), values: all.flatMap(([, ...values]) => values) }
}

function laterThan({ isWaiting, value, run }: RunPosition, column: string, isAscending: boolean) {
  const waits = isWaiting ? 1 : 0
  return {
    condition: `(is_waiting < ? OR (is_waiting = ? AND (${column} ${isAscending ? '>' : '<'} ? OR (${column} = ? AND runs.run > ?))))`,
    values: [waits, waits, value, value, run],
  }
}

function columnsOf(summary: RunSummary): SQLInputValue[] {
  const { seq, version, status, isWaiting, loop, agent, text, startedAt, updatedAt, iterations, costUsd, row } = summary
  const json = JSON.stringify(row)
  return [seq, version, status, isWaiting ? 1 : 0, loop, agent, text, startedAt, updatedAt, iterations, costUsd ?? null, json]
}

interface Row {
  readonly name: RunId
  readonly value: number | string
  readonly seq: number
  readonly version: number
  readonly status: string
  readonly is_waiting: number
  readonly loop: string
  readonly agent: string
  readonly text: string
  readonly started_at: number
  readonly updated_at: number
  readonly iterations: number
  readonly cost_usd: number | null
  readonly row: string
}

function toSummary({ name, seq, version, status, loop, agent, text, iterations, ...row }: Row): RunSummary {
  return {
    run: name,
    seq,
    version,
    status,
    isWaiting: row.is_waiting === 1,
    loop,
    agent,
    text,
    startedAt: row.started_at,
    updatedAt: row.updated_at,
    iterations,
    ...(row.cost_usd === null ? {} : { costUsd: row.cost_usd }),
    row: JSON.parse(row.row),
  }
}
