import { stripVTControlCharacters } from 'node:util'

/**
 * An output as plain lines: without colours, byte order marks and the leftovers of UTF-16 that was read as UTF-8, every line
 * ended by `\n`. Text that has none of these comes back as it is, at the cost of looking.
 */
export function plainText(output: string): string {
  let text = output
  if (text.includes('\0')) text = text.replaceAll('\0', '')
  if (text.startsWith('\uFFFD')) text = text.replace(/^\uFFFD+/, '')
  if (text.includes('\uFEFF')) text = text.replaceAll('\uFEFF', '')
  if (text.includes('\u001B') || text.includes('\u009B')) text = stripVTControlCharacters(text)
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}
