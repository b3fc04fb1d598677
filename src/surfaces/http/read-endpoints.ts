import { basename } from 'node:path'
import { defined } from '../../core/defined.ts'
import type { TextRef } from '../../core/event-data.ts'
import type { Event } from '../../core/event.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { spentTogether, totalsSoFar } from '../../core/spending.ts'
import type { Totals } from '../../core/state.ts'
import { resultIn } from '../../evidence/research-results.ts'
import { runRecord, type RunRecord } from '../../evidence/run-record.ts'
import { statistics } from '../../evidence/statistics.ts'
import { evolveAll } from '../../loops/evolve.ts'
import { provenanceOf } from '../../loops/review/index.ts'
import { comparison } from '../../present/comparison.ts'
import { diffFileViews, fileHunks } from '../../present/diff-view.ts'
import { gridView, type TestFate } from '../../present/grid-view.ts'
import { basisBefore, iterationDetail, type TextView } from '../../present/iteration-detail.ts'
import type { DetailFold } from '../../present/run-detail.ts'
import type { RunListRow } from '../../present/run-list.ts'
import { provenanceRecords } from '../../present/provenance.ts'
import { activityPath, activityReader } from '../../process/activity.ts'
import {
  byDefault,
  listOf,
  looseMap,
  needed,
  NUMBER,
  oneOf,
  optional,
  settingsSchema,
  textUpTo,
  WORDS,
} from '../../schema/kinds.ts'
import { RUN_SORTS, type RunPosition, type RunSort } from '../../stores/store.ts'
import manifest from '../../../package.json' with { type: 'json' }
import type {
  AgentOutcomes,
  DayOutcomes,
  EventsPage,
  Outcomes,
  ReviewView,
  RunAnswer,
  RunListPage,
  SessionView,
  StatsView,
} from './contract.ts'
import { type Call, countText, type Endpoint, endpoint, type HttpProject } from './endpoint.ts'

const SORTS = RUN_SORTS.flatMap((sort) => [sort, `-${sort}`] as const)
const FATES = ['fixed', 'new', 'persisting', 'broken', 'flapping', 'vanished', 'other'] as const satisfies readonly TestFate[]

/** How much of a text is in an answer; the rest is fetched by its hash. */
const TEXT_LENGTH_MAX = 64 * 1024

const LINES_MAX = 2000

const ROW = looseMap('a run', {
  run: WORDS,
  status: WORDS,
  seq: NUMBER,
  iterations: NUMBER,
  startedAt: NUMBER,
  updatedAt: NUMBER,
})

const session = endpoint({
  method: 'GET',
  path: '/session',
  about: 'Who you are here, and what this server can do',
  answers: 'SessionView',
  call: async ({ project, caller }): Promise<SessionView> => ({
    version: manifest.version,
    project: basename(project.root),
    canDrive: project.program !== undefined,
    ...(caller.device === undefined ? {} : { device: caller.name }),
  }),
})

const listRuns = endpoint({
  method: 'GET',
  path: '/runs',
  about: 'Lists runs, those that wait for you first',
  query: settingsSchema({
    status: optional(textUpTo(200), 'Only runs that are so; several with commas: running,escalated'),
    loop: optional(textUpTo(100), 'Only runs of this loop'),
    agent: optional(textUpTo(100), 'Only runs of this agent'),
    q: optional(textUpTo(200), 'Only runs whose name, goal or agent contains this'),
    sort: byDefault(oneOf(SORTS), '-updated', 'What to sort by; with "-" the newest, dearest or longest first'),
    cursor: optional(textUpTo(1000), '`next` of the page before'),
    limit: optional(countText(1, 500), 'How many runs (default 50)'),
  }),
  answers: 'RunListPage',
  answer: looseMap('a page of runs', { items: listOf('runs', ROW), next: optional(WORDS), waiting: NUMBER, total: NUMBER }),
  call: async ({ project, query }): Promise<RunListPage> => {
    const { status, loop, agent, q, sort, cursor, limit = 50 } = query
    const { items, next, waiting, total, unread } = await project.index.find({
      ...(status ? { status: status.split(',') } : {}),
      ...(loop ? { loop } : {}),
      ...(agent ? { agent } : {}),
      ...(q ? { search: q } : {}),
      sort: sort.replace('-', '') as RunSort,
      isAscending: !sort.startsWith('-'),
      limit,
      ...(cursor ? { after: positionIn(cursor) } : {}),
    })
    return { items, ...(next ? { next: cursorOf(next) } : {}), waiting, total, ...(unread > 0 ? { unread } : {}) }
  },
})

function cursorOf({ isWaiting, value, run }: RunPosition): string {
  return Buffer.from(JSON.stringify([isWaiting, value, run])).toString('base64url')
}

function positionIn(cursor: string): RunPosition {
  try {
    const [isWaiting, value, run] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as readonly unknown[]
    const isValue = typeof value === 'number' || typeof value === 'string'
    if (typeof isWaiting === 'boolean' && isValue && typeof run === 'string') return { isWaiting, value, run }
  } catch {
    // Told below.
  }
  throw new PawlError('usage.cursor', "That cursor isn't one of this server's: take `next` of the page before.", {
    value: cursor,
  })
}

const showRun = endpoint({
  method: 'GET',
  path: '/runs/:run',
  about: 'A run: where it stands, its iterations in short, its limits, question, proof and commands',
  answers: 'RunAnswer',
  answer: looseMap('a run', {
    run: WORDS,
    loop: WORDS,
    status: WORDS,
    message: WORDS,
    seq: NUMBER,
    iterations: listOf('iterations', looseMap('an iteration', { iteration: NUMBER })),
  }),
  call: async ({ project, run }): Promise<RunAnswer> => {
    const detail = (await project.runs.load(run)).detail()
    const holder = await project.store.holder(run)
    const activity = holder ? activityReader(activityPath(project, run))() : []
    return {
      ...detail,
      isHeld: holder !== undefined,
      ...(holder ? { holder: { ...holder, isSeen: true } } : {}),
      ...(activity.length > 0 ? { activity } : {}),
    }
  },
})

const showIteration = endpoint({
  method: 'GET',
  path: '/runs/:run/iterations/:n',
  about: 'One iteration: brief, words, tool calls, checks, review notes, decision and its reasons',
  answers: 'IterationDetail',
  call: async ({ project, run, param }) => {
    const fold = await project.runs.load(run)
    const { number, events } = await eventsOfIteration(project, fold, run, param)
    const earlier = await Promise.all(
      basisBefore(number, fold.run, events[0]?.seq ?? 0).map(async (seq) => (await project.store.read(run, seq - 1, 1))[0]),
    )
    const detail = iterationDetail(
      number,
      fold.run,
      events,
      earlier.filter((event) => event !== undefined),
    )
    const works = detail.works.map(async ({ brief, words, ...work }) => ({
      ...work,
      brief: await textView(project, brief),
      ...(words ? { words: await textView(project, words) } : {}),
    }))
    return { ...detail, works: await Promise.all(works) }
  },
})

async function eventsOfIteration(
  { store }: HttpProject,
  { run: { iterations } }: DetailFold,
  run: string,
  param: string,
): Promise<{ readonly number: number; readonly events: readonly Event[] }> {
  const number = /^\d{1,9}$/.test(param) ? Number(param) : -1
  const next = iterations[number]
  // Iteration 0 is the look before any work.
  const from = number === 0 ? 0 : iterations[number - 1]?.seq
  if (from === undefined || number < 0)
    throw new PawlError('run.no-iteration', `Run ${run} has no iteration ${param}: it has ${iterations.length}.`, {
      value: param,
    })
  const first = Math.max(0, from - 1)
  return { number, events: await store.read(run, first, next ? next.seq - 1 - first : undefined) }
}

async function textView({ store }: HttpProject, { sha256, bytes, bytesCut = 0 }: TextRef): Promise<TextView> {
  const text = (await store.getText({ sha256, bytes })) ?? ''
  const isCut = text.length > TEXT_LENGTH_MAX || bytesCut > 0
  return { sha256, text: text.slice(0, TEXT_LENGTH_MAX), bytes: bytes + bytesCut, ...(isCut ? { isCut } : {}) }
}

const readText = endpoint({
  method: 'GET',
  path: '/texts/:sha256',
  about: 'A whole brief, output or diff, as plain text',
  answers: 'text/plain',
  call: async ({ project, param, context }) => {
    const text = /^[0-9a-f]{64}$/.test(param) ? await project.store.getText({ sha256: param, bytes: 0 }) : undefined
    if (text === undefined) throw new PawlError('text.unknown', 'There is no such text in this project.', { value: param })
    return context.text(text)
  },
})

const showDiff = endpoint({
  method: 'GET',
  path: '/runs/:run/iterations/:n/diff',
  about: 'The files that an iteration changed, or with `file` the changed lines of one of them',
  query: settingsSchema({ file: optional(textUpTo(4096), 'A path of the list') }),
  answers: 'DiffView | FilePatch',
  call: async ({ project, run, param, query: { file } }) => {
    const { number, events } = await eventsOfIteration(project, await project.runs.load(run), run, param)
    const observed = events.findLast((event) => event.type === 'workspace.observed' && event.by.role === 'workspace')
    const data = observed?.type === 'workspace.observed' ? observed.data : undefined
    const patch = data?.diff ? ((await project.store.getText(data.diff)) ?? '') : ''
    const command = `pawl diff ${run} ${number}`
    if (file === undefined)
      return {
        run,
        iteration: number,
        files: diffFileViews(patch, data?.files ?? []),
        filesChanged: data?.filesChanged ?? 0,
        insertions: data?.insertions ?? 0,
        deletions: data?.deletions ?? 0,
        ...(data?.diff?.bytesCut ? { isCut: true } : {}),
        command,
      }
    const found = fileHunks(patch, file, LINES_MAX)
    if (!found)
      throw new PawlError('diff.no-file', `The journal has no changed lines of ${file}. To see them: ${command}`, { value: file })
    return { run, iteration: number, path: file, ...found }
  },
})

const showGrid = endpoint({
  method: 'GET',
  path: '/runs/:run/grid',
  about: 'Tests by iterations: which were fixed, are new, still fail, come and go or vanished',
  query: settingsSchema({
    fate: optional(oneOf(FATES), 'Only tests of this kind'),
    q: optional(textUpTo(200), 'Only tests whose name contains this'),
    from: optional(countText(0, 1e9), 'The first iteration'),
    to: optional(countText(0, 1e9), 'The last iteration'),
    offset: optional(countText(0, 1e9), '`next` of the part before'),
    limit: optional(countText(1, 2000), 'How many tests (default 200)'),
  }),
  answers: 'GridView',
  call: async ({ project, run, query: { q, offset = 0, limit = 200, fate, from, to } }) =>
    gridView(run, (await project.runs.load(run)).ledger.grid(), { ...defined({ fate, from, to, search: q }), offset, limit }),
})

const listEvents = endpoint({
  method: 'GET',
  path: '/runs/:run/events',
  about: "A run's events, the same as `pawl log RUN --json`",
  query: settingsSchema({
    after: optional(countText(0, 1e15), 'Only events after this seq'),
    limit: optional(countText(1, 5000), 'How many events (default 1000)'),
  }),
  answers: 'EventsPage',
  call: async ({ project, run, query: { after = 0, limit = 1000 } }): Promise<EventsPage> => {
    const events = await project.store.read(run, after, limit)
    if (events.length === 0) await project.runs.load(run)
    const last = events.at(-1)
    return { events, ...(events.length === limit && last ? { next: last.seq } : {}) }
  },
})

const showResearch = endpoint({
  method: 'GET',
  path: '/runs/:run/research',
  about: 'What research has come to: answers, findings with citations, gaps, conflicts, convergence',
  answers: 'ResearchResult',
  call: async ({ project, run }) => {
    await project.runs.load(run)
    const result = resultIn(await project.store.read(run))
    if (!result) throw new PawlError('run.no-research', `Run ${run} isn't research, or has not begun to look.`, { value: run })
    return result
  },
})

const showReview = endpoint({
  method: 'GET',
  path: '/runs/:run/review',
  about: 'Who did what, why, and the verdict on it',
  answers: 'ReviewView',
  call: async ({ project, run }): Promise<ReviewView> => {
    await project.runs.load(run)
    const events = await project.store.read(run)
    return { run, ...provenanceOf(events), records: provenanceRecords(events) }
  },
})

const compareRuns = endpoint({
  method: 'GET',
  path: '/compare',
  about: 'Two runs side by side',
  query: settingsSchema({ a: needed(textUpTo(200), 'A run'), b: needed(textUpTo(200), 'Another run') }),
  answers: 'Comparison',
  call: async ({ project, query: { a, b } }) => {
    const [one, other] = [await project.runs.load(a), await project.runs.load(b)]
    return comparison({ detail: one.detail(), grid: one.ledger.grid() }, { detail: other.detail(), grid: other.ledger.grid() })
  },
})

/** What statistics need of a run, by its last event: a journal that hasn't changed isn't read again. */
const records = new WeakMap<
  HttpProject,
  Map<string, { seq: number; record: RunRecord | undefined; totals: Totals | undefined }>
>()

const showStats = endpoint({
  method: 'GET',
  path: '/stats',
  about: 'What guards stopped, saved and got wrong; money over time; outcomes by agent and model',
  answers: 'StatsView',
  call: async ({ project }: Call<unknown, unknown>): Promise<StatsView> => {
    const known =
      records.get(project) ?? new Map<string, { seq: number; record: RunRecord | undefined; totals: Totals | undefined }>()
    records.set(project, known)
    const rows = await project.index.all()
    for (const { run, seq, status } of rows) {
      if (status === 'damaged' || known.get(run)?.seq === seq) continue
      const events = await project.store.read(run)
      const state = evolveAll(undefined, events)
      known.set(run, { seq, record: runRecord(events), totals: state && totalsSoFar(state) })
    }
    const present = rows.flatMap(({ run }) => known.get(run) ?? [])
    const { proposals: _own, ...counted } = statistics(present.flatMap(({ record }) => record ?? []))
    return {
      ...counted,
      spent: spentTogether(present.flatMap(({ totals }) => totals ?? [])),
      byAgent: outcomesBy(rows, ({ agent = 'unknown', model }) => ({ agent, ...(model === undefined ? {} : { model }) })),
      byDay: outcomesBy(
        rows.toSorted((one, other) => one.startedAt - other.startedAt),
        ({ startedAt }) => ({ day: new Date(startedAt).toISOString().slice(0, 10) }),
      ),
    } satisfies StatsView & { byAgent: readonly AgentOutcomes[]; byDay: readonly DayOutcomes[] }
  },
})

function outcomesBy<Group extends object>(
  rows: readonly RunListRow[],
  groupOf: (row: RunListRow) => Group,
): readonly (Group & Outcomes)[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(groupOf(row)))
  return [...groups.values()].flatMap((of) => {
    const [first] = of
    if (!first) return []
    const count = (status: string): number => of.filter((row) => row.status === status).length
    const priced = of.flatMap(({ costUsd }) => costUsd ?? [])
    const isCostPartial =
      priced.length > 0 && of.some(({ costUsd, isCostPartial: isOwn }) => costUsd === undefined || isOwn === true)
    return [
      {
        ...groupOf(first),
        runs: of.length,
        completed: count('completed'),
        stopped: count('stopped'),
        aborted: count('aborted'),
        ...(priced.length > 0 ? { costUsd: priced.reduce((sum, each) => sum + each, 0) } : {}),
        ...(isCostPartial ? { isCostPartial } : {}),
      },
    ]
  })
}

/** The addresses that only read. */
export const READ_ENDPOINTS: readonly Endpoint[] = [
  session,
  listRuns,
  showRun,
  showIteration,
  showDiff,
  readText,
  showGrid,
  listEvents,
  showResearch,
  showReview,
  showStats,
  compareRuns,
]
