/**
 * The end of a text that grows, cut only once it is twice as long as `lengthMax`, and in whole lines: what is left of a line that was cut,
 * or of a key, may be half a secret.
 */
export function growingEnd(text: string, lengthMax: number): string {
  if (text.length <= lengthMax * 2) return text
  const end = text.slice(-lengthMax)
  const lineBreak = end.indexOf('\n')
  const lines = lineBreak === -1 ? end.slice(placeToCut(end)).toWellFormed() : end.slice(lineBreak + 1)
  const [before = '', ...after] = lines.split(KEY_END)
  return after.length > 0 && !before.includes(KEY_BEGIN) ? after.join(KEY_END) : lines
}

/** In one endless line: behind all that may belong to a secret that was cut, or to the words that tell it for one. */
function placeToCut(line: string): number {
  const gap = line.slice(MARGIN).search(/[\s"',;]/)
  return gap === -1 ? line.length : MARGIN + gap
}

const MARGIN = 400
const KEY_BEGIN = '-----BEGIN'
const KEY_END = '-----END'
