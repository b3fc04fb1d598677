import type { OddsKind } from './odds-kind.ts'

/** What was learned from recorded loops, as data that ships with the package; written by `bench/odds/train.ts`. */
export type OddsData = Readonly<Record<OddsKind, KindData>>

export interface KindData {
  /** How many loops and moments of them it was learned from. */
  readonly loops: number
  readonly moments: number
  /** The longest that was seen: beyond it nothing is known. */
  readonly iterationMax: number
  readonly iterationsLeftMax: number
  /** The margin (logit) before any tree. */
  readonly base: number
  /** A tree each, its nodes in reading order: `trait threshold` for a fork, left side first, `-1 value` for a leaf. */
  readonly trees: readonly string[]
  /** `cell count` by turns: how many recorded moments were similar. */
  readonly similar: string
  /** For 1, 2, 3 … iterations left: the shares of later successes that came within 1, 2, 3 … iterations. */
  readonly within: readonly (readonly number[])[]
  /** Below which chance a loop may be given up so that at most one success in so many is lost, the dearest first. */
  readonly limits: readonly { readonly onceIn: number; readonly chance: number }[]
  /** Only where something repeats itself is the chance believed to be lower than this. */
  readonly chanceMinUnrepeated: number
}
