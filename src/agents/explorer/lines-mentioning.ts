import { significantWords } from '../../loops/research/terms.ts'
import type { Look } from './look.ts'

const LINES_MAX = 2000

export interface MentioningLine {
  readonly file: string
  readonly line: number
  readonly text: string
}

/** The lines of the files that have a word of the question in them, names taken apart; at most a few thousand. */
export async function linesMentioning(look: Look, files: readonly string[]): Promise<readonly MentioningLine[]> {
  const found: MentioningLine[] = []
  const known = new Set(look.index.files())
  for (const file of files.filter((each) => known.has(each))) {
    for (const [index, text] of (await look.lines(file)).entries()) {
      if (significantWords(text).some((word) => look.words.has(word))) found.push({ file, line: index + 1, text })
      if (found.length >= LINES_MAX) return found
    }
  }
  return found
}
