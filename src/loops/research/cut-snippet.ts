/**
 * The beginning of a quoted text, cut between two words: half a word does not stand in a file, and the quotation would be refuted. A single
 * word that is too long by itself is cut where it must be.
 */
export function cutSnippet(snippet: string, lengthMax: number): string {
  if (snippet.length <= lengthMax) return snippet
  const cut = snippet.slice(0, lengthMax)
  const isBetween = !WORD.test(cut.at(-1) ?? '') || !WORD.test(snippet[lengthMax] ?? '')
  const whole = isBetween ? cut : cut.replace(/[\p{L}\p{N}_]+$/u, '')
  return whole.trim() === '' ? cut : whole.trimEnd()
}

const WORD = /[\p{L}\p{N}_]/u
