import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Event } from '../../../src/core/event.ts'
import { eventWords } from '../../../src/present/log-lines.ts'
import { get, isReport, Problem } from '../api.ts'
import { Failure, Fold, Panel, Text } from '../parts/basics.tsx'
import type { RunProps } from './run.tsx'

const PAGE = 200

/** The journal, the newest events at the end: the same as `pawl log RUN --json`, with each event's data on demand. */
export function Log({ view, version }: RunProps): JSX.Element {
  const { run } = view
  const base = `/runs/${encodeURIComponent(run)}`
  const events = useSignal<readonly Event[] | undefined>(undefined)
  const problem = useSignal<Problem | undefined>(undefined)
  const fail = (error: unknown): void =>
    void (problem.value = error instanceof Problem ? error : new Problem(0, { detail: String(error) }))
  const read = async (after: number): Promise<readonly Event[]> =>
    (await get<{ readonly events: readonly Event[] }>(`${base}/events?after=${after}&limit=${PAGE}`)).events

  useEffect(() => {
    const update = async (): Promise<void> => {
      const known = events.value
      if (!known) {
        events.value = await read(isReport ? 0 : Math.max(0, view.seq - PAGE))
        return
      }
      if (isReport) return
      for (let newer = await read(known.at(-1)?.seq ?? 0); newer.length > 0; newer = await read(events.value?.at(-1)?.seq ?? 0)) {
        const last = events.value?.at(-1)?.seq ?? 0
        events.value = [...(events.value ?? []), ...newer.filter(({ seq }) => seq > last)]
        if (newer.length < PAGE) break
      }
    }
    update().catch(fail)
  }, [version])

  const first = events.value?.[0]?.seq ?? 1
  const earlier = async (): Promise<void> => {
    const found = await read(Math.max(0, first - PAGE - 1))
    events.value = [...found.filter(({ seq }) => seq < first), ...(events.value ?? [])]
  }
  return (
    <Panel title="Log" aside={<code class="soft small">pawl log {run}</code>}>
      {problem.value && <Failure problem={problem.value} />}
      {first > 1 && (
        <div class="pad">
          <button type="button" onClick={() => void earlier().catch(fail)}>
            Show earlier events
          </button>
        </div>
      )}
      <ol class="list events" data-events={events.value?.length ?? 0}>
        {events.value?.map((event) => (
          <Entry key={event.seq} event={event} />
        ))}
      </ol>
      {!events.value && !problem.value && <p class="empty">Loading …</p>}
    </Panel>
  )
}

const BAD = /failed|errored|rejected|tripped|stopped|refused|abandoned/

function Entry({ event }: { readonly event: Event }): JSX.Element {
  const { seq, at, type } = event
  return (
    <li data-seq={seq}>
      <Fold
        title={
          <span class="event">
            <span class="num soft">{seq}</span>
            <time class="num soft wide" dateTime={new Date(at).toISOString()}>
              {new Date(at).toLocaleTimeString('en-GB')}
            </time>
            <span class={BAD.test(type) ? 'bad' : ''}>
              <span class="soft mono">{type}</span> {wordsOf(event)}
            </span>
          </span>
        }
      >
        {() => <Text text={JSON.stringify(event, null, 2)} />}
      </Fold>
    </li>
  )
}

/** An event of a loop that this page doesn't know has no words. */
function wordsOf(event: Event): string {
  try {
    return eventWords(event, { iterations: [] }).slice(0, 1000)
  } catch {
    return ''
  }
}
