import { type PlainView, plainView } from './plain-view.ts'

/**
 * The text as it reads without the escapes of JSON and of code: `\n` ends a line, `\"` is a quotation mark, however deep JSON stands in JSON,
 * and the codes of colours are gone, whichever way the sign they begin with is written. In the escaped form the letter of `\n` or of `[32m`
 * stands right before what follows, and a token there has no beginning that a rule would see. `undefined` where there are none.
 */
export function withoutEscapes(escaped: string): PlainView | undefined {
  const escapes = Array.from(escaped.matchAll(ESCAPE), ({ 0: escape, 1: letter, index }) => {
    return { start: index, end: index + escape.length, by: letter === undefined ? '' : QUOTES.has(letter) ? letter : '\n' }
  })
  return plainView(escaped, escapes)
}

/** The sign that begins the code of a colour: itself, as JSON and code escape it, and as terminals and `cat -v` show it. */
const BEGINS_CODE = String.raw`(?:\u001b|\^\[|(?<!\\)\\+(?:u001b|u\{1b\}|x1b|033|e))`
const ESCAPE = new RegExp(
  String.raw`${BEGINS_CODE}\[[0-9;:?]{0,40}[A-Za-z]|(?<!\\)\\+(u00[01][0-9a-f]|[nrtbf"'` + '`' + String.raw`/])`,
  'gi',
)
const QUOTES = new Set(['"', "'", '`', '/'])
