import { redactText } from '../../journal/redact.ts'

/**
 * The end of what an agent said, at most `lengthMax` characters. Secrets are taken out before it is cut: half of one, or one without
 * the words before it, would not be known for a secret any more.
 */
export async function lastWordsOf(text: string, lengthMax: number): Promise<string> {
  const clean = (await redactText(text)).trim()
  return clean.length <= lengthMax ? clean : `…${clean.slice(1 - lengthMax).toWellFormed()}`
}

/** The end of a text that grows, in whole lines: what is left of a line that was cut, or of a key, may be half a secret. */
export function growingEnd(text: string, lengthMax: number): string {
  if (text.length <= lengthMax * 2) return text
  const end = text.slice(-lengthMax)
  const lines = end.slice(end.indexOf('\n') + 1)
  const [before = '', ...after] = lines.split(KEY_END)
  return after.length > 0 && !before.includes(KEY_BEGIN) ? after.join(KEY_END) : lines
}

const KEY_BEGIN = '-----BEGIN'
const KEY_END = '-----END'
