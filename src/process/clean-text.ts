import { stripVTControlCharacters } from 'node:util'

/**
 * Output of a program as text that can be stored, shown and read by parsers: valid Unicode, no colours or cursor movements,
 * `\n` for every kind of line end, and one `�` for every run of bytes that are no text.
 */
export function cleanText(bytes: Buffer | string): string {
  return stripVTControlCharacters(bytes.toString()).replaceAll(/\r\n?/g, '\n').replaceAll(NOT_TEXT, '\uFFFD')
}

/** Control characters other than tab and line end, and what the decoder could not read. */
// oxlint-disable-next-line no-control-regex
const NOT_TEXT = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\uFFFD]+/g
