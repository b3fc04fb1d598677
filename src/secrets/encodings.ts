/** A text in which some places read differently, and where each of its characters was in the original. */
export interface Reading {
  readonly text: string
  /** The place in the original. */
  readonly at: (index: number) => number
  /** The same for the end of a range, without what was left out right behind it. */
  readonly endAt: (index: number) => number
}

/** The text without escapes of JSON and code (`\n`, `\"`, however deeply nested) and without colour codes; undefined if it has none. */
export function readUnescaped(text: string): Reading | undefined {
  return read(text, ESCAPE, ([, letter]) => (letter === undefined ? '' : /["'`/]/.test(letter) ? letter : '\n'))
}

/** A colour code begins with the escape character itself, as JSON and code write it, or as terminals and `cat -v` show it. */
const ESCAPE =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b|\^\[|(?<!\\)\\+(?:u001b|u\{1b\}|x1b|033|e))\[[0-9;:?]{0,40}[A-Za-z]|(?<!\\)\\+(u00[01][0-9a-f]|[nrtbf"'`/])/gi

/** The text with the entities of XML and HTML resolved; undefined if it has none. */
export function readEntities(text: string): Reading | undefined {
  if (!text.includes('&')) return undefined
  return read(text, /&(?:(quot|apos|lt|gt|amp)|#(\d{1,4})|#x([0-9a-f]{1,4}));/gi, ([, name, digits, hexadecimal]) =>
    name === undefined ? String.fromCharCode(Number(digits ?? `0x${hexadecimal}`)) : (ENTITIES[name.toLowerCase()] ?? ''),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', amp: '&' }

/** The text with the characters that JSON writes by number (`\u00e9`, however deeply nested); undefined if there is none. */
export function readNumbered(text: string): Reading | undefined {
  if (!text.includes('\\u')) return undefined
  return read(text, /(?<!\\)\\+u([0-9a-f]{4})/gi, ([, number]) => String.fromCharCode(Number(`0x${number}`)))
}

/** The text without the line ends that programs put into long base64 or hexadecimal, escaped or not; undefined if there is none. */
export function readUnwrapped(text: string): Reading | undefined {
  return read(text, WRAP, () => '')
}

const WRAP = /(?:\r?\n(?<=[\w+/-]{40}\r?\n)|(?<!\\)(?:\\+r)?\\+n(?<=[\w+/-]{40}(?:\\+r)?\\+n))(?:[ \t]|\\+t)*(?=[\w+/-])/g

function read(original: string, pattern: RegExp, by: (match: RegExpMatchArray) => string): Reading | undefined {
  let [text, done] = ['', 0]
  const pieces = [{ start: 0, from: 0, endBefore: 0 }]
  for (const match of original.matchAll(pattern)) {
    const replaced = by(match)
    text += original.slice(done, match.index) + replaced
    done = match.index + match[0].length
    pieces.push({ start: text.length, from: done, endBefore: replaced === '' ? match.index : done })
  }
  if (done === 0) return undefined
  const pieceAt = (index: number) => {
    let [low, high] = [0, pieces.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((pieces[middle] as Piece).start <= index) low = middle
      else high = middle - 1
    }
    return pieces[low] as Piece
  }
  const at = (index: number) => pieceAt(index).from + index - pieceAt(index).start
  const endAt = (index: number) => (pieceAt(index).start === index ? pieceAt(index).endBefore : at(index))
  return { text: text + original.slice(done), at, endAt }
}

interface Piece {
  /** Where it begins in the new text and in the original, and where the piece before it ended there. */
  readonly start: number
  readonly from: number
  readonly endBefore: number
}

/** A form of a secret that can appear in a text. */
export interface Form {
  readonly text: string
  readonly isEncoded: boolean
  /** Set for base64 if the character beside it also holds bits of the secret. */
  readonly takesBefore: boolean
  readonly takesAfter: boolean
}

/** A secret as it is, escaped as JSON (also nested) or in a URL, in hexadecimal, and in base64, alone or together with other text. */
export function formsOf(secret: string): readonly Form[] {
  const alone = { takesBefore: false, takesAfter: false }
  const hexadecimal = Buffer.from(secret).toString('hex')
  return [
    ...base64Forms(secret),
    ...[hexadecimal, hexadecimal.toUpperCase()].map((text) => ({ text, isEncoded: true, ...alone })),
    ...writtenForms(secret).map((text) => ({ text, isEncoded: false, ...alone })),
  ]
}

/** Only the characters that hold nothing but the secret, at each of the three offsets at which it can begin. */
function base64Forms(secret: string): readonly Form[] {
  return [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
    const [start, end] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    const beside = { isEncoded: true, takesBefore: offset > 0, takesAfter: bytes.length % 3 > 0 }
    return (['base64', 'base64url'] as const).map((encoding) => ({ text: bytes.toString(encoding).slice(start, end), ...beside }))
  })
}

function writtenForms(secret: string): readonly string[] {
  if (/^[\w.-]+$/.test(secret)) return [secret]
  const json = escaped(secret)
  const inJson = [json, escaped(json), escaped(escaped(json)), json.replaceAll('/', '\\/'), json.replaceAll('\\"', '"')]
  // Writers disagree about which characters a URL must encode.
  const component = encodeURIComponent(secret.toWellFormed())
  const strict = component.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  const inUrl = [component, strict, strict.replaceAll('%2F', '/'), inForm, encodeURI(secret.toWellFormed())]
  const inSmallDigits = inUrl.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()))
  return [...new Set([secret, ...inJson, ...inUrl, ...inSmallDigits])]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
