import { defaultGuards, withSeverity } from '../../guards/index.ts'
import { isLimit } from '../../core/limits.ts'
import { type Policy, policyFrom } from './policy.ts'

/** The policies that are tried where none is named, by their names on the command line. */
export function builtInPolicies(): Readonly<Record<'defaults' | 'all', Policy>> {
  // The maximum is a person's choice and the recorded loop's own: a policy is judged by what it adds.
  const guards = defaultGuards().filter(({ spec }) => !isLimit(spec.name))
  return {
    defaults: policyFrom({
      name: 'defaults',
      about: 'The guards out of the box, as they decide there; the maximum is that of the recorded loop.',
      guards: guards.map(({ spec }) => spec),
    }),
    all: policyFrom({
      name: 'all',
      about: 'Every guard out of the box, with its own threshold and deciding.',
      guards: guards.map((guard) => withSeverity(guard, 'trip').spec),
    }),
  }
}
