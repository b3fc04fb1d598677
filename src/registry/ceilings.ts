import type { Ceiling } from '../engine/ceilings.ts'
import { type CeilingUse, openLedger } from '../stores/sqlite-ledger.ts'

export type { Ceiling, FindCeilings } from '../engine/ceilings.ts'
export type { CeilingLimits, CeilingUse } from '../stores/sqlite-ledger.ts'

/** How much of these ceilings is used now. */
export function ceilingUses(ceilings: readonly Ceiling[]): readonly (CeilingUse & Pick<Ceiling, 'scope'>)[] {
  return ceilings.flatMap(({ scope, path, limits }) => {
    const ledger = openLedger(path)
    try {
      return ledger.uses(limits).map((use) => ({ scope, ...use }))
    } finally {
      ledger.close()
    }
  })
}
