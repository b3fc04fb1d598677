import type { Event, Instant, Seq } from '../../core/event.ts'

/** A person took the work as done although something spoke against it. */
export interface Acceptance {
  /** Where the item, or the run, is taken as done. */
  readonly seq: Seq
  readonly at: Instant
  readonly iteration: number
  readonly item?: string
  /** The answer that says so. */
  readonly answerSeq: Seq
  readonly note?: string
  /** What they were asked about. */
  readonly despite: string
}

/** What people accepted, in order: of an item the item, else the run. */
export function acceptancesIn(events: readonly Event[]): readonly Acceptance[] {
  const answers = new Map(events.flatMap((event) => (event.type === 'escalation.answered' ? [[event.seq, event] as const] : [])))
  const hasItems = events.some(({ type }) => type === 'item.finished')
  return events.flatMap((event): readonly Acceptance[] => {
    if (event.type !== (hasItems ? 'item.finished' : 'run.completed') || event.because === undefined) return []
    const answer = answers.get(event.because)
    if (!answer) return []
    const { seq, at, data } = event as Event<'item.finished' | 'run.completed'>
    const { note } = answer.data
    return [
      {
        seq,
        at,
        iteration: data.iteration,
        ...('item' in data ? { item: data.item } : {}),
        answerSeq: answer.seq,
        ...(note === undefined ? {} : { note }),
        despite: askedBefore(events, answer.seq),
      },
    ]
  })
}

function askedBefore(events: readonly Event[], seq: Seq): string {
  const asked = events.findLast(
    (event) => event.seq < seq && (event.type === 'escalation.raised' || event.type === 'run.stopped'),
  ) as Event<'escalation.raised' | 'run.stopped'> | undefined
  return asked?.data.message ?? ''
}
