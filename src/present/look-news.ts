import type { Event } from '../core/event.ts'

/** The notes of a look that say what happened. The others say what it left out, at each look the same, and are told once. */
export function newsIn({ data: { notes = [] } }: Event<'workspace.observed'>): readonly string[] {
  return notes.filter((note) => !note.startsWith('left out: '))
}
