import type { EventData, TextRef } from '../../core/event-data.ts'
import type { Author, Fact, Instant } from '../../core/event.ts'
import type { State } from '../../core/state.ts'

type Created = EventData['checkpoint.created']

export interface CheckpointWish {
  readonly tree: string
  readonly snapshot: string
  readonly trigger: Created['trigger']
  readonly context?: string
  readonly draft?: TextRef
  /** Default: 24 hours for what is made by itself, 7 days for what is asked for, and for a pause 10,080 minutes. */
  readonly expiresInMinutes?: number
  readonly by?: Author
}

/** How long each kind of checkpoint lasts, in minutes. */
const EXPIRY_MINUTES: Readonly<Record<Created['trigger'], number>> = {
  auto: 24 * 60,
  error: 24 * 60,
  manual: 7 * 24 * 60,
  pause: 10_080,
}

/** A place in the journal and a tree to come back to. Its name says run and place: `fix-login@12`. */
export function checkpointFact(state: State, at: Instant, wish: CheckpointWish): Fact<'checkpoint.created'> {
  const { tree, snapshot, trigger, context, draft, expiresInMinutes = EXPIRY_MINUTES[trigger], by = { role: 'runner' } } = wish
  const data = {
    checkpoint: `${state.run}@${state.seq}`,
    at: state.seq,
    tree,
    snapshot,
    trigger,
    ...(context === undefined ? {} : { context }),
    ...(draft === undefined ? {} : { draft }),
    expiresAt: at + expiresInMinutes * 60_000,
  }
  return { type: 'checkpoint.created', at, by, data }
}

/** The run that a checkpoint belongs to, by its name. */
export function runOfCheckpoint(checkpoint: string): string {
  return checkpoint.slice(0, Math.max(0, checkpoint.lastIndexOf('@')))
}
