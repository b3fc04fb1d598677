import { type PlainView, plainView } from './plain-view.ts'

/**
 * The text as it reads without the line ends that programs put into what they encode, base64 after 76 characters, also where they are escaped.
 * `undefined` where there are none.
 */
export function withoutWrapping(text: string): PlainView | undefined {
  const lineEnds = Array.from(text.matchAll(LINE_END), ({ 0: lineEnd, index }) => {
    return { start: index, end: index + lineEnd.length, by: '' }
  })
  return plainView(
    text,
    lineEnds.filter(
      ({ start, end }) =>
        ENCODED_LINE.test(text.slice(Math.max(0, start - LINE_LENGTH_MIN), start)) && ENCODED.test(text.charAt(end)),
    ),
  )
}

const LINE_END = /\r?\n|(?:\\+r)?\\+n/g
const LINE_LENGTH_MIN = 40
const ENCODED_LINE = /^[\w+/-]{40}$/
const ENCODED = /[\w+/-]/
