import type { Guard } from '../../core/guard.ts'
import { guardFrom } from '../../guards/guard-from.ts'
import type { GuardSpec } from '../../core/run-config.ts'
import { defaultGuards, withSeverity } from '../../guards/index.ts'
import { isLimit } from '../../core/trip.ts'
import { replay } from './replay.ts'
import type { ReplayableLoop } from './recorded-loop.ts'

/** Guards that are tried together on recorded loops: the first of them that trips ends the loop. */
export interface Policy {
  readonly name: string
  readonly guards: readonly Guard[]
  /** In a sentence: whose rule it is, or what it stands for. */
  readonly about?: string
  /** Rules of the original that recorded loops cannot exercise, a sentence each. */
  readonly unexercised?: readonly string[]
}

/** A policy as data: as in a file, or in the configuration of a run. */
export interface PolicyData extends Pick<Policy, 'name' | 'about'> {
  readonly guards: readonly GuardSpec[]
}

/** Builds a policy from its data, its guards as a resumed run builds them. */
export function policyFrom({ guards, ...rest }: PolicyData): Policy {
  return { ...rest, guards: guards.map((spec) => guardFrom(spec)) }
}

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

/** How many iterations of failed loops a policy avoids beyond the present one: by itself, and beside the policies before it. */
export interface AvoidedBeside {
  readonly alone: number
  readonly beside: number
}

/** Counts loop by loop what policies avoid together: those that end the same loops at the same place save the iterations once. */
export interface PolicyOverlap {
  add(loop: ReplayableLoop): void
  /** One for each policy but the first, in their order. */
  avoided(): readonly AvoidedBeside[]
}

/** Begins to count what `others`, one added to the next, avoid beyond `now`. */
export function policyOverlap(now: Policy, others: readonly Policy[]): PolicyOverlap {
  const sums = others.map(() => ({ alone: 0, beside: 0 }))
  return {
    add: (loop) => {
      if (loop.outcome !== 'failed') return
      const stops = replay(loop, [now, ...others])
      const [end = 0, ...ends] = stops.map((stop) => stop?.iteration ?? loop.iterations.length)
      let earliest = end
      for (const [index, sum] of sums.entries()) {
        const other = ends[index] ?? end
        sum.alone += Math.max(0, end - other)
        sum.beside += Math.max(0, earliest - other)
        earliest = Math.min(earliest, other)
      }
    },
    avoided: () => sums,
  }
}
