/** How many bytes of a draft are kept. */
export const DRAFT_BYTES_MAX = 50 * 1024

/** The mark at the end of a draft that was cut. */
const TRUNCATED = '[TRUNCATED]'

/** A draft as it is kept: whole, or cut between two characters and marked. */
export function keptDraft(draft: string): { readonly text: string; readonly bytesCut: number; readonly isTruncated: boolean } {
  const bytes = Buffer.from(draft.toWellFormed(), 'utf8')
  if (bytes.byteLength <= DRAFT_BYTES_MAX) return { text: bytes.toString('utf8'), bytesCut: 0, isTruncated: false }
  const mark = `\n${TRUNCATED}`
  let end = DRAFT_BYTES_MAX - Buffer.byteLength(mark)
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return { text: `${bytes.subarray(0, end).toString('utf8')}${mark}`, bytesCut: bytes.byteLength - end, isTruncated: true }
}
