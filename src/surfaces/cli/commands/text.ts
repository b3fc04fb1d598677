import type { TextRef } from '../../../core/event-data.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { SealedEvent, Store } from '../../../ports/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { withKnownRun } from './existing-store.ts'

/** Prints the texts an event refers to, whole: the brief an agent was given, what it or a check printed, a diff. */
export async function text(context: CliContext, run: string, place: string): Promise<number> {
  const { terminal, isJson } = context
  await withKnownRun(context, run, async (events, store) => {
    const event = events.find(({ seq }) => String(seq) === place)
    if (!event)
      throw new PawlError('usage.no-event', `Run ${run} has no event ${place}; pawl log ${run} lists them.`, { value: place })
    const texts = await textsOf(store, event)
    if (texts.length === 0 && !isJson) terminal.warn(`Event ${place} (${event.type}) refers to no text.`)
    if (isJson) terminal.json(Object.fromEntries(texts.map(({ name, content }) => [name, content])))
    else for (const { name, content } of texts) terminal.say(texts.length > 1 ? `== ${name}\n${content}` : content)
  })
  return EXIT.done
}

async function textsOf(
  store: Store,
  event: SealedEvent,
): Promise<readonly { readonly name: string; readonly content: string }[]> {
  const texts = []
  const data: object = 'question' in event.data ? { ...event.data, ...event.data.question } : event.data
  for (const [name, value] of Object.entries(data)) {
    if (!isTextRef(value)) continue
    const content = await store.getText(value)
    if (content === undefined)
      throw new PawlError('store.no-text', `The text "${name}" of event ${event.seq} is not in the store any more.`)
    texts.push({ name, content })
  }
  return texts
}

function isTextRef(value: unknown): value is TextRef {
  return typeof value === 'object' && value !== null && 'sha256' in value
}
