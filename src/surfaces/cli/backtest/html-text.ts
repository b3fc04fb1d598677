import { safeText } from '../../../present/layout.ts'

/** Text that can stand in a page, whoever wrote it. */
export function escaped(words: string): string {
  return safeText(words).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
