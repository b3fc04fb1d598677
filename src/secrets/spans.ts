/** Where a secret is in a text, and of what kind it is: `github`, `password`, `private-key`, or the name of a variable. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  readonly kind: string
  /** Set if it is the whole secret and nothing else: the rest of its line stays. */
  readonly isExact?: boolean
  /** Set if more of the secret is beside it: its line goes, even if its own place is known exactly. */
  readonly takesLine?: boolean
}

/** In order; spans that touch or overlap become one. */
export function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
  }
  return merged
}
