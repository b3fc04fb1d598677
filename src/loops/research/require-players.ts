import { nearestName } from '../../core/nearest-name.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec } from '../../core/run-config.ts'

/**
 * Throws for an agent that would play nobody in research: its name is no role of the loop's. With `isShared` only for one that is a slip
 * of such a name, since the others may be roles of other loops.
 */
export function requirePlayers({ settings }: PartSpec, names: readonly string[], { isShared = false } = {}): void {
  const roles = Object.keys((settings['roles'] ?? {}) as object).concat(ASIDE)
  const known = [...CLASSES, ...roles]
  const isKnown = (name: string): boolean =>
    known.includes(name) || CLASSES.some((group) => name.startsWith(`${group}:`) && roles.includes(name.slice(group.length + 1)))
  for (const name of names) {
    const near = isKnown(name) ? undefined : nearestName(name, known)
    if (isKnown(name) || (isShared && near === undefined)) continue
    const way = near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`
    throw new PawlError('loop.research.role', `No role of research is called "${name}"; ${way}`, { value: name })
  }
}

const CLASSES = ['fast', 'deep']
/** Who is asked besides the specialists, where that is configured. */
const ASIDE = ['questions', 'judge']
