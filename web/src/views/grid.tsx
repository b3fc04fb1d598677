import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { get, Problem, useResource } from '../api.ts'
import { counted, thousands } from '../format.ts'
import { Failure, Loaded, Panel } from '../parts/basics.tsx'
import { Diff } from '../parts/diff.tsx'
import { OneFailure } from '../parts/failures.tsx'
import { place, setQuery } from '../router.ts'
import type { GridRow, GridView, IterationDetail, TestFate } from '../types.ts'
import type { RunProps } from './run.tsx'

const CELL = 28
const HEAD = 30
const ROWS_AT_ONCE = 100
/** More columns than this are asked for in parts: the newest first. */
const COLUMNS_MAX = 200

const FATES: readonly (readonly [fate: TestFate, text: string])[] = [
  ['broken', 'Broken'],
  ['persisting', 'Persisting'],
  ['flapping', 'Flapping'],
  ['vanished', 'Vanished'],
  ['new', 'New'],
  ['fixed', 'Fixed'],
  ['other', 'Other'],
]

/** Tests by iterations. Only what is in sight is drawn, and only that is asked for. */
export function Grid({ view: { run, iterations } }: RunProps): JSX.Element {
  const { query } = place.value
  const newest = iterations.at(-1)?.iteration ?? 0
  const fate = query.get('fate') ?? ''
  const search = query.get('q') ?? ''
  const last = query.get('to') ?? ''
  const wanted = new URLSearchParams({
    limit: String(ROWS_AT_ONCE),
    ...(fate && { fate }),
    ...(search && { q: search }),
    ...columnsOf(last === '' ? newest : Number(last)),
  })
  const address = `/runs/${encodeURIComponent(run)}/grid?${wanted}`
  const found = useResource<GridView>(address)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  return (
    <Panel title="Tests by iteration" aside={<span class="soft small num">{found.data && summary(found.data)}</span>}>
      <div class="pad filters">
        <input
          type="search"
          placeholder="Search tests"
          aria-label="Search tests"
          value={search}
          onInput={(event) => {
            const { value } = event.currentTarget
            clearTimeout(timer.current)
            timer.current = setTimeout(() => setQuery({ q: value }), 150)
          }}
        />
        <select aria-label="What became of them" value={fate} onChange={(event) => setQuery({ fate: event.currentTarget.value })}>
          <option value="">All that didn’t simply pass</option>
          {FATES.map(([name, text]) => (
            <option key={name} value={name}>
              {text}
              {found.data ? ` (${thousands(found.data.fates[name])})` : ''}
            </option>
          ))}
        </select>
      </div>
      <Loaded of={found} height={300}>
        {(view) =>
          view.total === 0 ? (
            <p class="empty">
              {view.steady > 0 && !fate && !search
                ? `All ${counted(view.steady, 'test')} passed each time.`
                : 'No test to show. A check whose report names its tests fills this grid.'}
            </p>
          ) : (
            <Cells key={`${fate} ${search} ${last}`} run={run} view={view} address={address} />
          )
        }
      </Loaded>
    </Panel>
  )
}

/** The columns: at most 200, up to an iteration. */
function columnsOf(last: number): Record<string, string> {
  return last < COLUMNS_MAX ? {} : { from: String(last - COLUMNS_MAX + 1), to: String(last) }
}

function summary({ total, steady }: GridView): string {
  return `${counted(total, 'test')}${steady > 0 ? ` · ${thousands(steady)} more passed each time` : ''}`
}

const MARKS: Readonly<Record<string, readonly [name: string, mark: string, word: string]>> = {
  p: ['passed', '✓', 'passed'],
  f: ['failed', '✗', 'failed'],
  n: ['notrun', '–', 'not run'],
  v: ['vanished', '∅', 'vanished'],
  '.': ['', '', 'not known'],
}

interface Chosen {
  readonly row: number
  readonly column: number
}

function Cells({ run, view, address }: { readonly run: string; readonly view: GridView; readonly address: string }): JSX.Element {
  const { iterations, total } = view
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useSignal<ReadonlyMap<number, GridRow>>(new Map(view.rows.map((row, index) => [index, row])))
  const asked = useRef(new Set([0]))
  const problem = useSignal<Problem | undefined>(undefined)
  const sight = useSignal({ top: 0, left: 0, height: 500, width: 800 })
  const chosen = useSignal<Chosen | undefined>(undefined)
  const opened = useSignal<Chosen | undefined>(undefined)
  const nameWidth = innerWidth < 700 ? 150 : 340
  const measure = (): void => {
    const element = scroller.current
    if (element)
      sight.value = { top: element.scrollTop, left: element.scrollLeft, height: element.clientHeight, width: element.clientWidth }
  }
  useEffect(() => {
    // The newest iterations are the interesting ones.
    if (scroller.current) scroller.current.scrollLeft = scroller.current.scrollWidth
    measure()
    addEventListener('resize', measure)
    return () => removeEventListener('resize', measure)
  }, [])
  const { top, left, height, width } = sight.value
  const firstRow = Math.max(0, Math.floor(top / CELL) - 4)
  const lastRow = Math.min(total, Math.ceil((top + height) / CELL) + 4)
  const firstColumn = Math.max(0, Math.floor(left / CELL) - 2)
  const lastColumn = Math.min(iterations.length, Math.ceil((left + width - nameWidth) / CELL) + 2)

  useEffect(() => {
    for (let page = Math.floor(firstRow / ROWS_AT_ONCE); page * ROWS_AT_ONCE < lastRow; page++) {
      if (asked.current.has(page)) continue
      asked.current.add(page)
      get<GridView>(`${address}&offset=${page * ROWS_AT_ONCE}`).then(
        (part) =>
          (rows.value = new Map([...rows.value, ...part.rows.map((row, index) => [page * ROWS_AT_ONCE + index, row] as const)])),
        (error: unknown) => {
          asked.current.delete(page)
          problem.value = error instanceof Problem ? error : new Problem(0, { detail: String(error) })
        },
      )
    }
  }, [firstRow, lastRow])

  const move = (event: KeyboardEvent): void => {
    const step = STEPS[event.key]
    const { row, column } = chosen.value ?? { row: firstRow, column: lastColumn - 1 }
    if (event.key === 'Enter' && chosen.value) opened.value = chosen.value
    if (!step) return
    event.preventDefault()
    const next = { row: clamp(row + step[0], total), column: clamp(column + step[1], iterations.length) }
    chosen.value = next
    const element = scroller.current
    if (!element) return
    const y = next.row * CELL
    const x = next.column * CELL
    if (y < element.scrollTop) element.scrollTop = y
    if (y + CELL + HEAD > element.scrollTop + element.clientHeight) element.scrollTop = y + CELL + HEAD - element.clientHeight
    if (x < element.scrollLeft) element.scrollLeft = x
    if (x + CELL + nameWidth > element.scrollLeft + element.clientWidth)
      element.scrollLeft = x + CELL + nameWidth - element.clientWidth
  }
  const drawn: JSX.Element[] = []
  for (let index = firstRow; index < lastRow; index++) {
    const row = rows.value.get(index)
    const cells: JSX.Element[] = []
    const end = row ? lastColumn : firstColumn
    for (let column = firstColumn; column < end; column++) {
      const [name, mark, word] = MARKS[row?.cells[column] ?? '.'] ?? ['', '', '']
      const isChosen = chosen.value?.row === index && chosen.value.column === column
      cells.push(
        <span
          key={column}
          id={`cell-${index}-${column}`}
          role="gridcell"
          aria-label={`${columnName(iterations[column])}: ${word}${row?.newIn === iterations[column] ? ', new' : ''}`}
          aria-selected={isChosen}
          class={`grid-cell ${name} ${isChosen ? 'chosen' : ''} ${row?.newIn === iterations[column] ? 'new' : ''}`}
          style={{ left: `${nameWidth + column * CELL}px` }}
          data-cell={`${index} ${column}`}
        >
          {mark}
        </span>,
      )
    }
    drawn.push(
      <div
        key={index}
        role="row"
        class="grid-row"
        aria-rowindex={index + 2}
        style={{ top: `${HEAD + index * CELL}px`, height: `${CELL}px` }}
      >
        <span
          role="rowheader"
          class="grid-name"
          style={{ width: `${nameWidth}px` }}
          title={row ? `${row.check}: ${row.test}` : ''}
        >
          {row ? (
            <>
              <span class={`fate ${row.fate}`}>{row.fate}</span>
              <span class="clip">{row.test}</span>
            </>
          ) : (
            '…'
          )}
        </span>
        {cells}
      </div>,
    )
  }
  const heads: JSX.Element[] = []
  for (let column = firstColumn; column < lastColumn; column++) {
    const iteration = iterations[column] ?? 0
    // A number with three digits needs two columns.
    const isShown = iterations.length < 100 || iteration % 5 === 0
    heads.push(
      <span
        key={column}
        role="columnheader"
        class="grid-head num"
        style={{ left: `${nameWidth + column * CELL}px` }}
        aria-label={columnName(iteration)}
      >
        {isShown ? (iteration === 0 ? '·' : iteration) : ''}
      </span>,
    )
  }
  const open = (event: MouseEvent): void => {
    const cell = (event.target as Element).closest<HTMLElement>('[data-cell]')?.dataset['cell']
    if (cell === undefined) return
    const [row = 0, column = 0] = cell.split(' ').map(Number)
    chosen.value = { row, column }
    opened.value = chosen.value
  }
  const shown = opened.value && rows.value.get(opened.value.row)
  const iteration = opened.value && iterations[opened.value.column]
  return (
    <>
      <div
        ref={scroller}
        class="grid-scroll"
        role="grid"
        aria-label="Tests by iterations. Arrow keys move, Enter opens."
        aria-rowcount={total + 1}
        aria-colcount={iterations.length + 1}
        tabIndex={0}
        onScroll={measure}
        onKeyDown={move}
        onClick={open}
        style={{ height: `${Math.min(total * CELL + HEAD + 18, 560)}px` }}
        {...(chosen.value ? { 'aria-activedescendant': `cell-${chosen.value.row}-${chosen.value.column}` } : {})}
      >
        <div
          role="rowgroup"
          style={{
            width: `${nameWidth + iterations.length * CELL + 8}px`,
            height: `${HEAD + total * CELL}px`,
            position: 'relative',
          }}
        >
          <div role="row" aria-rowindex={1} class="grid-heads" style={{ height: `${HEAD}px` }}>
            <span role="columnheader" class="grid-name soft" style={{ width: `${nameWidth}px`, height: `${HEAD}px` }}>
              Test
            </span>
            {heads}
          </div>
          {drawn}
        </div>
      </div>
      {problem.value && <Failure problem={problem.value} />}
      <Legend isCut={(iterations[0] ?? 0) > 0} first={iterations[0] ?? 0} />
      {shown && iteration !== undefined && (
        <Opened
          key={`${opened.value?.row} ${iteration}`}
          run={run}
          row={shown}
          iteration={iteration}
          letter={shown.cells[opened.value?.column ?? 0] ?? '.'}
        />
      )}
    </>
  )
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

function clamp(value: number, count: number): number {
  return Math.max(0, Math.min(count - 1, value))
}

function columnName(iteration: number | undefined): string {
  return iteration === 0 ? 'before any work' : `iteration ${iteration}`
}

function Legend({ isCut, first }: { readonly isCut: boolean; readonly first: number }): JSX.Element {
  return (
    <p class="pad row small soft">
      {['p', 'f', 'n', 'v'].map((letter) => {
        const [name = '', mark, word] = MARKS[letter] ?? []
        return (
          <span key={letter} class="row tight">
            <span class={`grid-key ${name}`}>{mark}</span> {word}
          </span>
        )
      })}
      <span>· before any work</span>
      {isCut && first > 1 && (
        <button type="button" class="plain" onClick={() => setQuery({ to: String(first - 1) })}>
          Earlier iterations
        </button>
      )}
      {place.value.query.has('to') && (
        <button type="button" class="plain" onClick={() => setQuery({ to: undefined })}>
          Newest iterations
        </button>
      )}
    </p>
  )
}

/** What a cell opens: the failure, and what that iteration changed. */
function Opened({
  run,
  row,
  iteration,
  letter,
}: {
  readonly run: string
  readonly row: GridRow
  readonly iteration: number
  readonly letter: string
}): JSX.Element {
  const found = useResource<IterationDetail>(`/runs/${encodeURIComponent(run)}/iterations/${iteration}`)
  return (
    <div class="opened" aria-live="polite">
      <p class="pad">
        <strong>{row.test}</strong>{' '}
        <span class={`tag ${letter === 'f' ? 'bad' : letter === 'p' ? 'good' : ''}`}>{MARKS[letter]?.[2]}</span>{' '}
        <span class="soft">
          {columnName(iteration)} · {row.check}
        </span>
      </p>
      <Loaded of={found} height={80}>
        {({ checks }) => {
          const failure = checks.findLast(({ name }) => name === row.check)?.failures.find(({ id }) => id === row.test)
          return failure ? (
            <ul class="list">
              <OneFailure failure={failure} />
            </ul>
          ) : letter === 'f' ? (
            <p class="pad soft small">The journal keeps the first 50 failures of a check; this one isn’t among them.</p>
          ) : null
        }}
      </Loaded>
      {iteration > 0 && <Diff run={run} iteration={iteration} />}
    </div>
  )
}
