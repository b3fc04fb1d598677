import type { LedgerMovement } from './measures/ledger.ts'
import { counted, thousands } from './wording.ts'

/** What one iteration moved, in words: "2 fixed, 1 new, 3 still failing"; `failing` is how much fails in all. */
export function movementWords({ counts }: LedgerMovement, failing: number): string {
  const { fixed, broken, flapping, persisting } = counts
  const still = Math.min(persisting, Math.max(0, failing - broken - flapping))
  // What no test says, a reviewer's note for one.
  const more = Math.max(0, failing - broken - flapping - still)
  const parts = [
    fixed > 0 ? `${thousands(fixed)} fixed` : '',
    broken > 0 ? `${thousands(broken)} new` : '',
    flapping > 0 ? `${thousands(flapping)} that ${flapping === 1 ? 'comes and goes' : 'come and go'}` : '',
    still > 0 ? `${thousands(still)} still failing` : '',
    more > 0 ? counted(more, 'failure') : '',
  ]
  return parts.filter((part) => part !== '').join(', ') || 'nothing fails'
}
