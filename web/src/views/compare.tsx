import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useResource } from '../api.ts'
import { useTitle } from '../app.tsx'
import { costText, counted, shortTime, thousands, tokensText } from '../format.ts'
import { Loaded, Panel, Status } from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { Diff } from '../parts/diff.tsx'
import { place, setQuery, to } from '../router.ts'
import type { ComparedRun, Comparison, RunListPage } from '../types.ts'

/** Two runs side by side: tests, cost, decisions and what each changed at last. */
export function Compare(): JSX.Element {
  useTitle('Compare · Pawl')
  const { query } = place.value
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? '']
  const runs = useResource<RunListPage>('/runs?limit=200')
  const isReady = a !== '' && b !== '' && a !== b
  const found = useResource<Comparison>(isReady ? `/compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}` : undefined)
  const names = [...new Set([a, b, ...(runs.data?.items.map(({ run }) => run) ?? [])])].filter(Boolean)
  return (
    <div class="stack">
      <h1>Compare two runs</h1>
      <div class="filters">
        {(['a', 'b'] as const).map((name) => (
          <label key={name} class="grow">
            <span class="soft small">Run {name.toUpperCase()}</span>
            <select value={query.get(name) ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
              <option value="">Choose a run</option>
              {names.map((run) => (
                <option key={run} value={run}>
                  {run}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      {isReady ? (
        <Loaded of={found} height={400}>
          {(both) => <Both both={both} />}
        </Loaded>
      ) : (
        <p class="empty">Choose two different runs.</p>
      )}
    </div>
  )
}

function Both({ both }: { readonly both: Comparison }): JSX.Element {
  const { a, b, tests } = both
  return (
    <>
      <Panel title="In numbers">
        <div class="table-scroll" tabIndex={0} role="group" aria-label="In numbers">
          <table class="runs">
            <thead>
              <tr>
                <td />
                {[a, b].map(({ run }) => (
                  <th key={run} scope="col">
                    <a href={to(['runs', run])}>{run}</a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {FACTS.map(([name, text]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {[a, b].map((run) => (
                    <td key={run.run} class="num">
                      {text(run)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <Progress both={both} />
      <div class="two">
        <Tests title={`Pass only in ${a.run}`} names={tests.passOnlyInA} tone="good" />
        <Tests title={`Pass only in ${b.run}`} names={tests.passOnlyInB} tone="good" />
      </div>
      <Tests title="Fail in both" names={tests.failInBoth} tone="bad" />
      <div class="two">
        {[a, b].map((run) => {
          const last = run.iterations.findLast(({ filesChanged = 0 }) => filesChanged > 0)?.iteration
          return (
            <Panel key={run.run} title={`Last change of ${run.run}`}>
              {last === undefined ? <p class="pad soft">It changed no file.</p> : <Diff run={run.run} iteration={last} />}
            </Panel>
          )
        })}
      </div>
    </>
  )
}

const FACTS: readonly (readonly [string, (run: ComparedRun) => JSX.Element | string])[] = [
  ['Status', ({ status }) => <Status status={status} />],
  ['Goal', ({ goal = '' }) => goal],
  ['Agent', ({ agent, model }) => (model === undefined || agent.includes(model) ? agent : `${agent} (${model})`)],
  ['Iterations', ({ iterationsDone }) => thousands(iterationsDone)],
  ['Failing tests', ({ failingFirst, failingLast }) => `${failingFirst ?? 'unknown'} → ${failingLast ?? 'unknown'}`],
  ['Cost', ({ totals }) => costText(totals)],
  ['Tokens', ({ totals }) => tokensText(totals)],
  ['Time at work', ({ totals }) => shortTime(totals.activeMs)],
  [
    'Decisions',
    ({ decisions }) =>
      Object.entries(decisions)
        .map(([action, count]) => `${count} ${action}`)
        .join(', ') || 'none',
  ],
  ['Proof', ({ proof }) => proof?.level ?? 'none'],
]

function Progress({ both: { a, b } }: { readonly both: Comparison }): JSX.Element | null {
  const { x, series } = useMemo(() => {
    const length = Math.max(a.iterations.length, b.iterations.length)
    const of = (run: ComparedRun): (number | null)[] =>
      Array.from({ length }, (_, index) => run.iterations[index]?.failing ?? null)
    return {
      x: Array.from({ length }, (_, index) => index + 1),
      series: [
        { label: `Failing in ${a.run}`, values: of(a), colour: '--accent', scale: 'failing', text: thousands, isWhole: true },
        {
          label: `Failing in ${b.run}`,
          values: of(b),
          colour: '--wait',
          scale: 'failing',
          text: thousands,
          isWhole: true,
          isDashed: true,
        },
      ],
    }
  }, [a, b])
  if (x.length < 2) return null
  return (
    <Panel title="Failing tests">
      <Chart x={x} series={series} label={`Failing tests of ${a.run} and ${b.run}`} />
    </Panel>
  )
}

function Tests({
  title,
  names,
  tone,
}: {
  readonly title: string
  readonly names: readonly string[]
  readonly tone: string
}): JSX.Element {
  return (
    <Panel title={title} aside={<span class={`tag ${names.length > 0 ? tone : ''}`}>{counted(names.length, 'test')}</span>}>
      <ul class="list">
        {names.map((name) => (
          <li key={name} class="small">
            {name}
          </li>
        ))}
      </ul>
      {names.length === 0 && <p class="pad soft">None.</p>}
    </Panel>
  )
}
