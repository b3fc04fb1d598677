import { type PlainView, plainView } from './plain-view.ts'

/**
 * The text as it reads with the characters that JSON writes by their numbers: `\u00e9` is `é`, however deep JSON stands in JSON. Some writers do
 * so with more than they have to. `undefined` where there are none.
 */
export function withoutUnicodeEscapes(text: string): PlainView | undefined {
  if (!text.includes('\\u')) return undefined
  const escapes = Array.from(text.matchAll(ESCAPE), ({ 0: escape, 1: number = '', index }) => {
    return { start: index, end: index + escape.length, by: String.fromCharCode(Number.parseInt(number, 16)) }
  })
  return plainView(text, escapes)
}

const ESCAPE = /(?<!\\)\\+u([0-9a-f]{4})/gi
