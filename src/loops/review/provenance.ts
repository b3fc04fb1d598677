import type { Event, Instant, Seq } from '../../core/event.ts'
import type { EventData, TextRef } from '../../core/event-data.ts'
import { type Acceptance, acceptancesIn } from '../shared/acceptances.ts'
import { type ReviewVoice, reviewVoices } from '../shared/review-voices.ts'

/** Who did what, why it was they, and what became of it. */
export interface Provenance {
  readonly outputs: readonly CoderOutput[]
  readonly decisions: readonly CoderDecision[]
}

/** One pass and its final verdict. It has none before a review, after a repair that changed no files, or if tests failed before a person's review. */
export interface CoderOutput extends Pick<EventData['pass.recorded'], 'item' | 'iteration' | 'reworkCycle' | 'role' | 'summary'> {
  readonly seq: Seq
  readonly at: Instant
  /** The coder by the name of the plan, and the agent and model that played it. */
  readonly coder: string
  readonly agent?: string
  readonly model?: string
  readonly failed?: string
  /** All that they said, or else printed, where it was kept. */
  readonly said?: TextRef
  readonly verdict?: EventData['pass.judged']['verdict']
  /** The fact that says so. */
  readonly verdictSeq?: Seq
  /** Who gave the reviews it rests on, agents with their models. */
  readonly reviewers?: readonly ReviewVoice[]
  /** A person took the item as done after this pass, although something spoke against it. */
  readonly accepted?: Pick<Acceptance, 'seq' | 'despite' | 'note'>
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
  const accepted = new Map(acceptancesIn(events).map((each) => [each.iteration, each]))
  return {
    outputs: events.flatMap((event) => {
      if (event.type !== 'pass.recorded') return []
      const judged = verdicts.get(event.seq)
      const reviewers = judged ? { reviewers: reviewVoices(events, event.seq, judged.seq) } : {}
      const { seq, despite, note } = accepted.get(event.data.iteration) ?? {}
      const taken =
        seq === undefined || despite === undefined ? {} : { accepted: { seq, despite, ...(note === undefined ? {} : { note }) } }
      return [{ ...outputOf(event, work.get(event.because ?? 0), judged), ...reviewers, ...taken }]
    }),
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
    ...saidIn(work),
    ...(judged === undefined ? {} : { verdict: judged.data.verdict, verdictSeq: judged.seq }),
  }
}

function saidIn(work: Event | undefined): Pick<CoderOutput, 'said'> {
  if (work?.type !== 'work.finished') return {}
  const { said = work.data.output } = work.data
  return said === undefined ? {} : { said }
}
