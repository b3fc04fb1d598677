/** Where a secret stands in a text, and what kind it is (`github`, `password`, `private-key`, or the name of a variable). */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Set when it is the whole secret and nothing else: the rest of its line stays. */
  readonly isExact?: true
  /** Set when more of the secret stands beside it: the line goes with it, also where its own place is known exactly. */
  readonly takesLine?: true
}

/** In order, and one where several touch or overlap. */
export function mergeOverlapping(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
  }
  return merged
}

/** Of spans in order that do not overlap the last one that begins before a place. */
export function lastBefore(spans: readonly SecretSpan[], place: number): SecretSpan | undefined {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle] as SecretSpan).start < place) low = middle + 1
    else high = middle
  }
  return spans[low - 1]
}
