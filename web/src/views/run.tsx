import { useSignal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isReport, useResource } from '../api.ts'
import { Later, useTitle } from '../app.tsx'
import { costText, duration, shortTime, thousands, tokensText } from '../format.ts'
import { now, useStream } from '../live.ts'
import { Age, Copy, Failure, Fold, Loaded, Panel, Status } from '../parts/basics.tsx'
import { Guards } from '../parts/guards.tsx'
import { Proof } from '../parts/proof.tsx'
import { End, Question, Restore, Resume } from '../parts/question.tsx'
import { place, to } from '../router.ts'
import { session } from '../session.ts'
import type { CommandView, RunDetail } from '../types.ts'
import { Iteration } from './iteration.tsx'
import { Timeline } from './timeline.tsx'

/** What each view of a run gets; `version` counts up with every change. */
export interface RunProps {
  readonly view: RunDetail
  readonly version: number
}

/** Views of a run besides its timeline, by the part of the address after the run. */
const LATER: Readonly<Record<string, () => Promise<ComponentType<RunProps>>>> = {
  tests: () => import('./grid.tsx').then((module) => module.Grid),
  log: () => import('./log.tsx').then((module) => module.Log),
  research: () => import('./research.tsx').then((module) => module.Research),
  review: () => import('./review.tsx').then((module) => module.Review),
}

const ACTIVITY_MAX = 8

/** Everything about one run, kept up to date while it runs. */
export function Run({ run }: { readonly run: string }): JSX.Element {
  useTitle(`${run} · Pawl`)
  const path = `/runs/${encodeURIComponent(run)}`
  const known = useSignal<number | undefined>(undefined)
  const activity = useSignal<readonly string[]>([])
  const version = useStream(known.value === undefined ? undefined : `${path}/stream`, {
    after: known.value,
    onEvent: (type, data) => {
      if (type === 'activity') activity.value = [...activity.value, ...(data as readonly string[])].slice(-ACTIVITY_MAX)
    },
  })
  const found = useResource<RunDetail>(path, version)
  const seq = found.data?.seq
  useEffect(() => {
    known.value ??= seq
  }, [seq])
  if (found.error && !found.data)
    return (
      <div class="stack">
        <h1>{run}</h1>
        <Failure problem={found.error} />
        {!isReport && <a href={to([])}>See all runs</a>}
      </div>
    )
  return (
    <Loaded of={found} height={500}>
      {(view) => (
        <div class="stack">
          {!isReport && (
            <nav class="small" aria-label="Breadcrumb">
              <a href={to([])}>Runs</a> <span class="soft">/ {run}</span>
            </nav>
          )}
          <Head view={view} />
          <div class="run-layout">
            <div class="stack">
              {view.question && !view.question.answer && (
                <Question key={view.question.seq} view={view} question={view.question} />
              )}
              <Now view={view} activity={activity.value} />
              <Tabs view={view} />
              <Content view={view} version={version} />
            </div>
            <aside class="stack" aria-label="About this run">
              {view.proof && <Proof proof={view.proof} />}
              <Card view={view} />
              <Guards view={view} />
              <Commands view={view} />
              <About view={view} />
            </aside>
          </div>
        </div>
      )}
    </Loaded>
  )
}

function Head({ view }: { readonly view: RunDetail }): JSX.Element {
  const { run, loop, goal, status, iterationsDone, iterationsMax, totals, iterations, start } = view
  const failing = [start?.verdict?.failing, iterations.findLast((each) => each.failing !== undefined)?.failing]
  const first = failing[0] ?? iterations[0]?.failingBefore
  // What research counts there are its unmet criteria.
  const last = loop === 'research' ? undefined : failing[1]
  const isTelling =
    !view.question && (loop === 'research' ? status !== 'running' : status !== 'completed' && status !== 'running')
  // The journal counts work when it ends.
  const sinceMs = view.holder && view.underWay.length > 0 ? Math.max(0, now.value - view.updatedAt) : 0
  return (
    <header class="stack">
      <div class="stack tight">
        <div class="row">
          <h1>{run}</h1>
          <Status status={status} isHeld={view.isHeld} />
          {view.isImported && <span class="tag">imported</span>}
          {!isReport && <Actions view={view} />}
        </div>
        {goal && <p class="words">{goal}</p>}
        {isTelling && <p class="soft">{view.message}</p>}
      </div>
      <dl class="figures">
        <Figure
          label="Iterations"
          value={iterationsMax === undefined ? thousands(iterationsDone) : `${iterationsDone} of ${iterationsMax}`}
        />
        {last !== undefined && (
          <Figure
            label="Failing tests"
            value={first === undefined || first === last ? thousands(last) : `${thousands(first)} → ${thousands(last)}`}
          />
        )}
        <Figure label="Cost" value={costText(totals)} />
        <Figure label="Tokens" value={tokensText(totals)} />
        <Figure label="Time at work" value={shortTime(totals.activeMs + sinceMs)} />
      </dl>
    </header>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd class={value === 'unknown' ? 'soft' : ''}>{value}</dd>
    </div>
  )
}

function Tabs({ view }: { readonly view: RunDetail }): JSX.Element {
  const [, run = '', tab = ''] = place.value.path
  const tabs = [
    ['', 'Iterations'],
    ...(view.loop === 'research' ? [['research', 'Research'] as const] : [['tests', 'Tests'] as const]),
    ...(view.loop === 'review' || (view.config.roles ?? []).length > 0 ? [['review', 'Review'] as const] : []),
    ['log', 'Log'],
  ] as const
  const here = tab === 'iterations' ? '' : tab
  return (
    <nav class="tabs" aria-label="Views of this run">
      {tabs.map(([name, text]) => (
        <a
          key={name}
          href={to(['runs', run, ...(name === '' ? [] : [name])])}
          {...(here === name ? { 'aria-current': 'page' as const } : {})}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}

function Content({ view, version }: { readonly view: RunDetail; readonly version: number }): JSX.Element {
  const [, , tab, number] = place.value.path
  const load = tab === undefined ? undefined : LATER[tab]
  if (load) return <Later key={tab} load={load} props={{ view, version }} />
  return (
    <>
      <Timeline view={view} open={tab === 'iterations' ? Number(number) : undefined} />
      {tab === 'iterations' && <Iteration key={number} view={view} number={Number(number)} version={version} />}
    </>
  )
}

/** What the agent or a check is doing at this moment. */
function Now({ view, activity }: { readonly view: RunDetail; readonly activity: readonly string[] }): JSX.Element | null {
  const { underWay, holder, waitsUntil, status, standIns = [] } = view
  if (status === 'completed' || status === 'aborted' || (underWay.length === 0 && waitsUntil === undefined)) return null
  const lines = holder ? (activity.length > 0 ? activity : (view.activity ?? [])).slice(-ACTIVITY_MAX) : []
  return (
    <Panel title={holder ? 'Now' : 'Cut short'}>
      <ul class="list" aria-live="polite">
        {underWay.map(({ key, kind, since }) => (
          <li key={key} class="row between">
            <span>{doing(key, kind)}</span>
            <span class="num soft small">{duration(Math.max(0, now.value - since))}</span>
          </li>
        ))}
        {waitsUntil !== undefined && (
          <li>Waits for the provider until {new Date(waitsUntil).toLocaleTimeString('en-GB', { timeStyle: 'short' })}</li>
        )}
        {standIns.map(({ agent, by }) => (
          <li key={agent}>
            {by} works in place of {agent}
          </li>
        ))}
      </ul>
      {lines.length > 0 && (
        <pre class="activity" aria-label="What the agent does">
          {lines.map((line) => line.slice(0, 300)).join('\n')}
        </pre>
      )}
      {!holder && <p class="pad soft small">No process drives this run now.</p>}
    </Panel>
  )
}

function doing(key: string, kind: string): string {
  const [iteration, role] = key.split('/')
  const what =
    { work: `${role} works`, check: 'checks run', observe: 'looking at the files', proof: 'proving that it’s done' }[kind] ?? kind
  return `Iteration ${iteration}: ${what}`
}

/** Why the run doesn't move. */
function Card({ view }: { readonly view: RunDetail }): JSX.Element | null {
  const { card } = view
  if (!card || (card.trips.length === 0 && !card.hints?.length && !card.command)) return null
  return (
    <Panel title="Why it stopped">
      <div class="pad stack tight">
        {!card.trips.some(({ message }) => card.message.includes(message)) && <p>{card.message}</p>}
        {card.trips.map((trip) => (
          <div key={trip.seq} class="stack tight">
            <p>
              <span class="tag wait">{trip.guard}</span>
            </p>
            <p>{trip.message}</p>
            <p class="small soft">{trip.hint}</p>
          </div>
        ))}
        {card.hints?.map((hint) => (
          <p key={hint} class="small soft">
            {hint}
          </p>
        ))}
        {card.best && (
          <p class="small">
            Best so far: {card.best.iteration === 0 ? 'the files before any work' : `iteration ${card.best.iteration}`}
            {card.best.failing === undefined ? '' : `, ${card.best.failing} failing`}
            {card.best.isNow ? ' (the files are in this state now)' : ''}
          </p>
        )}
      </div>
    </Panel>
  )
}

/** What can be done with a run that asks nothing. */
function Actions({ view }: { readonly view: RunDetail }): JSX.Element | null {
  const { status, isHeld, question } = view
  if (status === 'completed' || status === 'aborted' || view.isImported || (question && !question.answer)) return null
  return (
    <div class="row actions">
      {!isHeld && session.value?.canDrive && <Resume view={view} />}
      {!isHeld && <Restore view={view} />}
      <End view={view} />
    </div>
  )
}

function Commands({ view }: { readonly view: RunDetail }): JSX.Element {
  return (
    <Panel title="In a terminal">
      <dl class="pad stack tight">
        {view.commands.filter(isUseful(view)).map(({ label, command }) => (
          <div key={command}>
            <dt class="soft small">{label}</dt>
            <dd>
              <Copy text={command} label={label} />
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

/** A run that a process drives needs no resuming. */
function isUseful({ isHeld }: RunDetail): (each: CommandView) => boolean {
  return ({ label }) => !(isHeld && label === 'Resume')
}

const EXPORTS = [
  ['markdown', 'report'],
  ['jsonl', 'journal'],
] as const

function About({ view }: { readonly view: RunDetail }): JSX.Element {
  const { config, loop, startedAt, updatedAt, people, saved, asked, tasks = [] } = view
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    ['Loop', loop],
    ['Agent', config.agent],
    ['Checks', config.checks.join(', ') || 'none'],
    ['Workspace', config.workspace],
    ...(config.isolation === undefined ? [] : [['Isolation', config.isolation] as const]),
    ['Started', <Age at={startedAt} />],
    ['Changed', <Age at={updatedAt} />],
  ]
  const answered = asked.filter(({ answer }) => answer)
  return (
    <Panel title="About">
      <div class="pad stack tight">
        <dl class="facts small">
          {facts.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
        {!isReport && (
          <p class="small">
            <span class="soft">Download </span>
            {EXPORTS.map(([format, text]) => (
              <>
                {' '}
                <a key={format} href={`/api/v1/runs/${encodeURIComponent(view.run)}/export?format=${format}`} download>
                  {text}
                </a>
              </>
            ))}
          </p>
        )}
        {tasks.length > 0 && (
          <Fold title={`${tasks.filter(({ status }) => status === 'done').length} of ${tasks.length} tasks done`}>
            {() => (
              <ol class="stack tight small">
                {tasks.map(({ id, goal, status, attempts }) => (
                  <li key={id}>
                    <strong>{id}</strong> <span class={`tag ${status === 'done' ? 'good' : ''}`}>{status}</span> {goal}
                    {attempts > 0 && <span class="soft"> · {attempts} attempts</span>}
                  </li>
                ))}
              </ol>
            )}
          </Fold>
        )}
        {answered.length > 0 && (
          <Fold title={`${answered.length} answered ${answered.length === 1 ? 'question' : 'questions'}`}>
            {() => (
              <ul class="stack tight small">
                {answered.map(({ seq, text, answer }) => (
                  <li key={seq}>
                    <span class="soft clip2">{text}</span>
                    {answer?.label} <span class="soft">by {answer?.by ?? 'a person'}</span>
                    {answer?.note && <span class="words"> “{answer.note}”</span>}
                  </li>
                ))}
              </ul>
            )}
          </Fold>
        )}
        {people.length > 0 && (
          <Fold title="What people did">
            {() => (
              <ul class="stack tight small">
                {people.map(({ seq, at, by = 'somebody', what, note }) => (
                  <li key={seq}>
                    {by} {what} {note && `“${note}” `}
                    <span class="soft">
                      <Age at={at} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Fold>
        )}
        {saved.length > 0 && (
          <Fold title="Saved trees">
            {() => (
              <div class="stack tight">
                {saved.map(({ seq, command }) => (
                  <Copy key={seq} text={command} />
                ))}
              </div>
            )}
          </Fold>
        )}
      </div>
    </Panel>
  )
}
