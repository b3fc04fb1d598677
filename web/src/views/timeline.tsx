import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { costText, counted, duration, money, shortTime, thousands } from '../format.ts'
import { useKeys } from '../keys.ts'
import { Panel } from '../parts/basics.tsx'
import { Chart, type ChartGap, type Series } from '../parts/chart.tsx'
import { Shape } from '../parts/icons.tsx'
import { VirtualList } from '../parts/virtual.tsx'
import { go, to } from '../router.ts'
import type { Gap, IterationShort, RunDetail } from '../types.ts'

type Row = { readonly iteration: IterationShort } | { readonly gap: Gap }

/** The iterations as a chart and as a list, with long waits between them. */
export function Timeline({ view, open }: { readonly view: RunDetail; readonly open: number | undefined }): JSX.Element {
  const { iterations, run } = view
  const rows = useMemo(() => rowsOf(view), [view])
  const index = open === undefined ? -1 : rows.findIndex((row) => 'iteration' in row && row.iteration.iteration === open)
  const scroller = useRef<HTMLDivElement>(null)
  const step = (by: number): void => {
    const last = iterations.at(-1)?.iteration ?? 0
    const next = open === undefined ? last : open - by
    if (next >= 1 && next <= last) go(to(['runs', run, 'iterations', next]), { replace: open !== undefined })
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
  const isBoxed = rows.length > BOXED_MIN
  const list = (
    <VirtualList
      count={rows.length}
      rowHeight={ROW_HEIGHT}
      label="Iterations"
      {...(isBoxed ? { scroller } : {})}
      row={(at) => {
        const row = rows[at] as Row
        return 'gap' in row ? (
          <GapRow key={`gap ${row.gap.seq}`} gap={row.gap} />
        ) : (
          <IterationRow
            key={row.iteration.iteration}
            run={run}
            view={row.iteration}
            isOpen={at === index}
            isBest={view.best?.iteration === row.iteration.iteration}
            isNow={at === 0 && view.isHeld}
          />
        )
      }}
    />
  )
  return (
    <Panel title="Iterations" aside={<span class="soft small num">{counted(iterations.length, 'iteration')}</span>}>
      {iterations.length > 1 && <Progress view={view} />}
      {rows.length === 0 ? (
        <p class="empty">No iteration yet.</p>
      ) : isBoxed ? (
        <div ref={scroller} class="boxed" tabIndex={0} role="group" aria-label="List of iterations">
          {list}
        </div>
      ) : (
        list
      )}
    </Panel>
  )
}

const ROW_HEIGHT = 46
const BOXED_MIN = 14

/** The newest first: that is what people look for. */
function rowsOf({ iterations, gaps }: RunDetail): readonly Row[] {
  const rows: Row[] = []
  let next = 0
  for (const iteration of iterations) {
    for (let gap = gaps[next]; gap && gap.seq < iteration.seq; gap = gaps[++next]) rows.push({ gap })
    rows.push({ iteration })
  }
  for (const gap of gaps.slice(next)) rows.push({ gap })
  return rows.toReversed()
}

const WHY: Readonly<Record<Gap['why'], string>> = {
  question: 'waited for an answer',
  provider: 'waited for the provider',
  paused: 'paused',
  nobody: 'nobody drove it',
}

function GapRow({ gap }: { readonly gap: Gap }): JSX.Element {
  return (
    <div class="gap" role="listitem" style={{ height: `${ROW_HEIGHT}px` }}>
      <Shape name="paused" />
      {duration(gap.to - gap.from)} {WHY[gap.why]}
    </div>
  )
}

function IterationRow({
  run,
  view,
  isOpen,
  isBest,
  isNow,
}: {
  readonly run: string
  readonly view: IterationShort
  readonly isOpen: boolean
  readonly isBest: boolean
  readonly isNow: boolean
}): JSX.Element {
  const { iteration, passed, failing, failingBefore, filesChanged, durationMs, task, agent } = view
  const shape = passed === undefined ? (isNow ? 'running' : 'idle') : passed ? 'completed' : 'aborted'
  const tone = passed === undefined ? shape : passed ? 'completed' : 'damaged'
  return (
    <div role="listitem" style={{ height: `${ROW_HEIGHT}px` }}>
      <a
        class="iteration"
        href={to(['runs', run, ...(isOpen ? [] : ['iterations', iteration])])}
        {...(isOpen ? { 'aria-current': 'true' as const } : {})}
      >
        <span class={`status ${tone}`}>
          <Shape name={shape} />
          <span class="hidden">{passed === undefined ? 'under way' : passed ? 'passed' : 'failed'}</span>
        </span>
        <span class="num">
          <span class="soft">#</span>
          {iteration}
        </span>
        <span class="clip">
          {movement(failingBefore, failing)}
          {view.action && view.action !== 'retry' && view.action !== 'proceed' ? (
            <span class="tag wait">{view.action}</span>
          ) : null}
          {isBest && <span class="tag good">best</span>} {task && <span class="soft small">{task}</span>}
        </span>
        <span class="numbers num">
          <span class="wide">{agent ?? ''}</span>
          <span class="wide">{filesChanged === undefined ? '' : counted(filesChanged, 'file')}</span>
          <span class="wide">{passed === undefined ? '' : costText(view)}</span>
          <span>{durationMs === undefined ? '' : shortTime(durationMs)}</span>
        </span>
      </a>
    </div>
  )
}

function movement(before: number | undefined, after: number | undefined): string {
  if (after === undefined) return 'under way '
  if (before === undefined || before === after) return `${thousands(after)} failing `
  return `${thousands(before)} → ${thousands(after)} failing `
}

type Metric = 'failing' | 'score' | 'cost' | 'time'

const METRICS: Readonly<
  Record<
    Metric,
    {
      readonly title: string
      readonly colour: string
      readonly isBars?: boolean
      readonly isWhole?: boolean
      value(each: IterationShort): number | undefined
      text(value: number): string
    }
  >
> = {
  failing: { title: 'Failing tests', colour: '--bad', isWhole: true, value: ({ failing }) => failing, text: thousands },
  score: { title: 'Score', colour: '--good', value: ({ score }) => score, text: (value) => value.toFixed(2) },
  cost: { title: 'Cost', colour: '--accent', isBars: true, value: ({ costUsd }) => costUsd, text: money },
  time: { title: 'Time', colour: '--accent', isBars: true, value: ({ durationMs }) => durationMs, text: shortTime },
}

/** Failing tests, score, cost or time over the iterations: one at a time, so that each has its own scale. */
function Progress({ view }: { readonly view: RunDetail }): JSX.Element {
  const { iterations, gaps, run } = view
  const metric = useSignal<Metric>('failing')
  const known = (Object.keys(METRICS) as Metric[]).filter((each) =>
    iterations.some((iteration) => METRICS[each].value(iteration) !== undefined),
  )
  const shown = METRICS[metric.value]
  const { x, series, marks } = useMemo(() => {
    // Where it began is the first point.
    const before = metric.value === 'failing' ? iterations[0]?.failingBefore : undefined
    const values = [...(before === undefined ? [] : [before]), ...iterations.map((each) => shown.value(each) ?? null)]
    const line: Series = {
      label: shown.title,
      values,
      colour: shown.colour,
      scale: 'value',
      text: shown.text,
      ...(shown.isWhole ? { isWhole: true } : {}),
      ...(shown.isBars && iterations.length <= BARS_MAX ? { isBars: true } : {}),
    }
    const found: ChartGap[] = gaps.map((gap) => ({
      after: iterations.findLast(({ seq }) => seq <= gap.seq)?.iteration ?? 0,
      text: duration(gap.to - gap.from),
    }))
    return {
      x: [...(before === undefined ? [] : [0]), ...iterations.map(({ iteration }) => iteration)],
      series: [line],
      marks: found,
    }
  }, [view, metric.value])
  const values = iterations.flatMap((each) => shown.value(each) ?? [])
  const [first, last] = [values[0], values.at(-1)]
  const label = `${shown.title} over ${counted(iterations.length, 'iteration')}${first === undefined || last === undefined ? '' : `: from ${shown.text(first)} to ${shown.text(last)}`}`
  return (
    <div>
      <div class="segments" role="group" aria-label="What the chart shows">
        {known.map((each) => (
          <button key={each} type="button" aria-pressed={metric.value === each} onClick={() => (metric.value = each)}>
            {METRICS[each].title}
          </button>
        ))}
      </div>
      <Chart
        key={metric.value}
        x={x}
        series={series}
        gaps={marks}
        label={label}
        xText={(iteration) => (iteration === 0 ? 'start' : thousands(iteration))}
        linkTo={(iteration) => to(['runs', run, ...(iteration === 0 ? [] : ['iterations', iteration])])}
      />
    </div>
  )
}

const BARS_MAX = 200
