/**
 * Between which bounds a rate lies that was seen `times` out of `of` (Wilson, 95%). Honest for few cases: none of four is not never.
 * Everything is possible where nothing was seen.
 */
export function rateInterval(times: number, of: number): readonly [low: number, high: number] {
  if (of === 0) return [0, 1]
  const share = times / of
  const spread = Z * Z
  const middle = (share + spread / (2 * of)) / (1 + spread / of)
  const half = (Z * Math.sqrt((share * (1 - share)) / of + spread / (4 * of * of))) / (1 + spread / of)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/** 95 of 100. */
const Z = 1.96
