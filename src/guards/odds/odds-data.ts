import type { RunConfig } from '../../core/run-config.ts'

/** What was learned from recorded loops, as data that ships with the package; written by `bench/odds/train.ts`. */
export type OddsData = Readonly<Record<OddsKind, KindData>>

export interface KindData {
  /** How many loops and moments of them it was learned from. */
  readonly loops: number
  readonly moments: number
  /**
   * By iteration, and for 1, 2, 3 … iterations left: how many recorded loops got there, with at least so many iterations left or one
   * fewer. Where too few did, nothing is known.
   */
  readonly stood: readonly (readonly number[])[]
  /** The margin (logit) before any tree. */
  readonly base: number
  /** A tree each, its nodes in reading order: `trait threshold` for a fork, left side first, `-1 value` for a leaf. */
  readonly trees: readonly string[]
  /** `cell count` by turns: how many recorded moments are of the same sort. Where too few are, nothing is known. */
  readonly similar: string
  /**
   * Of loops that the fit had not seen, the moments that were given about the same chance: up to which chance, how many they were, and of
   * how many the loop still ended well. The lowest chance first.
   */
  readonly given: readonly GivenChance[]
  /** For 1, 2, 3 … iterations left: the shares of later successes that came within 1, 2, 3 … iterations. */
  readonly within: readonly (readonly number[])[]
  /**
   * Two by two, the laxest promise first: up to one in how many, and below which chance a loop may be given up then; 1 if nothing but the
   * promise itself is the limit.
   */
  readonly limits: readonly number[]
  /** The chance in a circle is never believed to be higher than this, and elsewhere never lower. */
  readonly circleChance: number
}

export type GivenChance = readonly [chanceMax: number, moments: number, endedWell: number]

/**
 * What an iteration is. `attempts`: each tries the whole task, as our own loops do. `turns`: each is one action of an agent and what came
 * back. Of other kinds too few loops were ever recorded.
 */
export type OddsKind = 'attempts' | 'turns'

/** The kinds there are odds for. */
export const ODDS_KINDS: readonly OddsKind[] = ['attempts', 'turns']

/**
 * The kind of a loop: what its settings say, or else attempts for those of our loops that try the whole task each time. Nothing for a kind
 * there are no odds for, nor for any other loop that does not say what its iterations are.
 */
export function oddsKindOf({ loop }: RunConfig): OddsKind | undefined {
  const { kind = ATTEMPTING.has(loop.name) ? 'attempts' : undefined } = loop.settings
  return ODDS_KINDS.find((each) => each === kind)
}

/** Research isn't one of them: it gathers findings from iteration to iteration. */
const ATTEMPTING: ReadonlySet<string> = new Set(['task', 'ralph', 'review'])
