import { PawlError } from '../../core/pawl-error.ts'
import type { State } from '../../core/state.ts'
import { importedFrom } from '../../evidence/transcripts/turn-facts.ts'

/** Refuses a run that was imported: it is the record of a session that Pawl did not run, and nothing can go on with it. */
export function requireOwnRun({ run, config }: State): void {
  const from = importedFrom(config)
  if (!from) return
  throw new PawlError(
    'run.imported',
    `Run ${run} was imported from a transcript of ${from.agent} and cannot go on: it is a record. Begin a new one: pawl task "…" --agent ${from.agent}`,
    { value: run },
  )
}
