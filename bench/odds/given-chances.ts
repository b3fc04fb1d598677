import type { GivenChance } from '../../src/guards/odds/odds-data.ts'
import type { JudgedLoop } from './cross-validated.ts'

/** Fewer moments than this say nothing about a small chance. */
const MOMENTS_MIN = 250
const BINS_MAX = 40

/**
 * What became of the moments that were given about the same chance, on loops that the fit had not seen. The moments are parted by their
 * chances into parts of the same size; neighbours of which the lower ended well more often are one part, so a higher chance never has the
 * smaller share.
 */
export function givenChances(loops: readonly JudgedLoop[]): readonly GivenChance[] {
  const known = loops
    .flatMap(({ chances, isSolved }) =>
      chances.flatMap((chance) => (chance === undefined ? [] : [{ chance, endedWell: Number(isSolved) }])),
    )
    .toSorted((one, other) => one.chance - other.chance)
  const size = Math.max(MOMENTS_MIN, Math.ceil(known.length / BINS_MAX))
  const parts: Part[] = []
  let part: Part = { chanceMax: 0, moments: 0, endedWell: 0 }
  for (const [index, { chance, endedWell }] of known.entries()) {
    part = { chanceMax: chance, moments: part.moments + 1, endedWell: part.endedWell + endedWell }
    const next = known[index + 1]
    // Too small a rest at the end belongs to the last part.
    if (next && (part.moments < size || next.chance === chance || known.length - index - 1 < size)) continue
    parts.push({ ...part, chanceMax: next ? (chance + next.chance) / 2 : 1 })
    part = { chanceMax: 0, moments: 0, endedWell: 0 }
    while (isFalling(parts)) parts.splice(-2, 2, joined(parts.at(-2) as Part, parts.at(-1) as Part))
  }
  return parts.map(({ chanceMax, moments, endedWell }) => [Number(chanceMax.toPrecision(5)), moments, endedWell])
}

interface Part {
  readonly chanceMax: number
  readonly moments: number
  readonly endedWell: number
}

function isFalling(parts: readonly Part[]): boolean {
  const [lower, upper] = parts.slice(-2)
  return lower !== undefined && upper !== undefined && lower.endedWell / lower.moments >= upper.endedWell / upper.moments
}

function joined(lower: Part, upper: Part): Part {
  return {
    chanceMax: upper.chanceMax,
    moments: lower.moments + upper.moments,
    endedWell: lower.endedWell + upper.endedWell,
  }
}
