import { nearestName } from '../../core/names.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { NAMES_OF_GUARDS } from '../../guards/_names.ts'

/**
 * The name of a guard as runs have it, even if it was given as it is in `pawl.yaml` (`circuit_breaker`). Names that are not
 * Pawl's own stay as they are: a program may call its guards anything.
 */
export function guardName(given: string): string {
  const camel = given.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return OWN.has(camel) ? camel : given
}

/** Refuses the name of a guard that is neither one of Pawl's own nor one of `others`, with the name that was most likely meant. */
export function requireGuardName(given: string, others: readonly string[]): void {
  const names = [...new Set([...OWN, ...others])].toSorted()
  if (names.includes(given)) return
  const nearest = nearestName(given, names)
  const meant = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  const sentence = `There is no guard "${given}".${meant} There are ${names.join(', ')}.`
  throw new PawlError('usage.unknown-guard', sentence, { value: given })
}

/** The list of names alone: the guards themselves take longer to load than most commands take. */
const OWN: ReadonlySet<string> = new Set(NAMES_OF_GUARDS)
