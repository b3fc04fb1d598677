import type { Guard } from '../../core/guard.ts'
import { guardFrom } from '../../guards/guard-from.ts'
import type { GuardSpec } from '../../core/run-config.ts'

/** Guards that are tried together on recorded loops: the first of them that trips ends the loop. */
export interface Policy {
  readonly name: string
  readonly guards: readonly Guard[]
  /** In a sentence: whose rule it is, or what it stands for. */
  readonly about?: string
  /** Rules of the original that recorded loops cannot exercise, a sentence each. */
  readonly unexercised?: readonly string[]
}

/** A policy as data: what stands in a file, or in the configuration of a run. */
export interface PolicyData extends Pick<Policy, 'name' | 'about'> {
  readonly guards: readonly GuardSpec[]
}

/** Builds a policy from its data, its guards as a resumed run builds them. */
export function policyFrom({ guards, ...rest }: PolicyData): Policy {
  return { ...rest, guards: guards.map((spec) => guardFrom(spec)) }
}
