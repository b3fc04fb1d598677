/** A value in a text that holds several, and where it begins. */
export interface TextPart {
  readonly offset: number
  readonly text: string
}

/** Takes a text of JSON values, one after the other with or without line ends between them, apart. What is left open is the last part. */
export function jsonValues(text: string): readonly TextPart[] {
  const parts: TextPart[] = []
  let start = -1
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (start === -1) start = index
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (depth > 0) continue
    parts.push({ offset: start, text: text.slice(start, index + token.length) })
    start = -1
    depth = 0
  }
  return start === -1 ? parts : [...parts, { offset: start, text: text.slice(start) }]
}

/** Brackets, whole strings, and whatever else stands between white space. */
const TOKENS = /[{}[\]]|"(?:[^"\\]|\\.)*"|[^\s{}[\]"]+|"/gs
