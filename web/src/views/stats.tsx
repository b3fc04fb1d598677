import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useResource } from '../api.ts'
import { useTitle } from '../app.tsx'
import { costText, counted, duration, money, thousands } from '../format.ts'
import { Loaded, Panel } from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { to } from '../router.ts'
import type { Outcomes, StatsView } from '../types.ts'

/** What the runs of this project came to: outcomes, money over time, guards and the waste that they avoided. */
export function Stats(): JSX.Element {
  useTitle('Stats · Pawl')
  const found = useResource<StatsView>('/stats')
  return (
    <div class="stack">
      <h1>Stats</h1>
      <Loaded of={found} height={400}>
        {(stats) => (stats.runs.count === 0 ? <p class="empty">No runs yet.</p> : <Content stats={stats} />)}
      </Loaded>
    </div>
  )
}

function Content({ stats }: { readonly stats: StatsView }): JSX.Element {
  const { runs, iterations, saved, spent } = stats
  return (
    <>
      <dl class="figures">
        <Figure label="Runs" value={thousands(runs.count)} />
        <Figure
          label="Succeeded"
          value={
            runs.successRate === undefined
              ? `${runs.succeeded}`
              : `${runs.succeeded} (${Math.round(runs.successRate * 100)}% of those that are over)`
          }
        />
        <Figure label="Open" value={thousands(runs.open)} />
        <Figure label="Iterations" value={thousands(iterations)} />
        <Figure label="Cost" value={costText(spent)} />
        <Figure
          label="Avoided by early stops"
          value={`${counted(saved.iterations, 'iteration')}${saved.costUsd === undefined ? '' : `, about ${money(saved.costUsd)}`}`}
        />
      </dl>
      {stats.byDay.length > 1 && <Days stats={stats} />}
      <div class="two">
        <Panel title="Outcomes by agent and model">
          <OutcomeTable
            rows={stats.byAgent.map(({ agent, model, ...rest }) => ({
              name: model === undefined ? agent : `${agent} (${model})`,
              agent,
              ...rest,
            }))}
          />
        </Panel>
        <Panel title="Guards">
          <GuardTable stats={stats} />
        </Panel>
      </div>
      <div class="two">
        <Names
          title="What stood in the way"
          names={[...stats.blocking.tests, ...stats.blocking.files].toSorted((a, b) => b.runs - a.runs)}
        />
        <Names title="Flaky tests" names={stats.flaky} />
      </div>
    </>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Days({ stats: { byDay } }: { readonly stats: StatsView }): JSX.Element {
  const { x, series } = useMemo(
    () => ({
      x: byDay.map((_, index) => index + 1),
      series: [
        {
          label: 'Cost a day',
          values: byDay.map(({ costUsd }) => costUsd ?? null),
          colour: '--accent',
          scale: 'cost',
          text: money,
          isBars: true,
        },
        { label: 'Runs', values: byDay.map(({ runs }) => runs), colour: '--soft', scale: 'runs', text: thousands, isWhole: true },
        {
          label: 'Done',
          values: byDay.map(({ completed }) => completed),
          colour: '--good',
          scale: 'runs',
          text: thousands,
          isWhole: true,
        },
      ],
    }),
    [byDay],
  )
  return (
    <Panel title="Over time" aside={<span class="soft small num">{`${byDay[0]?.day} to ${byDay.at(-1)?.day}`}</span>}>
      <Chart
        x={x}
        series={series}
        label={`Cost and runs over ${counted(byDay.length, 'day')}`}
        xText={(at) => byDay[at - 1]?.day.slice(5) ?? ''}
      />
    </Panel>
  )
}

function OutcomeTable({
  rows,
}: {
  readonly rows: readonly (Outcomes & { readonly name: string; readonly agent: string })[]
}): JSX.Element {
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Outcomes by agent and model">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Agent</th>
            {['Runs', 'Done', 'Stopped', 'Ended', 'Cost'].map((title) => (
              <th key={title} scope="col" class="right">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td>
                <a href={to([], { agent: row.agent })}>{row.name}</a>
              </td>
              <td class="right num">{thousands(row.runs)}</td>
              <td class="right num">{thousands(row.completed)}</td>
              <td class="right num">{thousands(row.stopped)}</td>
              <td class="right num">{thousands(row.aborted)}</td>
              <td class="right num">{costText(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function GuardTable({ stats }: { readonly stats: StatsView }): JSX.Element {
  const acted = stats.guards.filter(({ stops, nudges, falseAlarms, trueAlarms }) => stops + nudges + falseAlarms + trueAlarms > 0)
  const quiet = stats.guards.length - acted.length
  if (acted.length === 0) return <p class="pad soft">No guard has stopped or warned a run yet.</p>
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label="Guards">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Guard</th>
            {['Stops', 'Warnings', 'False alarms', 'Avoided'].map((title) => (
              <th key={title} scope="col" class="right">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {acted.map(({ guard, stops, nudges, falseAlarms, trueAlarms, saved }) => (
            <tr key={guard}>
              <td>{guard}</td>
              <td class="right num">{thousands(stops)}</td>
              <td class="right num">{thousands(nudges)}</td>
              <td class="right num">
                {falseAlarms + trueAlarms === 0 ? 'unknown' : `${falseAlarms} of ${falseAlarms + trueAlarms}`}
              </td>
              <td class="right num">{saved.durationMs > 0 ? duration(saved.durationMs) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {quiet > 0 && <p class="pad soft small">{counted(quiet, 'other guard')} had nothing to report.</p>}
    </div>
  )
}

function Names({
  title,
  names,
}: {
  readonly title: string
  readonly names: readonly { readonly name: string; readonly runs: number }[]
}): JSX.Element | null {
  if (names.length === 0) return null
  const max = Math.max(...names.map(({ runs }) => runs))
  return (
    <Panel title={title}>
      <ul class="list">
        {names.slice(0, 12).map(({ name, runs }) => (
          <li key={name} class="stack tight small">
            <div class="row between">
              <span>{name}</span>
              <span class="num soft">{counted(runs, 'run')}</span>
            </div>
            <span class="bar" style={{ width: `${(runs / max) * 100}%` }} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
