import type { Declaration } from '../../codebase/codebase.ts'
import type { Look } from './look.ts'

const LINES_MAX = 40

export interface DocLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** What stands above a declaration in comments, or begins it in quotes as in Python: its lines, none where there is no such thing. */
export async function docComment(look: Look, { file, line, lineEnd }: Declaration): Promise<readonly DocLine[]> {
  const lines = await look.lines(file)
  if (look.index.languageOf(file) === 'python') return docString(lines, { file, line, lineEnd })
  const found: DocLine[] = []
  for (let at = line - 1; at > 0 && found.length < LINES_MAX; at--) {
    const text = lines[at - 1] ?? ''
    const isComment = /^\s*(?:\/\/|\/?\*|#(?!\[|include|define|if|endif)|--)/.test(text) || /\*\/\s*$/.test(text)
    // Decorators and attributes may stand between.
    if (!isComment && !/^\s*(?:@\w|#\[|\[\w)/.test(text)) break
    if (isComment) found.unshift({ file, line: at, text })
  }
  return found
}

/** The text in quotes that comes first after the head, which ends with a colon. */
function docString(
  lines: readonly string[],
  { file, line, lineEnd }: Pick<Declaration, 'file' | 'line' | 'lineEnd'>,
): readonly DocLine[] {
  const last = Math.min(lineEnd, line + LINES_MAX)
  const head = lines.slice(line - 1, last).findIndex((text) => /:\s*(?:#.*)?$/.test(text))
  const blank = head === -1 ? -1 : lines.slice(line + head, last).findIndex((text) => text.trim() !== '')
  const first = line + head + blank
  const quotes = /^\s*[rRuU]?("""|''')/.exec(lines[first] ?? '')?.[1]
  if (blank === -1 || quotes === undefined) return []
  const found: DocLine[] = []
  for (let at = first; at < last; at++) {
    const text = lines[at] ?? ''
    found.push({ file, line: at + 1, text })
    const ends = text.split(quotes).length - 1
    if (ends > 1 || (at > first && ends > 0)) break
  }
  return found
}
