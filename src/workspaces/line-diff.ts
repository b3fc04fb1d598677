/** Lines `beforeStart..beforeEnd` became lines `afterStart..afterEnd`; both ends are exclusive, counted from 0. */
export interface LineChange {
  readonly beforeStart: number
  readonly beforeEnd: number
  readonly afterStart: number
  readonly afterEnd: number
}

/**
 * What changed between two lists of lines, by Myers' linear-space algorithm. The script is always right; it is also the shortest,
 * unless two versions differ in more than some 2,000 lines that occur in both, where it is cut short to stay quick.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): LineChange[] {
  const { left, right } = numbered(before, after)
  const removed = new Uint8Array(before.length)
  const inserted = new Uint8Array(after.length)
  // A line that only one side has is changed for certain, and leaves less to search.
  const leftPlaces = placesIn(left, new Set(right), removed)
  const rightPlaces = placesIn(right, new Set(left), inserted)
  const search = new Search(
    leftPlaces.map((place) => left[place]!),
    rightPlaces.map((place) => right[place]!),
  )
  for (const index of search.removed()) removed[leftPlaces[index]!] = 1
  for (const index of search.inserted()) inserted[rightPlaces[index]!] = 1
  return changesFrom(removed, inserted)
}

const EDITS_MAX = 1024

function numbered(before: readonly string[], after: readonly string[]) {
  const numbers = new Map<string, number>()
  const numberOf = (line: string) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  }
  return { left: before.map(numberOf), right: after.map(numberOf) }
}

/** The places of lines that the other side has too; the others are marked. */
function placesIn(lines: readonly number[], other: ReadonlySet<number>, marks: Uint8Array): number[] {
  const places: number[] = []
  for (const [place, line] of lines.entries()) {
    if (other.has(line)) places.push(place)
    else marks[place] = 1
  }
  return places
}

function changesFrom(removed: Uint8Array, inserted: Uint8Array): LineChange[] {
  const changes: LineChange[] = []
  let before = 0
  let after = 0
  while (before < removed.length || after < inserted.length) {
    const [beforeStart, afterStart] = [before, after]
    while (removed[before] === 1) before += 1
    while (inserted[after] === 1) after += 1
    if (before > beforeStart || after > afterStart) changes.push({ beforeStart, beforeEnd: before, afterStart, afterEnd: after })
    else [before, after] = [before + 1, after + 1]
  }
  return changes
}

/** The search proper: divides at the middle of a shortest path until nothing is left to divide. */
class Search {
  readonly #left: readonly number[]
  readonly #right: readonly number[]
  readonly #removed: number[] = []
  readonly #inserted: number[] = []
  /** Furthest places reached on each diagonal, from the beginning and from the end. */
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #zero: number

  constructor(left: readonly number[], right: readonly number[]) {
    this.#left = left
    this.#right = right
    this.#zero = left.length + right.length + 2
    this.#forward = new Int32Array(2 * this.#zero + 1)
    this.#backward = new Int32Array(2 * this.#zero + 1)
    this.#divideAll()
  }

  removed(): readonly number[] {
    return this.#removed
  }

  inserted(): readonly number[] {
    return this.#inserted
  }

  #divideAll(): void {
    const parts: [number, number, number, number][] = [[0, this.#left.length, 0, this.#right.length]]
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      let [leftStart, leftEnd, rightStart, rightEnd] = part
      while (leftStart < leftEnd && rightStart < rightEnd && this.#left[leftStart] === this.#right[rightStart]) {
        leftStart += 1
        rightStart += 1
      }
      while (leftStart < leftEnd && rightStart < rightEnd && this.#left[leftEnd - 1] === this.#right[rightEnd - 1]) {
        leftEnd -= 1
        rightEnd -= 1
      }
      if (leftStart === leftEnd) for (let place = rightStart; place < rightEnd; place += 1) this.#inserted.push(place)
      else if (rightStart === rightEnd) for (let place = leftStart; place < leftEnd; place += 1) this.#removed.push(place)
      else {
        const [x, y] = this.#middle(leftStart, leftEnd, rightStart, rightEnd)
        parts.push([leftStart, leftStart + x, rightStart, rightStart + y], [leftStart + x, leftEnd, rightStart + y, rightEnd])
      }
    }
  }

  /** A point on a shortest path, strictly between its ends: both paths start with an edit, for equal ends were taken off. */
  #middle(leftStart: number, leftEnd: number, rightStart: number, rightEnd: number): readonly [number, number] {
    const [width, height] = [leftEnd - leftStart, rightEnd - rightStart]
    const delta = width - height
    const isOdd = delta % 2 !== 0
    const [forward, backward, zero] = [this.#forward, this.#backward, this.#zero]
    forward[zero + 1] = 0
    backward[zero + 1] = 0
    for (let edits = 0; ; edits += 1) {
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        let x = startOf(forward, zero, diagonal, edits)
        while (x < width && x - diagonal < height && this.#left[leftStart + x] === this.#right[rightStart + x - diagonal]) x += 1
        forward[zero + diagonal] = x
        const other = delta - diagonal
        if (isOdd && Math.abs(other) < edits && x + backward[zero + other]! >= width) return [x, x - diagonal]
      }
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        let x = startOf(backward, zero, diagonal, edits)
        while (x < width && x - diagonal < height && this.#left[leftEnd - 1 - x] === this.#right[rightEnd - 1 - x + diagonal])
          x += 1
        backward[zero + diagonal] = x
        const other = delta - diagonal
        if (!isOdd && Math.abs(other) <= edits && x + forward[zero + other]! >= width) return [width - x, height - x + diagonal]
      }
      if (edits === EDITS_MAX) return furthest(forward, zero, edits, width, height)
    }
  }
}

function startOf(reached: Int32Array, zero: number, diagonal: number, edits: number): number {
  const above = reached[zero + diagonal + 1]!
  const beside = reached[zero + diagonal - 1]!
  return diagonal === -edits || (diagonal !== edits && beside < above) ? above : beside + 1
}

/** Where the search from the beginning got furthest: good enough to divide there. */
function furthest(reached: Int32Array, zero: number, edits: number, width: number, height: number): readonly [number, number] {
  let best: readonly [number, number] = [1, 0]
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    const x = reached[zero + diagonal]!
    const y = x - diagonal
    if (x <= width && y >= 0 && y <= height && x + y > best[0] + best[1] && x + y < width + height) best = [x, y]
  }
  return best
}
