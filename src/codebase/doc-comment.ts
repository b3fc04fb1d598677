import type { LanguageName } from './language.ts'

const LINES_MAX = 40
const COMMENT = /^\s*(?:\/\/|\/?\*|#(?!\[|include|define|if|endif)|--)/

interface Lines {
  readonly line: number
  readonly lineEnd: number
}

/** The line numbers of the comment above a declaration, or of its docstring in Python. */
export function docLines(lines: readonly string[], declared: Lines, language: LanguageName | undefined): readonly number[] {
  const above: number[] = []
  for (let at = declared.line - 1; at > 0 && above.length < LINES_MAX; at--) {
    const text = lines[at - 1] ?? ''
    const isComment = COMMENT.test(text) || /\*\/\s*$/.test(text)
    // Skip decorators and attributes in between.
    if (!isComment && !/^\s*(?:@\w|#\[|\[\w)/.test(text)) break
    if (isComment) above.unshift(at)
  }
  if (language !== 'python') return above
  const own = docString(lines, declared)
  return own.length > 0 ? own : above
}

/** The string that follows the head, which ends with a colon. */
function docString(lines: readonly string[], { line, lineEnd }: Lines): readonly number[] {
  const last = Math.min(lineEnd, line + LINES_MAX)
  const head = lines.slice(line - 1, last).findIndex((text) => /:\s*(?:#.*)?$/.test(text))
  const blank = head === -1 ? -1 : lines.slice(line + head, last).findIndex((text) => text.trim() !== '')
  const first = line + head + blank
  const quotes = /^\s*[rRuU]?("""|''')/.exec(lines[first] ?? '')?.[1]
  if (blank === -1 || quotes === undefined) return []
  const found: number[] = []
  for (let at = first; at < last; at++) {
    found.push(at + 1)
    const ends = (lines[at] ?? '').split(quotes).length - 1
    if (ends > 1 || (at > first && ends > 0)) break
  }
  return found
}
