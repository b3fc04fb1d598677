import type { EventData } from './event-data.ts'
import type { Author, EventType, Fact, Seq } from './event.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'

/** A fact that the pure side concludes, at the state's own time. */
export function concluded<Type extends EventType>(
  state: State,
  by: Author,
  type: Type,
  data: EventData[Type],
  because?: Seq,
): Fact {
  return { type, at: state.at, by, data, ...(because === undefined ? {} : { because }) } as unknown as Fact
}

/** The step that records one fact of the loop. */
export function recordStep<Type extends EventType>(state: State, type: Type, data: EventData[Type], because?: Seq): Step {
  return { kind: 'record', facts: [concluded(state, LOOP, type, data, because)] }
}

/** Who concludes what no guard does. */
export const LOOP: Author = { role: 'loop' }
