import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { get, useResource } from '../api.ts'
import { byteWords, costText, counted, duration, shortTime, thousands } from '../format.ts'
import { Copy, Fold, Loaded, Panel, Text } from '../parts/basics.tsx'
import { Decision } from '../parts/decision.tsx'
import { Diff } from '../parts/diff.tsx'
import { Failures } from '../parts/failures.tsx'
import { Events } from '../parts/events.tsx'
import { Shape } from '../parts/icons.tsx'
import { to } from '../router.ts'
import type { CheckView, IterationDetail, RunDetail, TextView, WorkView } from '../types.ts'

/** One iteration with everything that happened in it, in the order of its steps. */
export function Iteration({
  view,
  number,
  version,
}: {
  readonly view: RunDetail
  readonly number: number
  readonly version: number
}): JSX.Element {
  const { run } = view
  const isLast = number === view.iterations.at(-1)?.iteration
  const path = `/runs/${encodeURIComponent(run)}/iterations/${number}`
  const fresh = isLast ? version : 0
  const found = useResource<IterationDetail>(path, fresh)
  return (
    <Loaded of={found} height={400}>
      {(detail) => (
        <section class="stack" aria-label={`Iteration ${number}`}>
          <div class="row between">
            <h2>Iteration {number}</h2>
            <nav class="row small" aria-label="Other iterations">
              {number > 1 && <a href={to(['runs', run, 'iterations', number - 1])}>← Previous</a>}
              {!isLast && <a href={to(['runs', run, 'iterations', number + 1])}>Next →</a>}
            </nav>
          </div>
          {detail.decisions.map((decision) => (
            <Decision key={decision.seq} decision={decision} />
          ))}
          {detail.checks.length > 0 && <Checks checks={detail.checks} />}
          {detail.works.map((work) => (
            <Work key={work.seq} work={work} />
          ))}
          <Panel title="Changes">
            {detail.observed?.notes?.map((note) => (
              <p key={note} class="pad small">
                {note}
              </p>
            ))}
            {detail.observed?.suspicions?.map((suspicion, index) => (
              <p key={index} class="pad small note bad">
                Changed what its work is checked by: {JSON.stringify(suspicion)}
              </p>
            ))}
            <Diff run={run} iteration={number} version={fresh} />
          </Panel>
          <Panel title="Events">
            <Events events={detail.events} />
          </Panel>
          {detail.summary?.snapshot && (
            <Panel title="Go back to this iteration">
              <div class="pad">
                <Copy text={`pawl restore ${run} ${number}`} />
              </div>
            </Panel>
          )}
        </section>
      )}
    </Loaded>
  )
}

/** A text of which the page has the beginning; the rest comes on demand. */
function LongText({ text, isWords = false }: { readonly text: TextView; readonly isWords?: boolean }): JSX.Element {
  const whole = useSignal<string | undefined>(undefined)
  const load = (): void => void get<string>(`/texts/${text.sha256}`).then((found) => (whole.value = found))
  return (
    <div class="stack tight">
      <Text text={whole.value ?? text.text} isWords={isWords} />
      {text.isCut && whole.value === undefined && (
        <button type="button" class="plain" onClick={load}>
          Load all of it ({byteWords(text.bytes)})
        </button>
      )}
    </div>
  )
}

const WORK_WORDS: Readonly<Record<WorkView['status'], string>> = {
  working: 'at work',
  finished: 'finished',
  failed: 'failed',
  asked: 'asks',
  abandoned: 'cut off',
}

function Work({ work }: { readonly work: WorkView }): JSX.Element {
  const { role, agent, model, status, durationMs, words, summary, fix, actions, actionsCut = 0, brief } = work
  const facts = [
    agent,
    model,
    durationMs === undefined ? undefined : duration(durationMs),
    work.costUsd === undefined ? undefined : costText(work),
    work.tokens === undefined ? undefined : `${thousands(work.tokens)} tokens`,
  ]
  return (
    <Panel
      title={
        <span class="row">
          {sentence(role)}{' '}
          <span class={`tag ${status === 'failed' ? 'bad' : status === 'working' ? 'accent' : ''}`}>{WORK_WORDS[status]}</span>
        </span>
      }
      aside={<span class="soft small num">{facts.filter(Boolean).join(' · ')}</span>}
    >
      <div class="pad stack tight">
        {summary && <p class={`words ${status === 'failed' ? 'bad' : ''}`}>{summary.slice(0, 2000)}</p>}
        {fix && <p class="words">{fix}</p>}
        {words && <Part title={`What the agent said (${byteWords(words.bytes)})`}>{() => <LongText text={words} />}</Part>}
        {actions.length > 0 && (
          <Part title={counted(actions.length + actionsCut, 'tool call')}>
            {() => (
              <ol class="stack tight small">
                {actionsCut > 0 && <li class="soft">{counted(actionsCut, 'earlier call')} not shown</li>}
                {actions.map(({ name, label }, index) => (
                  <li key={index}>
                    <strong>{name}</strong> <code class="soft">{(label ?? '').slice(0, 500)}</code>
                  </li>
                ))}
              </ol>
            )}
          </Part>
        )}
        <Part title={`Brief (${byteWords(brief.bytes)})`}>{() => <LongText text={brief} />}</Part>
      </div>
    </Panel>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: () => ComponentChildren }): JSX.Element {
  return <Fold title={<span class="small">{title}</span>}>{children}</Fold>
}

function Checks({ checks }: { readonly checks: readonly CheckView[] }): JSX.Element {
  return (
    <Panel title="Checks and reviews">
      <ul class="list">
        {checks.map((check) => (
          <Check key={check.seq} check={check} />
        ))}
      </ul>
    </Panel>
  )
}

const GOOD: ReadonlySet<CheckView['outcome']> = new Set(['passed', 'approved'])

function Check({ check }: { readonly check: CheckView }): JSX.Element {
  const { name, outcome, counts, durationMs, failures, output, reviewer, summary, message, fix, flaky } = check
  const isGood = GOOD.has(outcome)
  return (
    <li class="stack tight">
      <div class="row between">
        <span class={`status ${isGood ? 'completed' : 'damaged'}`}>
          <Shape name={isGood ? 'completed' : outcome === 'errored' ? 'damaged' : 'aborted'} />
          {name} {outcome === 'errored' ? 'couldn’t run' : outcome}
        </span>
        <span class="soft small num">
          {counts &&
            `${thousands(counts.passed)} passed, ${thousands(counts.failed)} failed${counts.skipped > 0 ? `, ${thousands(counts.skipped)} skipped` : ''} · `}
          {reviewer && `${reviewer.agent} · `}
          {shortTime(durationMs)}
        </span>
      </div>
      {summary && <p class="words">{summary}</p>}
      {message && <p class="words">{message}</p>}
      {fix && <p class="words soft">{fix}</p>}
      {flaky && flaky.length > 0 && <p class="small wait">Passed and failed on the same files: {flaky.join(', ')}</p>}
      {failures.length > 0 && <Failures failures={failures} />}
      {output && <Part title={`Output (${byteWords(output.bytes)})`}>{() => <Output sha256={output.sha256} />}</Part>}
    </li>
  )
}

/** What a check printed, loaded when somebody wants to see it. */
function Output({ sha256 }: { readonly sha256: string }): JSX.Element {
  const found = useResource<string>(`/texts/${sha256}`)
  return (
    <Loaded of={found} height={100}>
      {(text) => <Text text={text} />}
    </Loaded>
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
