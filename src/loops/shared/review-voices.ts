import type { Event, Seq } from '../../core/event.ts'

/** Who reviewed a pass, and what they said. */
export interface ReviewVoice {
  /** The fact that says so. */
  readonly seq: Seq
  /** The check by its name. */
  readonly name: string
  readonly verdict: 'approved' | 'rejected'
  /** The agent and model that gave it; a person has neither. */
  readonly agent?: string
  readonly model?: string
  readonly isPerson?: true
}

/** The reviews between an output and the verdict on it: of each reviewer the last. */
export function reviewVoices(events: readonly Event[], since: Seq, until: Seq): readonly ReviewVoice[] {
  const voices = events.flatMap((event) => (event.seq > since && event.seq < until ? voiceIn(event) : []))
  return voices.filter((voice, index) => voices.findLastIndex(({ name }) => name === voice.name) === index)
}

/** What a reviewer said, where the event is a review. */
export function voiceIn(event: Event): readonly ReviewVoice[] {
  if (event.type !== 'review.approved' && event.type !== 'review.rejected') return []
  const verdict = event.type === 'review.approved' ? 'approved' : 'rejected'
  const who = event.by.role === 'person' ? ({ isPerson: true } as const) : event.data.reviewer
  return [{ seq: event.seq, name: event.data.name, verdict, ...who }]
}

/** Who it was, in a few words: `review (critic, m1) approved`. */
export function voiceWords({ name, verdict, agent, model, isPerson }: ReviewVoice): string {
  const who = isPerson ? 'a person' : [agent, model].filter((word) => word !== undefined).join(', ')
  return `${name}${who === '' ? '' : ` (${who})`} ${verdict}`
}
