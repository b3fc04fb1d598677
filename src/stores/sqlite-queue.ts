import type { RunId } from '../core/event.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { type SqliteClaims, type SqliteRuns, toKnownClaim } from './sqlite-journal.ts'
import { LAST_PLACE_OF_RUN, PLACES_PER_RUN } from './sqlite-schema.ts'
import { type ClaimRule, judgeClaim } from './store-rules.ts'
import type { QueuedRun, QueueWorker, RunQueue, TakenRun } from './store.ts'

export interface SqliteQueue extends Omit<RunQueue, 'take'> {
  take(worker: QueueWorker, rule: ClaimRule): Promise<TakenRun | undefined>
}

/** The table of the queue. A power cut may undo a change of it, but not a run put there: a run taken twice finds that it is over. */
export function sqliteQueue(
  { database, query, transact, transactLightly }: SqliteConnection,
  runs: SqliteRuns,
  claims: SqliteClaims,
): SqliteQueue {
  const replace = database.prepare('REPLACE INTO queue VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const list = database.prepare('SELECT queue.*, runs.run AS name FROM queue JOIN runs ON runs.id = queue.run ORDER BY queue.run')
  const open = database.prepare('SELECT claims.* FROM queue JOIN claims ON claims.run = queue.run WHERE claims.is_released = 0')
  const next = database.prepare(NEXT)
  const taken = database.prepare('UPDATE queue SET event_version = ? WHERE run = ?')
  const hadTurn = database.prepare('REPLACE INTO queue_turns SELECT ?, coalesce(max(turn), 0) + 1 FROM queue_turns')
  const postpone = database.prepare(`
    UPDATE queue SET due_at = iif(?1 < (${LAST_PLACE_OF_RUN}) - runs.id * ${PLACES_PER_RUN}, ?2, ?3)
    FROM runs WHERE runs.id = queue.run AND runs.run = ?4`)
  const drop = database.prepare('DELETE FROM queue WHERE run = (SELECT id FROM runs WHERE run = ?)')

  return {
    async put({ run, project, repository, repositoryRunsMax, labels, priority, dueAt, eventVersion }) {
      const repositoryMax = repositoryRunsMax ?? null
      await transact(() => {
        const id = runs.idOf(run)
        replace.run(id, project, repository, repositoryMax, JSON.stringify(labels), priority, dueAt ?? null, eventVersion)
      })
    },
    take: ({ holder, labels, eventVersion }, rule) =>
      transactLightly(() => {
        const held = open.all().filter((row) => judgeClaim(toKnownClaim(row), rule).status === 'held')
        const heldIds = JSON.stringify(held.map(({ run }) => run))
        const row = next.get(heldIds, rule.now, eventVersion, JSON.stringify(labels)) as QueueRow | undefined
        if (!row) return undefined
        const result = claims.claimWithin(row.name, holder, rule)
        if (result.status !== 'claimed') return undefined
        taken.run(eventVersion, row.run)
        hadTurn.run(row.project)
        return { ...result, entry: { ...toEntry(row), eventVersion } }
      }),
    putBack: (claim, { seq, dueAt }) =>
      transactLightly(() => {
        const isOurs = claims.releaseWithin(claim)
        if (isOurs) postpone.run(seq, Date.now(), dueAt ?? null, claim.run)
        return isOurs
      }),
    remove: (claim) =>
      transactLightly(() => {
        const isOurs = claims.releaseWithin(claim)
        if (isOurs) drop.run(claim.run)
        return isOurs
      }),
    list: () => query(() => list.all().map((row) => toEntry(row as unknown as QueueRow))),
  }
}

/** ?1: the runs that somebody holds, ?2: now, ?3: the worker's version of events, ?4: its labels. */
const NEXT = `
  WITH held AS (SELECT queue.run, project, repository FROM json_each(?1) JOIN queue ON queue.run = value),
    projects AS MATERIALIZED (SELECT project, count(*) AS runs FROM held GROUP BY project),
    repositories AS MATERIALIZED (SELECT repository, count(*) AS runs FROM held GROUP BY repository)
  SELECT queue.*, runs.run AS name FROM queue
  JOIN runs ON runs.id = queue.run
  LEFT JOIN projects ON projects.project = queue.project
  LEFT JOIN repositories ON repositories.repository = queue.repository
  LEFT JOIN queue_turns ON queue_turns.project = queue.project
  WHERE due_at <= ?2 AND event_version <= ?3 AND queue.run NOT IN (SELECT value FROM json_each(?1))
    AND NOT EXISTS (SELECT 1 FROM json_each(labels) WHERE value NOT IN (SELECT value FROM json_each(?4)))
    AND coalesce(repositories.runs < repository_runs_max, repository_runs_max IS NULL OR repository_runs_max > 0)
  ORDER BY priority DESC, coalesce(projects.runs, 0), coalesce(turn, 0), due_at, queue.run LIMIT 1`

interface QueueRow {
  readonly run: number
  readonly name: RunId
  readonly project: string
  readonly repository: string
  readonly repository_runs_max: number | null
  readonly labels: string
  readonly priority: number
  readonly due_at: number | null
  readonly event_version: number
}

function toEntry(row: QueueRow): QueuedRun {
  return {
    run: row.name,
    project: row.project,
    repository: row.repository,
    ...(row.repository_runs_max === null ? {} : { repositoryRunsMax: row.repository_runs_max }),
    labels: JSON.parse(row.labels),
    priority: row.priority,
    ...(row.due_at === null ? {} : { dueAt: row.due_at }),
    eventVersion: row.event_version,
  }
}
