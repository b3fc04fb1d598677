import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { counted } from '../format.ts'
import type { EventView } from '../types.ts'

/** Events as `pawl log` tells them. Routine ones are folded, failures never. */
export function Events({
  events,
  isWhole = false,
}: {
  readonly events: readonly EventView[]
  readonly isWhole?: boolean
}): JSX.Element {
  const groups = isWhole ? events.map((event) => [event]) : grouped(events)
  return (
    <ol class="list events">
      {groups.map((group) =>
        group.length > 1 ? (
          <Folded key={group[0]?.seq} events={group} />
        ) : (
          group[0] && <One key={group[0].seq} event={group[0]} />
        ),
      )}
    </ol>
  )
}

function grouped(events: readonly EventView[]): readonly (readonly EventView[])[] {
  const groups: EventView[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (event.isRoutine && last?.[0]?.isRoutine) last.push(event)
    else groups.push([event])
  }
  return groups
}

function Folded({ events }: { readonly events: readonly EventView[] }): JSX.Element {
  const isOpen = useSignal(false)
  if (isOpen.value)
    return (
      <>
        {events.map((event) => (
          <One key={event.seq} event={event} />
        ))}
      </>
    )
  return (
    <li>
      <button type="button" class="plain" onClick={() => (isOpen.value = true)}>
        {counted(events.length, 'routine event')}
      </button>
    </li>
  )
}

const BAD = /failed|errored|rejected|tripped|stopped|refused|abandoned/

/** One event in a line. */
function One({ event }: { readonly event: EventView }): JSX.Element {
  const { seq, at, type, by, words } = event
  return (
    <li class="event">
      <span class="num soft">{seq}</span>
      <time class="num soft wide" dateTime={new Date(at).toISOString()}>
        {new Date(at).toLocaleTimeString('en-GB')}
      </time>
      <span class={BAD.test(type) ? 'bad' : ''}>
        <span class="soft">{by} </span>
        {words.slice(0, 2000)}
      </span>
    </li>
  )
}
