import type { Captured } from '../process/output.ts'

/** One version of a file: its mode as git writes it (`100644`, `100755`, `120000` for a link) and its bytes. */
export interface FileVersion {
  readonly mode: string
  readonly content: Buffer
}

export interface UnifiedDiff {
  /** Ready to be shown or applied with `git apply`; bytes, for a file may have any encoding. */
  readonly text: Buffer
  readonly insertions: number
  readonly deletions: number
}

/** The difference of one file in git's format with three lines around each change; a binary file is named only. */
export function unifiedDiff(path: string, before: FileVersion | undefined, after: FileVersion | undefined): UnifiedDiff {
  const [oldName, newName] = [before ? quoted(`a/${path}`) : '/dev/null', after ? quoted(`b/${path}`) : '/dev/null']
  const header = `diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}\n${modeLines(before?.mode, after?.mode)}`
  const [oldContent, newContent] = [before?.content ?? EMPTY, after?.content ?? EMPTY]
  if (oldContent.equals(newContent)) return { text: Buffer.from(header), insertions: 0, deletions: 0 }
  if (isBinary(oldContent) || isBinary(newContent)) {
    return { text: Buffer.from(`${header}Binary files ${oldName} and ${newName} differ\n`), insertions: 0, deletions: 0 }
  }
  const [oldLines, newLines] = [linesOf(oldContent), linesOf(newContent)]
  const changes = lineDiff(oldLines, newLines)
  const names = `--- ${ended(oldName)}\n+++ ${ended(newName)}\n`
  const hunks = grouped(changes).map((group) => hunk(group, oldLines, newLines))
  return {
    text: Buffer.concat([Buffer.from(header + names), Buffer.from(hunks.join(''), 'latin1')]),
    insertions: changes.reduce((sum, { afterStart, afterEnd }) => sum + afterEnd - afterStart, 0),
    deletions: changes.reduce((sum, { beforeStart, beforeEnd }) => sum + beforeEnd - beforeStart, 0),
  }
}

const EMPTY = Buffer.alloc(0)
const CONTEXT = 3
/** As far as git looks for a zero byte. */
const BINARY_SEARCH_BYTES = 8000

function isBinary(content: Buffer): boolean {
  return content.subarray(0, BINARY_SEARCH_BYTES).includes(0)
}

/** Lines with their ends, one character per byte. */
function linesOf(content: Buffer): string[] {
  const lines = content.toString('latin1').split('\n')
  const last = lines.pop()!
  return [...lines.map((line) => `${line}\n`), ...(last === '' ? [] : [last])]
}

function modeLines(before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `new file mode ${after}\n`
  if (after === undefined) return `deleted file mode ${before}\n`
  return before === after ? '' : `old mode ${before}\nnew mode ${after}\n`
}

/** Changes whose surroundings meet share a hunk. */
function grouped(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = []
  for (const change of changes) {
    const last = groups.at(-1)
    if (last && change.beforeStart - last.at(-1)!.beforeEnd <= 2 * CONTEXT) last.push(change)
    else groups.push([change])
  }
  return groups
}

function hunk(group: readonly LineChange[], before: readonly string[], after: readonly string[]): string {
  const [first, last] = [group[0]!, group.at(-1)!]
  const start = Math.max(0, first.beforeStart - CONTEXT)
  const end = Math.min(before.length, last.beforeEnd + CONTEXT)
  const afterStart = first.afterStart - (first.beforeStart - start)
  const afterEnd = last.afterEnd + (end - last.beforeEnd)
  const body: string[] = []
  let place = start
  for (const change of group) {
    body.push(...marked(' ', before.slice(place, change.beforeStart)))
    body.push(...marked('-', before.slice(change.beforeStart, change.beforeEnd)))
    body.push(...marked('+', after.slice(change.afterStart, change.afterEnd)))
    place = change.beforeEnd
  }
  body.push(...marked(' ', before.slice(place, end)))
  return `@@ -${range(start, end)} +${range(afterStart, afterEnd)} @@\n${body.join('')}`
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => (line.endsWith('\n') ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`))
}

/** Counted from 1; an empty range names the line before it. */
function range(start: number, end: number): string {
  const count = end - start
  const first = count === 0 ? start : start + 1
  return count === 1 ? `${first}` : `${first},${count}`
}

/** As git does: names with control characters, quotes or backslashes are in quotes. */
function quoted(name: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (!/[\u0000-\u001f\u007f"\\]/.test(name)) return name
  // oxlint-disable-next-line no-control-regex -- the same
  const escaped = name.replaceAll(/[\u0000-\u001f\u007f"\\]/g, (character) => {
    const short = { '\n': 'n', '\t': 't', '\r': 'r', '"': '"', '\\': '\\' }[character]
    return `\\${short ?? character.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return `"${escaped}"`
}

/** A tab tells programs where a name with spaces ends. */
function ended(name: string): string {
  return name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name
}

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

export interface DiffCaps {
  /** Of the whole text; default 256 KB. */
  readonly bytesMax?: number
  /** Of one file's part, so that a lock file cannot hide the code; default 64 KB. */
  readonly fileBytesMax?: number
}

/** Reads a unified diff in chunks and keeps whole lines within the caps; `bytesCut` counts the rest. */
export async function cappedDiff(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, caps: DiffCaps = {}): Promise<Captured> {
  const { bytesMax = 256 * 1024, fileBytesMax = 64 * 1024 } = caps
  const kept: Buffer[] = []
  let bytes = 0
  let fileBytes = 0
  let bytesCut = 0
  let fileIsFull = false
  for await (const line of diffLines(chunks, fileBytesMax)) {
    if (line.head.subarray(0, FILE_START.length).equals(FILE_START)) {
      fileBytes = 0
      fileIsFull = false
    }
    fileIsFull ||= fileBytes + line.bytes > fileBytesMax || bytes + line.bytes > bytesMax
    if (fileIsFull) {
      bytesCut += line.bytes
    } else {
      kept.push(line.head)
      bytes += line.bytes
      fileBytes += line.bytes
    }
  }
  return { text: Buffer.concat(kept).toString('utf8'), bytesCut }
}

const FILE_START = Buffer.from('diff --git ')
const NEWLINE = 10

interface Line {
  /** The line with its end; of a line longer than the cap only its beginning. */
  readonly head: Buffer
  readonly bytes: number
}

/** Cuts chunks into lines. A line that could never be kept is counted, not collected: a generated file may be one of 500 MB. */
async function* diffLines(chunks: AsyncIterable<Buffer> | Iterable<Buffer>, headBytesMax: number): AsyncGenerator<Line> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    let start = 0
    while (start < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, start)
      const end = newline === -1 ? chunk.length : newline + 1
      const part = chunk.subarray(start, end)
      if (bytes <= headBytesMax) parts.push(part)
      bytes += part.length
      start = end
      if (newline === -1) continue
      yield { head: parts.length === 1 ? parts[0]! : Buffer.concat(parts), bytes }
      parts = []
      bytes = 0
    }
  }
  if (bytes > 0) yield { head: Buffer.concat(parts), bytes }
}
