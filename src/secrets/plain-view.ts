/** A text in which some places read otherwise, and where each of its characters stood. */
export interface PlainView {
  readonly text: string
  /** The place in the text it was made from. */
  readonly at: (index: number) => number
  /** The same for the end of a stretch: what was left out behind it is not in it. */
  readonly endAt: (index: number) => number
}

export interface Replacement {
  readonly start: number
  readonly end: number
  readonly by: string
}

/** `undefined` where nothing is replaced. The replacements are in order and do not overlap. */
export function plainView(original: string, replacements: Iterable<Replacement>): PlainView | undefined {
  const pieces: string[] = []
  const starts: PieceStart[] = [{ plain: 0, original: 0, endBefore: 0 }]
  let [done, length] = [0, 0]
  for (const { start, end, by } of replacements) {
    pieces.push(original.slice(done, start), by)
    length += start - done + by.length
    done = end
    starts.push({ plain: length, original: done, endBefore: by === '' ? start : done })
  }
  if (pieces.length === 0) return undefined
  const text = pieces.join('') + original.slice(done)
  return {
    text,
    at: (index) => {
      const { plain, original: from } = startOf(starts, index)
      return from + index - plain
    },
    endAt: (index) => {
      const { plain, original: from, endBefore } = startOf(starts, index)
      return index === plain ? endBefore : from + index - plain
    },
  }
}

interface PieceStart {
  /** Where a piece begins in the plain text, and where that was. */
  readonly plain: number
  readonly original: number
  /** Where what stands before it ended. */
  readonly endBefore: number
}

function startOf(starts: readonly PieceStart[], index: number): PieceStart {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] as PieceStart).plain <= index) low = middle
    else high = middle - 1
  }
  return starts[low] as PieceStart
}
