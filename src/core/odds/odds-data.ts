import type { OddsKind } from './odds-kind.ts'

/** What was learned from recorded loops, as data that ships with the package; written by `bench/odds/train.ts`. */
export type OddsData = Readonly<Record<OddsKind, KindData>>

export interface KindData {
  /** How many loops and moments of them it was learned from. */
  readonly loops: number
  readonly moments: number
  /**
   * By iteration, and for 1, 2, 3 … iterations left: how many recorded loops stood there, with so many iterations left or at most one
   * fewer. Where too few did, nothing is known.
   */
  readonly stood: readonly (readonly number[])[]
  /** The margin (logit) before any tree. */
  readonly base: number
  /** A tree each, its nodes in reading order: `trait threshold` for a fork, left side first, `-1 value` for a leaf. */
  readonly trees: readonly string[]
  /** `cell count good` by turns: how many recorded moments were similar, and of how many the loop still ended well. */
  readonly similar: string
  /** For 1, 2, 3 … iterations left: the shares of later successes that came within 1, 2, 3 … iterations. */
  readonly within: readonly (readonly number[])[]
  /** Below which chance a loop may be given up for each promise, the laxest promise first. */
  readonly limits: readonly { readonly onceIn: number; readonly chance: number }[]
  /** The chance in a circle is never believed to be higher than this, and elsewhere never lower. */
  readonly circleChance: number
}
