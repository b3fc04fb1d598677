import type { Look } from './look.ts'

export interface ProseLine {
  readonly text: string
  /** Whether it is written for people: a comment, a text at the head of a definition, a line of a document. */
  readonly isProse: boolean
}

/** The lines of a file, each with whether it is prose. Data has none, whatever its keys are called; only its comments are. */
export async function proseLines(look: Look, file: string): Promise<readonly ProseLine[]> {
  const lines = await look.lines(file)
  const language = look.index.languageOf(file)
  if (language === 'python') return withDocStrings(lines)
  if (language !== undefined) return lines.map((text) => ({ text, isProse: COMMENT.test(text) }))
  if (DATA.test(file)) return lines.map((text) => ({ text, isProse: false }))
  const isDocument = DOCUMENT.test(file)
  return lines.map((text) => ({ text, isProse: isDocument || /^\s*(?:#|\/\/|;|--)/.test(text) }))
}

const COMMENT = /^\s*(?:\/\/|\/?\*|#|--|<!--)|(?<!:)\/\/|\/\*/
const DATA = /\.(?:json\w?|lock|csv|tsv|xml|svg|html?)$/i
const DOCUMENT = /\.(?:mdx?|rst|txt|adoc|org)$|(?:^|\/)[^./]+$/i

/** A text in three quotes that begins a line goes on to the next three. */
function withDocStrings(lines: readonly string[]): readonly ProseLine[] {
  let quotes: string | undefined
  return lines.map((text) => {
    const opening = quotes === undefined ? /^\s*[rRuU]?("""|''')/.exec(text)?.[1] : undefined
    const isProse = quotes !== undefined || opening !== undefined || /^\s*#|\s#\s/.test(text)
    const mark = quotes ?? opening
    if (mark !== undefined) {
      const count = text.split(mark).length - 1
      quotes = (opening === undefined) === (count % 2 === 1) ? undefined : mark
    }
    return { text, isProse }
  })
}
