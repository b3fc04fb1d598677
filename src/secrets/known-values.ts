import { type Form, formsOf, readEntities, readNumbered, readUnwrapped } from './encodings.ts'
import type { SecretSpan } from './rules.ts'
import { isOpenValue, isSecretValue, partsOf, secretsIn } from './variables.ts'

/*
 * Values that are secret whatever they look like, because Pawl itself passes them on. The whole process knows them and forgets none: a value
 * can come back at any time, and a journal cannot be cleaned afterwards.
 */

/**
 * Takes a value out of everything that is kept or shown from now on; `[redacted: NAME]` replaces it. A value that is part of the current
 * folder's path stays: everybody sees it, and a run couldn't be resumed without it.
 */
export function keepSecret(value: string, name = 'secret'): void {
  hand(value, name, true)
}

/** The same for every variable whose name says that it holds a secret, and for the passwords and keys within the others. */
export function keepSecretsOf(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(variables))
    for (const secret of secretsIn(name, value)) hand(secret.value, name, secret.isCertain)
}

/** Keeps everything that is part of a text which everybody sees, such as the name of a run: it is also a folder and a git ref. */
export function keepVisible(text: string): void {
  if (VISIBLE.has(text)) return
  VISIBLE.add(text)
  for (const [form, { secret }] of KNOWN) if (text.includes(secret)) KNOWN.delete(form)
  anyForm = undefined
}

/** Whether a known secret has this name. */
export function isNameOfKnown(name: string): boolean {
  return known().size > 0 && NAMES.has(name)
}

/** Whether a text holds a known secret. Costs nothing if none is known. */
export function hasKnownSecret(text: string): boolean {
  if (known().size === 0) return false
  return placesIn(text, 1).length > 0 || READINGS.some((read) => placesIn(read(text)?.text ?? '', 1).length > 0)
}

/** Every place of a known secret; nothing around it belongs to it. */
export function findKnownSecrets(text: string): readonly SecretSpan[] {
  if (known().size === 0) return []
  const hidden = READINGS.flatMap((read) => {
    const reading = read(text)
    const spans = reading ? spansIn(reading.text) : []
    return spans.map((span) => ({ ...span, start: reading?.at(span.start) ?? 0, end: reading?.endAt(span.end) ?? 0 }))
  })
  return [...spansIn(text), ...hidden]
}

const READINGS = [readEntities, readNumbered, readUnwrapped]

/**
 * A line for the terminal without the part of a known secret that a cut, or text that comes in pieces, left at its end or beginning. `…`
 * replaces it. Fewer than eight characters, or half of a short secret, stay: they give little away and are often words.
 */
export function withoutCutSecret(line: string): string {
  const whole = line.replace(/…$/, '')
  let [start, end] = [0, whole.length]
  for (const [form, { isEncoded }] of known()) {
    const lengthMin = isEncoded ? PIECE_LENGTH_MIN : Math.min(PIECE_LENGTH_MIN, Math.ceil(form.length / 2))
    if (!whole.includes(form.slice(0, lengthMin)) && !whole.includes(form.slice(-lengthMin))) continue
    for (let length = Math.min(form.length - 1, end - start); length >= lengthMin; length--) {
      if (whole.endsWith(form.slice(0, length), end)) end -= length
      if (end - start >= length && whole.startsWith(form.slice(-length), start)) start += length
    }
  }
  if (start === 0 && end === whole.length) return line
  return `${start > 0 ? '…' : ''}${whole.slice(start, end)}${end < line.length ? '…' : ''}`
}

const PIECE_LENGTH_MIN = 8

interface Known extends Form {
  readonly name: string
  readonly secret: string
}

const HANDED = new Set<string>()
const WAITING: { value: string; name: string; isCertain: boolean; folder: string }[] = []
const VISIBLE = new Set<string>()
const KNOWN = new Map<string, Known>()
const NAMES = new Set<string>()

function hand(value: string, name: string, isCertain: boolean): void {
  const key = `${isCertain} ${name}=${value}`
  if (!HANDED.has(key)) WAITING.push({ value, name, isCertain, folder: process.cwd() })
  HANDED.add(key)
}

/** All forms of all known secrets. They are made when the first text is looked at: many commands only read. */
function known(): ReadonlyMap<string, Known> {
  for (const { value, name, isCertain, folder } of WAITING.splice(0)) {
    const seen = [folder, ...VISIBLE]
    for (const secret of partsOf(value)) {
      // If only the variable's name says so, a value that reads as a host or a number is not secret.
      if (!isSecretValue(secret) || (!isCertain && isOpenValue(secret)) || seen.some((text) => text.includes(secret))) continue
      for (const form of formsOf(secret)) KNOWN.set(form.text, { ...form, name, secret })
      NAMES.add(name)
      anyForm = undefined
    }
  }
  return KNOWN
}

function spansIn(text: string): readonly SecretSpan[] {
  return placesIn(text).flatMap(({ start, form }) => {
    const { name, takesBefore, takesAfter } = KNOWN.get(form) as Known
    const end = start + form.length
    if (isInMarker(text, start, end)) return []
    const before = takesBefore && /[\w+/-]/.test(text.charAt(start - 1)) ? 1 : 0
    const after = takesAfter ? (/^[\w+/-]?={0,2}/.exec(text.slice(end, end + 3))?.[0].length ?? 0) : 0
    return [{ start: start - before, end: end + after, kind: name, isExact: true }]
  })
}

/** A value can be the very name of a variable: in `[redacted: NAME]` it is not secret. */
function isInMarker(text: string, start: number, end: number): boolean {
  const before = /\[redacted: ([^\]\n]*)$/.exec(text.slice(Math.max(0, start - 200), start))?.[1]
  return before !== undefined && NAMES.has(`${before}${text.slice(start, text.indexOf(']', end))}`)
}

/** Any form, the longest first; made again when a secret is added or becomes visible. */
let anyForm: RegExp | undefined

function patternOf(forms: readonly string[]): RegExp {
  const longestFirst = forms.toSorted((one, other) => other.length - one.length)
  return new RegExp(longestFirst.map((form) => RegExp.escape(form)).join('|'), 'g')
}

function placesIn(text: string, countMax = Infinity): readonly { readonly start: number; readonly form: string }[] {
  const pattern = (anyForm ??= patternOf([...KNOWN.keys()]))
  const places = []
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match && places.length < countMax; match = pattern.exec(text)) {
    places.push({ start: match.index, form: match[0] })
    // The next one may overlap it.
    pattern.lastIndex = match.index + 1
  }
  return places
}
