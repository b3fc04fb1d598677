const SHOWN_MAX = 8

/** Names in a sentence: `a, b and c`, or the first few `and others`. No number: findings that differ in one are taken for a contradiction. */
export function listed(names: readonly string[], shownMax = SHOWN_MAX): string {
  const shown = names.slice(0, shownMax)
  if (names.length > shownMax) return `${shown.join(', ')} and others`
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}
