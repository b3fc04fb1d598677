import type { LedgerMovement } from './measures/ledger.ts'
import { counted, thousands } from './wording.ts'

/** What one iteration moved, in words: "2 fixed, 1 new, 3 still failing"; `failing` is how much fails in all. */
export function movementWords({ counts }: LedgerMovement, failing: number): string {
  const { fixed, broken, flapping, persisting } = counts
  const still = Math.min(persisting, Math.max(0, failing - broken - flapping))
  // What no test says, a reviewer's note for one.
  const more = Math.max(0, failing - broken - flapping - still)
  const parts: string[] = []
  if (fixed > 0) parts.push(`${thousands(fixed)} fixed`)
  if (broken > 0) parts.push(`${thousands(broken)} new`)
  if (flapping > 0) parts.push(`${thousands(flapping)} that ${flapping === 1 ? 'comes and goes' : 'come and go'}`)
  if (still > 0) parts.push(`${thousands(still)} still failing`)
  if (more > 0) parts.push(counted(more, 'failure'))
  return parts.length === 0 ? 'nothing fails' : parts.join(', ')
}
