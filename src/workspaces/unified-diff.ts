import { lineDiff, type LineChange } from './line-diff.ts'

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

/** As git does: names with control characters, quotes or backslashes stand in quotes. */
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
