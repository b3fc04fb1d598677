import type { StreamEvent, StreamFrames } from './api.ts'

/** Server-sent events, one frame each. */
export function eventFrames(events: readonly StreamEvent[]): StreamFrames {
  const frames = events.map((event) => `${event.name === undefined ? '' : `event: ${event.name}\n`}data: ${dataText(event)}\n\n`)
  return { contentType: 'text/event-stream', frames }
}

/** What an event carries: text as it is, everything else as JSON. */
export function dataText({ data }: StreamEvent): string {
  return typeof data === 'string' ? data : JSON.stringify(data)
}
