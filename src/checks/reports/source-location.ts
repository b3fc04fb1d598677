import { fileURLToPath } from 'node:url'

export interface SourceLocation {
  readonly file: string
  readonly line: number
}

/** The place in the user's own code that a stack, a code frame or a compiler's line points to; `undefined` when there is none. */
export function sourceLocation(whole: string): SourceLocation | undefined {
  // The patterns go back and forth, so what they are given is bounded.
  const text = whole.slice(0, 20_000)
  // Python prints the innermost frame last.
  const python = [...text.matchAll(/^[ \t]*File "(?<file>[^"\n]+)", line (?<line>\d+)/gm)].findLast(isOwn)
  const found = python ?? PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)].filter(isOwn).slice(0, 1))[0]
  const { file, line } = found?.groups ?? {}
  return file === undefined ? undefined : { file: plainPath(file), line: Number(line) }
}

/** A path with an ending, the line, perhaps the column. */
const PATTERNS: readonly RegExp[] = [
  // stacks, code frames and most compilers: file:///x/a.mjs:8:47, src/a.ts:3:5, at fn (/x/a.js:1:2), src/lib.rs:6:27:
  /(?<![\w./@~+-])(?<file>(?:file:\/\/)?[\w./@~+-]{1,300}\.[A-Za-z]\w{0,5}):(?<line>\d{1,7})(?::\d+)?\b/g,
  // tsc: src/a.ts(3,5): error
  /(?<![\w./@~+-])(?<file>[\w./@~+-]{1,300}\.[A-Za-z]\w{0,5})\((?<line>\d{1,7}),\d+\)/g,
]

function isOwn(match: RegExpMatchArray): boolean {
  const file = match.groups?.['file'] ?? ''
  const before = match.input?.slice(Math.max(0, (match.index ?? 0) - ADDRESS_LENGTH_MAX), match.index) ?? ''
  if (/(?:^|\/)(?:node_modules|site-packages)\/|^<|^\/rustc\//.test(file) || before.endsWith('node:')) return false
  const [wordBefore = ''] = /[^\s"'`()<>]*$/.exec(before) ?? []
  return !isInAddress(`${wordBefore}${file}`)
}

const ADDRESS_LENGTH_MAX = 400

/** What stands behind `scheme://`, and `user@host`, whose port looks like a line: neither is a file. */
export function isInAddress(word: string): boolean {
  return /(?<!\bfile):\/\//.test(word) || /@[^/]*$/.test(word)
}

/** A path as people write it: no `file://`, no `./` before it. */
export function plainPath(file: string): string {
  if (!file.startsWith('file://')) return file.replace(/^\.\//, '')
  try {
    return fileURLToPath(file)
  } catch {
    // Not a URL after all (file:// with a host): the text says more than nothing.
    return file
  }
}
