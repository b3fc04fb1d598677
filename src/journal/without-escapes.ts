import { type PlainView, plainView } from './plain-view.ts'

/**
 * The text as it reads without the escapes of JSON and of code: `\n` ends a line, `\"` is a quotation mark, however deep JSON stands in JSON.
 * In the escaped form the letter of `\n` stands right before what begins the next line, and a token there has no beginning that a rule would
 * see. `undefined` where there are none.
 */
export function withoutEscapes(escaped: string): PlainView | undefined {
  const escapes = Array.from(escaped.matchAll(ESCAPE), ({ 0: escape, 1: letter = '', index }) => {
    return { start: index, end: index + escape.length, by: QUOTES.has(letter) ? letter : '\n' }
  })
  return plainView(escaped, escapes)
}

const ESCAPE = /(?<!\\)\\+(u00[01][0-9a-f]|[nrtbf"'`/])/gi
const QUOTES = new Set(['"', "'", '`', '/'])
