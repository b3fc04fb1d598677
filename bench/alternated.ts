import { median } from './median.ts'

export interface Alternated {
  /** Milliseconds, one for each round. */
  readonly ones: readonly number[]
  readonly others: readonly number[]
  /** One against other, round by round. */
  readonly ratios: readonly number[]
  /** The median of the ratios. */
  readonly ratio: number
}

/**
 * Times two things in turn and compares them round by round: what else the machine does at a time then weighs on both sides. The
 * first round warms up and is not counted.
 */
export async function alternated(
  rounds: number,
  one: (round: number) => number | Promise<number>,
  other: (round: number) => number | Promise<number>,
): Promise<Alternated> {
  const ones: number[] = []
  const others: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const oneMs = await one(round)
    const otherMs = await other(round)
    if (round === 0) continue
    ones.push(oneMs)
    others.push(otherMs)
  }
  const ratios = ones.map((oneMs, index) => oneMs / (others[index] as number))
  return { ones, others, ratios, ratio: median(ratios) }
}
