/** A piece of a printed value: a text without its quotes, a bare word or number, or a sign. */
export interface ValueToken {
  readonly text: string
  readonly isQuoted: boolean
  /** A key of an object, which may stand in quotes or not without meaning anything. */
  readonly isKey: boolean
}

/** Takes a printed value apart. Space between the pieces and commas before a closing bracket do not count. */
export function tokensOf(value: string): readonly ValueToken[] {
  const tokens: ValueToken[] = []
  for (const [piece] of value.matchAll(PIECES)) {
    const isQuoted = isQuote(piece[0]) && piece.length > 1
    if (piece === ':' || piece === '=' || piece === '=>') markKey(tokens)
    if (CLOSING.test(piece) && tokens.at(-1)?.text === ',') tokens.pop()
    tokens.push({ text: isQuoted ? piece.slice(1, -1) : piece, isQuoted, isKey: false })
  }
  if (tokens.at(-1)?.text === ',') tokens.pop()
  return tokens
}

/** The value without quotes around the whole of it. */
export function unquoted(value: string): string {
  const text = value.trim()
  const isWhole = text.length > 1 && isQuote(text[0]) && text.at(-1) === text[0] && !text.slice(1, -1).includes(text[0] ?? '')
  // What stands outside of quotes is not trimmed: the space may be what differs.
  return isWhole ? text.slice(1, -1) : value
}

/** The value with what stands inside the given kinds of brackets sorted; the same for values that differ only in that order. */
export function orderless(value: string, brackets: string): string {
  const tokens = tokensOf(value)
  let position = 0
  const group = (closing: string | undefined, isSorted: boolean, depth = 0): string => {
    const parts: string[] = []
    let part = ''
    let end = ''
    while (position < tokens.length) {
      const token = tokens[position++]
      if (!token) break
      const sign = token.isQuoted ? undefined : token.text
      if (sign !== undefined && sign === closing) {
        end = sign
        break
      }
      if (sign === ',') {
        parts.push(part)
        part = ''
      } else if ((sign === '{' || sign === '[') && depth < DEPTH_MAX) {
        part += `${sign}${group(sign === '{' ? '}' : ']', brackets.includes(sign), depth + 1)}`
      } else part += `${token.isQuoted && !token.isKey ? JSON.stringify(token.text) : token.text} `
    }
    const all = [...parts, part]
    return `${(isSorted ? all.toSorted() : all).join(',')}${end}`
  }
  return group(undefined, false)
}

/** Deeper values are compared as they are. */
const DEPTH_MAX = 100

const PIECES = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|=>|[{}[\](),:=]|[^\s"'`{}[\](),:=]+|["'`]/g

const CLOSING = /^[}\])]$/

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'" || character === '`'
}

function markKey(tokens: ValueToken[]): void {
  const key = tokens.pop()
  if (key) tokens.push({ ...key, isKey: true })
}
