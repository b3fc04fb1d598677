/** Looks for many texts at once: what it costs hardly depends on how many there are. */
export interface ManyTextsSearch {
  isAnyIn(text: string): boolean
  /** Every place of every text, also where they overlap. */
  placesIn(text: string): readonly Place[]
}

export interface Place {
  readonly start: number
  readonly found: string
}

/**
 * Looks at three characters where the first `window` characters of a text would end. Where no text holds these three there, it goes on as far
 * as none can begin in between: mostly as far as the window is long. No text may be shorter than three characters.
 */
export function searchForMany(texts: readonly string[]): ManyTextsSearch {
  let window = STRIDE_MAX
  for (const { length } of texts) window = Math.min(window, length)
  const strides = new Uint8Array(TABLE_SIZE).fill(window - BLOCK + 1)
  const endingWith = new Map<number, string[]>()
  for (const text of texts) {
    for (let end = BLOCK - 1; end < window; end++) {
      const block = blockAt(text, end)
      strides[block] = Math.min(strides[block] as number, window - 1 - end)
    }
    const last = blockAt(text, window - 1)
    const alike = endingWith.get(last)
    if (alike) alike.push(text)
    else endingWith.set(last, [text])
  }

  const scan = (text: string, isFirstEnough: boolean): readonly Place[] => {
    const places: Place[] = []
    for (let end = window - 1; end < text.length;) {
      const block = blockAt(text, end)
      const stride = strides[block] as number
      if (stride > 0) {
        end += stride
        continue
      }
      const start = end - window + 1
      for (const found of endingWith.get(block) ?? []) {
        if (!text.startsWith(found, start)) continue
        places.push({ start, found })
        if (isFirstEnough) return places
      }
      end++
    }
    return places
  }
  return { isAnyIn: (text) => scan(text, true).length > 0, placesIn: (text) => scan(text, false) }
}

const BLOCK = 3
const TABLE_SIZE = 1 << 16
/** What fits into the table. */
const STRIDE_MAX = 255

/** A number for the three characters that end here; others may have the same, and are told apart by comparing. */
function blockAt(text: string, end: number): number {
  return (text.charCodeAt(end - 2) ^ (text.charCodeAt(end - 1) << 5) ^ (text.charCodeAt(end) << 10)) & (TABLE_SIZE - 1)
}
