/** Whether a keyword, or a word that begins with it, stands in the text; case and punctuation do not matter. */
export function wordIn(text: string, keyword: string): boolean {
  return ` ${plain(text)} `.includes(` ${plain(keyword)}`)
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
