import type { Event, Instant, Seq } from '../../core/event.ts'
import type { EventData } from '../../core/event-data.ts'

/** Who did what, why it was they, and what became of it. */
export interface Provenance {
  readonly outputs: readonly CoderOutput[]
  readonly decisions: readonly CoderDecision[]
}

/** One pass and its final verdict; without one it is not judged yet, or was a repair. */
export interface CoderOutput extends Pick<EventData['pass.recorded'], 'item' | 'iteration' | 'reworkCycle' | 'role' | 'summary'> {
  readonly seq: Seq
  readonly at: Instant
  /** The coder by the name of the plan, and the agent and model that played it. */
  readonly coder: string
  readonly agent?: string
  readonly model?: string
  readonly failed?: string
  readonly verdict?: EventData['pass.judged']['verdict']
  /** The fact that says so. */
  readonly verdictSeq?: Seq
}

/** One assignment. */
export interface CoderDecision extends Pick<
  EventData['role.assigned'],
  'item' | 'iteration' | 'reworkCycle' | 'role' | 'trigger' | 'to' | 'reason'
> {
  readonly seq: Seq
  readonly at: Instant
  readonly from?: string
}

/** Reads outputs and assignments out of a run's journal, in order. The verdict of a pass is the last one that points to it. */
export function provenanceOf(events: readonly Event[]): Provenance {
  const verdicts = new Map<Seq, Event<'pass.judged'>>()
  const work = new Map<Seq, Event>()
  for (const event of events) {
    if (event.type === 'pass.judged' && event.because !== undefined) verdicts.set(event.because, event)
    if (event.type === 'work.finished' || event.type === 'work.failed') work.set(event.seq, event)
  }
  return {
    outputs: events.flatMap((event) =>
      event.type === 'pass.recorded' ? [outputOf(event, work.get(event.because ?? 0), verdicts.get(event.seq))] : [],
    ),
    decisions: events.flatMap((event) =>
      event.type === 'role.assigned' ? [{ seq: event.seq, at: event.at, ...event.data }] : [],
    ),
  }
}

function outputOf(
  { seq, at, data }: Event<'pass.recorded'>,
  work: Event | undefined,
  judged: Event<'pass.judged'> | undefined,
): CoderOutput {
  const { name, model } = work?.by ?? {}
  return {
    seq,
    at,
    ...data,
    ...(name === undefined ? {} : { agent: name }),
    ...(model === undefined ? {} : { model }),
    ...(judged === undefined ? {} : { verdict: judged.data.verdict, verdictSeq: judged.seq }),
  }
}
