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
 * Times two things in turn and compares them round by round: what else the machine does at a time then weighs on both sides. Each comes
 * first in every other round, so that neither always follows what the other leaves behind. The first round warms up and is not counted.
 */
export async function alternated(
  rounds: number,
  one: (round: number) => number | Promise<number>,
  other: (round: number) => number | Promise<number>,
): Promise<Alternated> {
  const ones: number[] = []
  const others: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const sides = [
      { time: one, times: ones },
      { time: other, times: others },
    ]
    for (const { time, times } of round % 2 === 0 ? sides : sides.toReversed()) {
      const ms = await time(round)
      if (round > 0) times.push(ms)
    }
  }
  const ratios = ones.map((oneMs, index) => oneMs / (others[index] as number))
  return { ones, others, ratios, ratio: median(ratios) }
}
