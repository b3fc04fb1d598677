import type { EffectKey, TextRef } from './event-data.ts'
import type { WrittenTests } from './proof.ts'

/** Has an agent work on a brief. */
export interface WorkEffect extends Pawl.LoopWork {
  readonly kind: 'work'
  readonly key: EffectKey
  readonly iteration: number
  readonly role: string
  readonly brief: string
  /** Texts the agent may want to read whole: the runner puts them into files and says where. */
  readonly texts?: readonly { readonly name: string; readonly text: TextRef }[]
  /** Set where the agent is to change no file: what it changes is put back. */
  readonly isReadOnly?: true
  /** The loop's performer that does this work, where more than the work itself is to be on record. */
  readonly performer?: string
  readonly deadlineMs?: number
  /** What it may cost. */
  readonly costUsdMax?: number
  /** How many messages and tool calls it may take, if that is limited. */
  readonly messagesMax?: number
}

/** Something only the outside can do. */
export type Effect =
  | WorkEffect
  | {
      readonly kind: 'observe'
      readonly key: EffectKey
      readonly iteration: number
      readonly by: 'agent' | 'session' | 'person' | 'checks'
    }
  | {
      readonly kind: 'check'
      readonly key: EffectKey
      readonly iteration: number
      readonly name: string
      readonly tree: string
      /** Set on the last one of an iteration: Pawl then looks at what the checks wrote, so that it doesn't count as the next agent's work. */
      readonly isLast?: true
      /** For a reviewer: what is asked, and the snapshot from which on the changes are shown. */
      readonly review?: { readonly brief: string; readonly since?: string }
      /** What a reviewer may cost. */
      readonly costUsdMax?: number
    }
  /** Proves that the work is done, by running the checks in fresh copies of the trees. */
  | {
      readonly kind: 'prove'
      readonly key: EffectKey
      readonly iteration: number
      readonly tree: string
      readonly isShared?: true
      /** Tests that were written for the work. */
      readonly written?: WrittenTests
      /** Tests that failed when the unit of work began and are for a later one. */
      readonly left?: readonly string[]
    }
  | { readonly kind: 'phrase'; readonly key: EffectKey; readonly iteration: number; readonly brief: string }
  | { readonly kind: 'restore'; readonly key: EffectKey; readonly iteration: number; readonly snapshot: string }
  | Pawl.LoopEffects[keyof Pawl.LoopEffects]

export type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>

/** The key of an effect; `index` tells apart those of one role, default 0. */
export function effectKey(iteration: number, role: string, index = 0): EffectKey {
  return `${iteration}/${role}/${index}`
}
