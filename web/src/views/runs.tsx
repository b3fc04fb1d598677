import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { get, useResource } from '../api.ts'
import { useTitle } from '../app.tsx'
import { costText, counted, thousands } from '../format.ts'
import { useKeys } from '../keys.ts'
import { projectChanges } from '../live.ts'
import { Age, Failure, Loaded, Spark, Status } from '../parts/basics.tsx'
import { go, place, setQuery, to } from '../router.ts'
import type { RunListRow, RunListPage } from '../types.ts'

const PAGE = 50

/** All runs: those that wait for a person first. Filters, search and sort are in the address. */
export function Runs(): JSX.Element {
  useTitle('Runs · Pawl')
  const { query } = place.value
  const path = pathOf(query)
  const version = projectChanges.value
  const found = useResource<RunListPage>(path, version)
  const more = useSignal<{ readonly path: string; readonly pages: readonly RunListPage[] }>({ path, pages: [] })
  const pages = more.value.path === path ? more.value.pages : []
  const selected = useSignal(-1)
  const rows = [
    ...new Map([...(found.data?.items ?? []), ...pages.flatMap(({ items }) => items)].map((row) => [row.run, row])).values(),
  ]
  const next = pages.length > 0 ? pages.at(-1)?.next : found.data?.next

  const loadMore = async (): Promise<void> => {
    if (next === undefined) return
    const page = await get<RunListPage>(`${path}&cursor=${encodeURIComponent(next)}`)
    more.value = { path, pages: [...pages, page] }
  }
  const move = (by: number): void => {
    selected.value = Math.max(0, Math.min(rows.length - 1, selected.value + by))
    document.querySelector(`[data-row="${selected.value}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      const row = rows[selected.value]
      if (row) go(to(['runs', row.run]))
    },
  })

  return (
    <div class="stack">
      <div class="row between">
        <h1>Runs</h1>
        <span class="soft small num" aria-live="polite">
          {found.data && counts(found.data)}
        </span>
      </div>
      <Filters />
      {found.error && found.data && <Failure problem={found.error} />}
      <Loaded of={found} height={400}>
        {() =>
          rows.length === 0 ? (
            <Nothing isFiltered={[...query.keys()].some((key) => key !== 'sort')} />
          ) : (
            <>
              <Table rows={rows} selected={selected.value} />
              <ul class="cards narrow">
                {rows.map((row, index) => (
                  <li key={row.run} data-row={index}>
                    <Card row={row} />
                  </li>
                ))}
              </ul>
              {next !== undefined && <More key={next} load={loadMore} left={(found.data?.total ?? 0) - rows.length} />}
            </>
          )
        }
      </Loaded>
    </div>
  )
}

function counts({ total, waiting }: RunListPage): string {
  return `${counted(total, 'run')}${waiting > 0 ? ` · ${thousands(waiting)} waiting for you` : ''}`
}

function pathOf(query: URLSearchParams): string {
  const wanted = new URLSearchParams({ limit: String(PAGE) })
  for (const name of ['status', 'loop', 'agent', 'q', 'sort']) {
    const value = query.get(name)
    if (value) wanted.set(name, value)
  }
  return `/runs?${wanted}`
}

const STATUSES = [
  ['', 'All'],
  ['escalated', 'Needs answer'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['paused', 'Paused'],
  ['stopped', 'Stopped'],
  ['completed', 'Done'],
  ['aborted', 'Ended'],
] as const
const LOOPS = [
  ['', 'All'],
  ['task', 'Task'],
  ['ralph', 'Ralph'],
  ['review', 'Review'],
  ['research', 'Research'],
] as const
const SORTS = [
  ['', 'Last change'],
  ['-started', 'Newest'],
  ['-cost', 'Cost'],
  ['-iterations', 'Iterations'],
  ['run', 'Name'],
] as const

function Filters(): JSX.Element {
  const { query } = place.value
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const search = (event: Event): void => {
    const { value } = event.currentTarget as HTMLInputElement
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setQuery({ q: value }), 150)
  }
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        placeholder="Search names and goals"
        aria-label="Search runs"
        value={query.get('q') ?? ''}
        onInput={search}
      />
      <Choice name="status" label="Status" options={STATUSES} />
      <Choice name="loop" label="Loop" options={LOOPS} />
      <Choice name="sort" label="Sort" options={SORTS} />
      {query.get('agent') && (
        <button type="button" onClick={() => setQuery({ agent: undefined })}>
          Agent: {query.get('agent')} ✕
        </button>
      )}
    </form>
  )
}

function Choice({
  name,
  label,
  options,
}: {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [string, string])[]
}): JSX.Element {
  return (
    <select
      aria-label={label}
      value={place.value.query.get(name) ?? ''}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {value === '' ? `${label}: ${text}` : text}
        </option>
      ))}
    </select>
  )
}

const COLUMNS: readonly (readonly [title: string, sort?: string])[] = [
  ['Status'],
  ['Run', 'run'],
  ['Agent'],
  ['Iterations', '-iterations'],
  ['Failing tests'],
  ['Cost', '-cost'],
  ['Changed', '-updated'],
]

function Table({ rows, selected }: { readonly rows: readonly RunListRow[]; readonly selected: number }): JSX.Element {
  return (
    <div class="panel wide">
      <table class="runs">
        <caption class="hidden">Runs. Press j and k to move, Enter to open.</caption>
        <thead>
          <tr>
            {COLUMNS.map(([title, sort]) => (
              <Head key={title} title={title} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Row key={row.run} row={row} index={index} isSelected={index === selected} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Head({ title, sort }: { readonly title: string; readonly sort: string | undefined }): JSX.Element {
  const isRight = title === 'Iterations' || title === 'Cost' || title === 'Changed'
  const right = isRight ? { class: 'right' } : {}
  if (sort === undefined) return <th {...right}>{title}</th>
  const now = place.value.query.get('sort') || '-updated'
  const name = sort.replace('-', '')
  const isSorted = now.replace('-', '') === name
  const isDown = now.startsWith('-')
  const flipped = isDown ? name : `-${name}`
  return (
    <th {...right} {...(isSorted ? { 'aria-sort': isDown ? ('descending' as const) : ('ascending' as const) } : {})}>
      <button type="button" onClick={() => setQuery({ sort: isSorted ? flipped : sort })}>
        {title} {isSorted ? (isDown ? '↓' : '↑') : ''}
      </button>
    </th>
  )
}

function Row({
  row,
  index,
  isSelected,
}: {
  readonly row: RunListRow
  readonly index: number
  readonly isSelected: boolean
}): JSX.Element {
  const open = (event: MouseEvent): void => {
    if (!(event.target as Element).closest('a') && !getSelection()?.toString()) go(to(['runs', row.run]))
  }
  return (
    <tr class={row.isWaiting ? 'waiting' : ''} data-row={index} aria-selected={isSelected} onClick={open}>
      <td>
        <Status status={row.status} isHeld={row.isHeld} />
      </td>
      <td class="goal">
        <a class="clip" href={to(['runs', row.run])}>
          {row.run}
        </a>
        <span class="clip soft small" title={row.goal ?? row.problem}>
          {row.goal ?? row.problem ?? ''}
        </span>
        {row.isWaiting && row.question && <span class="clip wait small">{row.question.text}</span>}
      </td>
      <td>
        <span class="clip">{row.agent}</span>
        <span class="soft small">{row.loop}</span>
      </td>
      <td class="right num">{iterationsText(row)}</td>
      <td>
        <Failing row={row} />
      </td>
      <td class="right num">{costText(row)}</td>
      <td class="right soft">
        <Age at={row.updatedAt} />
      </td>
    </tr>
  )
}

function iterationsText({ iterations, iterationsMax, tasks, tasksDone }: RunListRow): string {
  const count = iterationsMax === undefined ? thousands(iterations) : `${thousands(iterations)} of ${thousands(iterationsMax)}`
  return tasks === undefined || tasks < 2 ? count : `${count} · ${tasksDone ?? 0}/${tasks} tasks`
}

function Failing({ row }: { readonly row: RunListRow }): JSX.Element {
  if (row.research !== undefined)
    return <span class="soft small">{{ FULL: 'full', PARTIAL: 'partial', not_converged: 'open' }[row.research]}</span>
  return (
    <span class="row">
      <Spark values={row.trend} />
      <span class="num small">{row.failingLast ?? ''}</span>
    </span>
  )
}

/** A run on a phone. */
function Card({ row }: { readonly row: RunListRow }): JSX.Element {
  return (
    <a class={`panel card ${row.isWaiting ? 'waiting' : ''}`} href={to(['runs', row.run])}>
      <span class="row between">
        <Status status={row.status} isHeld={row.isHeld} />
        <span class="soft small">
          <Age at={row.updatedAt} />
        </span>
      </span>
      <strong class="clip">{row.run}</strong>
      {row.goal && <span class="clip2 soft">{row.goal}</span>}
      {row.isWaiting && row.question && <span class="clip2 wait small">{row.question.text}</span>}
      <span class="row between small">
        <span class="num soft">
          {row.agent} · {iterationsText(row)} · {costText(row) === 'unknown' ? 'cost unknown' : costText(row)}
        </span>
        <Failing row={row} />
      </span>
    </a>
  )
}

/** Loads the next page when it comes into sight. */
function More({ load, left }: { readonly load: () => Promise<void>; readonly left: number }): JSX.Element {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void load(), { rootMargin: '400px' })
    if (button.current) observer.observe(button.current)
    return () => observer.disconnect()
  }, [])
  return (
    <button ref={button} type="button" onClick={() => void load()}>
      Show more ({thousands(left)} left)
    </button>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <div class="empty">
        <p>No run matches.</p>
        <p>
          <a href={to([])}>Show all runs</a>
        </p>
      </div>
    )
  return (
    <div class="empty stack">
      <h2>No runs yet</h2>
      <p>Start one in a terminal. It appears here by itself.</p>
      <pre>
        <code>pawl demo{'\n'}pawl task "All tests pass" --check "npm test"</code>
      </pre>
    </div>
  )
}
