import { PawlError } from '../../../core/pawl-error.ts'
import { textRefsOf } from '../../../journal/text-refs.ts'
import type { SealedEvent, Store } from '../../../stores/store.ts'
import type { CliContext } from '../cli-context.ts'
import { EXIT } from '../exit-codes.ts'
import { withKnownRun } from '../stored-run.ts'

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
  for (const { field, ref } of textRefsOf(event.data)) {
    const content = await store.getText(ref)
    if (content === undefined)
      throw new PawlError('store.no-text', `The text "${field}" of event ${event.seq} is not in the store any more.`)
    texts.push({ name: field, content })
  }
  return texts
}
