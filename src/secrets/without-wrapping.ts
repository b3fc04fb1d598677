import { type PlainView, plainView, type Replacement } from './plain-view.ts'

/**
 * The text as it reads without the line ends that programs put into what they encode, base64 after 76 characters and hexadecimal after 60, and
 * without the blanks that begin the next line, also where they are escaped. `undefined` where there are none.
 */
export function withoutWrapping(text: string): PlainView | undefined {
  const lineEnds = lineEndsWithin(text)
  return lineEnds.length === 0 ? undefined : plainView(text, lineEnds)
}

/**
 * Looks at the place where a long enough line would end and goes backwards: in most texts a blank is near, and all before it need not be read.
 */
function lineEndsWithin(text: string): readonly Replacement[] {
  const lineEnds: Replacement[] = []
  let start = 0
  while (start + LINE_LENGTH_MIN < text.length) {
    let index = start + LINE_LENGTH_MIN - 1
    while (index >= start && isEncoded(text, index)) index--
    if (index >= start) {
      start = index + 1
      continue
    }
    let end = start + LINE_LENGTH_MIN
    while (isEncoded(text, end)) end++
    LINE_END.lastIndex = end
    start = end + (LINE_END.exec(text)?.[0].length ?? 1)
    if (LINE_END.lastIndex > end && isEncoded(text, start)) lineEnds.push({ start: end, end: start, by: '' })
  }
  return lineEnds
}

const LINE_LENGTH_MIN = 40
const LINE_END = /(?:\r?\n|(?:\\+r)?\\+n)(?:[ \t]|\\+t)*/y

function isEncoded(text: string, index: number): boolean {
  return ENCODED[text.charCodeAt(index)] === 1
}

const ENCODED = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0))
