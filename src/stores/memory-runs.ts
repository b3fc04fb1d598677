import type { RunPage, RunPosition, RunQuery, RunSort, RunSummary } from './store.ts'

/** Finds runs as the durable stores do. */
export function findInMemory(summaries: readonly RunSummary[], query: RunQuery): RunPage {
  const { status, loop, agent, search, sort = 'updated', isAscending = false, limit, after } = query
  const found = summaries
    .filter(
      (each) =>
        (status === undefined || status.includes(each.status)) &&
        (loop === undefined || each.loop === loop) &&
        (agent === undefined || each.agent === agent) &&
        (search === undefined || each.text.includes(search.toLowerCase())),
    )
    .map((summary): Placed => ({
      summary,
      place: { isWaiting: summary.isWaiting, value: VALUES[sort](summary), run: summary.run },
    }))
    .toSorted((one, other) => order(one.place, other.place, isAscending))
  const rest = after ? found.filter(({ place }) => order(after, place, isAscending) < 0) : found
  const shown = rest.slice(0, limit)
  const next = rest.length > limit ? shown.at(-1)?.place : undefined
  return {
    items: shown.map(({ summary }) => summary),
    ...(next ? { next } : {}),
    total: found.length,
    waiting: summaries.filter(({ isWaiting }) => isWaiting).length,
  }
}

interface Placed {
  readonly summary: RunSummary
  readonly place: RunPosition
}

const VALUES: Readonly<Record<RunSort, (summary: RunSummary) => number | string>> = {
  updated: ({ updatedAt }) => updatedAt,
  started: ({ startedAt }) => startedAt,
  cost: ({ costUsd = -1 }) => costUsd,
  iterations: ({ iterations }) => iterations,
  run: ({ run }) => run,
}

function order(one: RunPosition, other: RunPosition, isAscending: boolean): number {
  const waits = Number(other.isWaiting) - Number(one.isWaiting)
  const values = compare(one.value, other.value) * (isAscending ? 1 : -1)
  return waits || values || compare(one.run, other.run)
}

function compare(one: number | string, other: number | string): number {
  return one === other ? 0 : one < other ? -1 : 1
}
