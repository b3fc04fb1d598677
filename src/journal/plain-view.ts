/** A text in which some places read otherwise, and where each of its characters stood. */
export interface PlainView {
  readonly text: string
  /** The place in the text it was made from. */
  readonly at: (index: number) => number
}

export interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** `undefined` where nothing is replaced. The replacements are in order and do not overlap. */
export function plainView(original: string, replacements: Iterable<Replacement>): PlainView | undefined {
  const pieces: string[] = []
  /** Where a piece begins in the plain text, and where that was. */
  const starts: (readonly [plain: number, original: number])[] = [[0, 0]]
  let [done, length] = [0, 0]
  for (const { start, end, by } of replacements) {
    pieces.push(original.slice(done, start), by)
    length += start - done + by.length
    done = end
    starts.push([length, done])
  }
  if (pieces.length === 0) return undefined
  const text = pieces.join('') + original.slice(done)
  return { text, at: (index) => placeOf(starts, index) }
}

function placeOf(starts: readonly (readonly [number, number])[], index: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle]?.[0] ?? 0) <= index) low = middle
    else high = middle - 1
  }
  const [plain = 0, original = 0] = starts[low] ?? []
  return original + index - plain
}
