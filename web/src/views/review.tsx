import type { JSX } from 'preact'
import { useResource } from '../api.ts'
import { Loaded, Panel } from '../parts/basics.tsx'
import { to } from '../router.ts'
import type { ReviewView } from '../types.ts'
import type { RunProps } from './run.tsx'

type Record = ReviewView['records'][number]

/** Who did what: a lane for each role, handoffs between them, and what became of each piece of work. */
export function Review({ view, version }: RunProps): JSX.Element {
  const { run } = view
  const found = useResource<ReviewView>(`/runs/${encodeURIComponent(run)}/review`, version)
  return (
    <Loaded of={found} height={400}>
      {(who) => (
        <div class="stack">
          <Lanes run={run} records={who.records} />
          <Handoffs view={who} />
        </div>
      )}
    </Loaded>
  )
}

function laneOf(record: Record): string {
  if (record.kind === 'assignment') return record.role
  return record.kind === 'output' ? record.role : record.from
}

const RANK = ['planner', 'tester', 'coder', 'coder_a', 'coder_b', 'review', 'tests', 'checks', 'contract', 'person']

function Lanes({ run, records }: { readonly run: string; readonly records: readonly Record[] }): JSX.Element {
  const lanes = [...new Set(records.filter(({ kind }) => kind !== 'assignment').map(laneOf))].toSorted(
    (a, b) => rank(a) - rank(b),
  )
  const iterations = [...new Set(records.map(({ iteration }) => iteration))].toSorted((a, b) => a - b)
  if (lanes.length === 0)
    return (
      <Panel title="Lanes">
        <p class="empty">Nobody has worked yet.</p>
      </Panel>
    )
  return (
    <Panel title="Lanes by role">
      <div class="table-scroll" tabIndex={0} role="group" aria-label="Lanes by role">
        <table class="runs lanes-table">
          <thead>
            <tr>
              <th scope="col">Iteration</th>
              {lanes.map((lane) => (
                <th key={lane} scope="col">
                  {lane.replaceAll('_', ' ')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {iterations.slice(-200).map((iteration) => (
              <tr key={iteration}>
                <th scope="row" class="num">
                  <a href={to(['runs', run, 'iterations', iteration])}>#{iteration}</a>
                </th>
                {lanes.map((lane) => (
                  <td key={lane}>
                    {records
                      .filter(
                        (record) => record.iteration === iteration && record.kind !== 'assignment' && laneOf(record) === lane,
                      )
                      .map((record) => (
                        <Entry key={record.seq} record={record} />
                      ))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function rank(lane: string): number {
  const found = RANK.indexOf(lane)
  return found < 0 ? 4.5 : found
}

function Entry({ record }: { readonly record: Record }): JSX.Element | null {
  if (record.kind === 'output')
    return (
      <div class="small stack tight">
        <span class="row">
          <strong>{record.coder ?? record.agent ?? record.role}</strong>
          {record.model && <span class="soft">{record.model}</span>}
          {record.failed && <span class="tag bad">failed</span>}
        </span>
        <span class="clip2 soft">{(record.failed ?? record.summary ?? '').slice(0, 400)}</span>
      </div>
    )
  if (record.kind !== 'verdict') return null
  const isGood = /^(?:approve|pass|accept|done)/i.test(record.verdict)
  return (
    <div class="small stack tight">
      <span class={`tag ${isGood ? 'good' : 'wait'}`}>{record.verdict.toLowerCase().replaceAll('_', ' ')}</span>
      {record.reviewers?.map(({ seq, name, agent, verdict, isPerson }) => (
        <span key={seq} class="soft">
          {isPerson ? 'a person' : (agent ?? name)} {verdict}
        </span>
      ))}
      {record.note && <span class="words">“{record.note}”</span>}
    </div>
  )
}

function Handoffs({ view }: { readonly view: ReviewView }): JSX.Element | null {
  if (view.decisions.length === 0) return null
  return (
    <Panel title="Handoffs">
      <ol class="list">
        {view.decisions.slice(-200).map(({ seq, iteration, item, role, from, to: next, trigger, reason }) => (
          <li key={seq} class="stack tight">
            <div class="row between">
              <span>
                {from && from !== next ? `${from} → ` : ''}
                <strong>{next}</strong> <span class="soft">as {role.replaceAll('_', ' ')}</span>
              </span>
              <span class="soft small num">
                {item} · iteration {iteration}
              </span>
            </div>
            <p class="small soft">
              {trigger.replaceAll('_', ' ')}: {reason}
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
