import type { GuardSpec } from './run-config.ts'

/** The names under which a guard's trips stand in the journal: a ladder speaks for its part, a combination has a name of its own. */
export function tripNames({ name, settings, parts = [] }: GuardSpec): readonly string[] {
  switch (name) {
    case 'custom':
      return [String(settings['name'])]
    case 'ladder':
      return parts.flatMap(tripNames)
    case 'anyOf':
    case 'allOf':
    case 'not':
      return [`${name}(${parts.map((part) => part.name).join(', ')})`]
    default:
      return [name]
  }
}
