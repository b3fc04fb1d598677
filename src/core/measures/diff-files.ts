/** What a unified diff in git's format says about one file. */
export interface DiffFile {
  /** The path it has now; of a deleted file the one it had. */
  readonly path: string
  /** The path it had, if that was another one. */
  readonly renamedFrom?: string
  readonly change: 'added' | 'modified' | 'deleted'
  readonly hunks: readonly DiffHunk[]
  /** Set when lines that the diff announces are not there. */
  readonly isCut?: true
}

export interface DiffHunk {
  readonly lines: readonly DiffLine[]
}

export interface DiffLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
  /** Counted from 1: of a removed line in the old file, of any other in the new one. */
  readonly line: number
}

/** Reads a diff, whole or cut: what is not a diff's line is passed over. */
export function diffFiles(diff: string): readonly DiffFile[] {
  const files: DiffFile[] = []
  let draft: Draft | undefined
  for (const text of diff.split('\n')) {
    if (text.startsWith('diff --git ')) {
      if (draft) files.push(finished(draft))
      draft = opened(text)
    } else if (draft) read(draft, text)
  }
  if (draft) files.push(finished(draft))
  return files
}

/** Longer lines are no one's tests, and patterns take their time with them. */
const LINE_LENGTH_MAX = 2000

interface Draft {
  path: string
  renamedFrom?: string
  change: DiffFile['change']
  hunks: { lines: DiffLine[] }[]
  isCut: boolean
  oldLine: number
  newLine: number
  oldLeft: number
  newLeft: number
}

function opened(header: string): Draft {
  const names = header.slice('diff --git '.length)
  // Both names are the same but for a rename, which says so in its own lines.
  const half = names.startsWith('"') ? /^(".*") "/.exec(names)?.[1] : names.slice(0, (names.length - 1) / 2)
  const counts = { oldLine: 0, newLine: 0, oldLeft: 0, newLeft: 0 }
  return { path: pathOf(half ?? names), change: 'modified', hunks: [], isCut: false, ...counts }
}

function read(draft: Draft, text: string): void {
  if (draft.oldLeft + draft.newLeft > 0) {
    if (readLine(draft, text)) return
    draft.isCut = true
    draft.oldLeft = draft.newLeft = 0
  }
  const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text)
  if (range) openHunk(draft, range)
  else if (draft.hunks.length === 0) readHeader(draft, text)
}

function openHunk(draft: Draft, [, oldStart, oldCount = '1', newStart, newCount = '1']: RegExpExecArray): void {
  draft.oldLeft = Number(oldCount)
  draft.newLeft = Number(newCount)
  draft.oldLine = Number(oldStart)
  draft.newLine = Number(newStart)
  draft.hunks.push({ lines: [] })
}

function readLine(draft: Draft, text: string): boolean {
  const sign = text === '' ? ' ' : text[0]
  if (sign === '\\') return true
  if (sign !== ' ' && sign !== '-' && sign !== '+') return false
  const line = sign === '-' ? draft.oldLine : draft.newLine
  draft.hunks.at(-1)?.lines.push({ sign, text: text.slice(1, LINE_LENGTH_MAX).replace(/\r$/, ''), line })
  if (sign !== '+') {
    draft.oldLine += 1
    draft.oldLeft -= 1
  }
  if (sign !== '-') {
    draft.newLine += 1
    draft.newLeft -= 1
  }
  return true
}

function readHeader(draft: Draft, text: string): void {
  if (text.startsWith('new file mode')) draft.change = 'added'
  else if (text.startsWith('deleted file mode')) draft.change = 'deleted'
  else if (text.startsWith('rename from ')) draft.renamedFrom = pathOf(text.slice('rename from '.length))
  else if (text.startsWith('rename to ')) draft.path = pathOf(text.slice('rename to '.length))
  else if (text.startsWith('+++ ') && text !== '+++ /dev/null') draft.path = pathOf(text.slice(4).replace(/\t$/, ''), true)
  else if (text.startsWith('--- ') && text !== '--- /dev/null') draft.path = pathOf(text.slice(4).replace(/\t$/, ''), true)
}

function finished({ path, renamedFrom, change, hunks, isCut, oldLeft, newLeft }: Draft): DiffFile {
  return {
    path,
    change,
    hunks,
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
    ...(isCut || oldLeft + newLeft > 0 ? { isCut: true } : {}),
  }
}

/** A name without quotes and without the `a/` or `b/` that git puts before it. */
function pathOf(name: string, isPrefixed = /^"?[ab]\//.test(name)): string {
  const plain = name.startsWith('"') ? unquoted(name.slice(1, -1)) : name
  return isPrefixed ? plain.slice(2) : plain
}

function unquoted(text: string): string {
  const bytes = text.replaceAll(/(?:\\[0-7]{3})+/g, (octets) => {
    const hex = [...octets.matchAll(/[0-7]{3}/g)].map(([octal]) => `%${Number.parseInt(octal, 8).toString(16).padStart(2, '0')}`)
    try {
      return decodeURIComponent(hex.join(''))
    } catch {
      // Not UTF-8: the name stays as git wrote it, which still tells it from others.
      return octets
    }
  })
  return bytes.replaceAll(/\\([nrt"\\])/g, (_all, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter)
}
