import { decodedRuns } from './decoded-runs.ts'
import { type ManyTextsSearch, type Place, searchForMany } from './many-texts-search.ts'
import { encodedForms, writtenForms } from './secret-forms.ts'
import { isPasswordName, isSecretName, isSecretNameOfOne } from './secret-name.ts'
import { isMixed, secretPartsOf } from './secret-parts.ts'
import { lastBefore, mergeOverlapping, type SecretSpan } from './secret-span.ts'
import { isFingerprint, isOpenValue, isSecretValue } from './secret-value.ts'
import { secretsInVariable } from './secrets-in-variable.ts'
import { withoutUnicodeEscapes } from './without-unicode-escapes.ts'
import { withoutWrapping } from './without-wrapping.ts'

/*
 * Values that are secret whatever they look like, because Pawl itself hands them on. The whole process knows them and forgets none: what
 * was handed on once may come back at any time, and a journal cannot be cleaned afterwards.
 */

/**
 * Has a value taken out of all that is kept and shown from now on. `name`, the variable that holds it, stands in its place. What is part of
 * the path of this folder is no secret: everybody sees it, and a run whose folder were taken out of its journal could not be gone on with.
 */
export function keepSecret(value: string, name = 'secret'): void {
  wait({ value, name, isCertain: true })
}

/**
 * The same for every variable whose name says that it holds a secret, unless its value reads as a host, a number, a file or the fingerprint of
 * a public key; and for what is secret within the others.
 */
export function keepSecretsOf(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(variables)) {
    const isNamedSo = isSecretName(name) || (isSecretNameOfOne(name) && isMixed(value))
    if (isNamedSo && !isFingerprint(name, value)) wait({ value, name, isCertain: isPasswordName(name) })
    for (const within of secretsInVariable(name, value)) wait({ ...within, name })
  }
}

/** Has nothing taken out from now on that is part of a text which everybody sees: the name of a run is a folder's and a git ref's as well. */
export function keepVisible(text: string): void {
  if (VISIBLE.has(text)) return
  VISIBLE.add(text)
  // What still waits is compared with it when its forms are made.
  for (const [form, { secret }] of KNOWN) {
    if (!text.includes(secret)) continue
    KNOWN.delete(form)
    search = undefined
  }
}

/** Whether a secret that is known goes by this name. */
export function isNameOfKnown(name: string): boolean {
  return known().size > 0 && NAMES.has(name)
}

function wait(handed: Omit<Handed, 'folder'>): void {
  const said = `${handed.name}=${handed.value}`
  if (HANDED.get(said) === true || HANDED.get(said) === handed.isCertain) return
  HANDED.set(said, handed.isCertain)
  WAITING.push({ ...handed, folder: process.cwd() })
}

/** Whether a text holds a value that is known to be secret. Costs nothing where none is known. */
export function hasKnownSecret(text: string): boolean {
  if (known().size === 0) return false
  const search = searchForKnown()
  return search.isAnyIn(text) || READINGS.some((read) => search.isAnyIn(read(text)?.text ?? ''))
}

/** How else a text may be read. */
const READINGS = [withoutWrapping, withoutUnicodeEscapes]

/** Every place of a value that is known to be secret; nothing around it belongs to it. */
export function findKnownSecrets(text: string): SecretSpan[] {
  if (known().size === 0) return []
  const spans = placesOf(text).map(({ span }) => span)
  const plain = mergeOverlapping(spans)
  const hidden = READINGS.flatMap((read) => {
    const view = read(text)
    if (!view) return []
    return placesOf(view.text)
      .filter(({ core }) => (lastBefore(plain, view.at(core.start) + 1)?.end ?? -1) < view.endAt(core.end))
      .map(({ span }) => ({ ...span, start: view.at(span.start), end: view.endAt(span.end) }))
  })
  return [...spans, ...hidden]
}

interface FoundPlace {
  readonly span: SecretSpan
  /** What of it holds the secret. */
  readonly core: Pick<SecretSpan, 'start' | 'end'>
}

function placesOf(text: string): readonly FoundPlace[] {
  const spans = searchForKnown()
    .placesIn(text)
    .filter((place) => !isInMarker(text, place))
    .map((place) => spanOf(text, place))
  return [...spans.map((span) => ({ span, core: span })), ...placesEncodedTwice(text)]
}

function placesEncodedTwice(text: string): readonly FoundPlace[] {
  return decodedRuns(text).flatMap(({ start, end, text: decoded }) => {
    const place = searchForKnown()
      .placesIn(decoded)
      .find(({ found }) => KNOWN.get(found)?.isEncoded)
    if (!place) return []
    // Three bytes are four characters.
    const core = {
      start: start + Math.floor((place.start * 4) / 3),
      end: Math.min(end, start + Math.ceil(((place.start + place.found.length) * 4) / 3)),
    }
    return [{ span: { start, end, kind: KNOWN.get(place.found)?.name ?? '', isExact: true as const }, core }]
  })
}

/**
 * A line for the eye without the part of a known secret that a cut, or words that come in pieces, left at its end or its beginning. `…` stands
 * where something was taken away.
 */
export function withoutCutSecret(line: string): string {
  if (known().size === 0) return line
  const whole = line.endsWith('…') ? line.slice(0, -1) : line
  let [start, end] = [0, whole.length]
  for (const [form, { isEncoded }] of KNOWN) {
    const lengthMin = isEncoded ? PIECE_LENGTH_MIN : Math.min(PIECE_LENGTH_MIN, Math.ceil(form.length / 2))
    end -= lengthCutAtEnd(whole.slice(start, end), form, lengthMin)
    start += lengthCutAtStart(whole.slice(start, end), form, lengthMin)
  }
  if (start === 0 && end === whole.length) return line
  const isCutAtEnd = end < line.length
  return `${start > 0 ? '…' : ''}${whole.slice(start, end)}${isCutAtEnd ? '…' : ''}`
}

interface Handed {
  readonly value: string
  readonly name: string
  /** Nothing but its name says so otherwise: then it is none where it reads as something else. */
  readonly isCertain: boolean
  readonly folder: string
}

interface Known {
  readonly name: string
  /** What this is a form of. */
  readonly secret: string
  /** In base64 or hexadecimal. */
  readonly isEncoded: boolean
  readonly lettersBefore: string
  readonly lettersAfter: string
}

/** All that was handed over, and whether as certain. */
const HANDED = new Map<string, boolean>()
const WAITING: Handed[] = []
const VISIBLE = new Set<string>()
const KNOWN = new Map<string, Known>()
const NAMES = new Set<string>()
let search: ManyTextsSearch | undefined

/** What is known, in all its forms. They are made when a text is first looked at: many a command only reads. */
function known(): ReadonlyMap<string, Known> {
  if (WAITING.length === 0) return KNOWN
  for (const { value, name, isCertain, folder } of WAITING.splice(0)) {
    const seen = [folder, ...VISIBLE]
    for (const secret of secretPartsOf(value)) {
      if (!isSecretValue(secret) || (!isCertain && isOpenValue(secret)) || seen.some((text) => text.includes(secret))) continue
      for (const { form, ...beside } of encodedForms(secret)) KNOWN.set(form, { name, secret, isEncoded: true, ...beside })
      for (const form of writtenForms(secret))
        KNOWN.set(form, { name, secret, isEncoded: false, lettersBefore: '', lettersAfter: '' })
      NAMES.add(name)
      search = undefined
    }
  }
  return KNOWN
}

/** Made when it is first needed after something became known. */
function searchForKnown(): ManyTextsSearch {
  search ??= searchForMany([...KNOWN.keys()])
  return search
}

/** With the characters beside it that hold the last bits of the secret, and what fills base64 up behind them. */
function spanOf(text: string, { start, found }: Place): SecretSpan {
  const { name, lettersBefore, lettersAfter } = KNOWN.get(found) as Known
  const end = start + found.length
  const before = text.charAt(start - 1)
  // What seems to be a letter may be that of an escaped line end.
  const isBefore = before !== '' && lettersBefore.includes(before) && (before === '/' || text.charAt(start - 2) !== '\\')
  const after = text.charAt(end)
  const isAfter = after !== '' && lettersAfter.includes(after)
  const filling = isAfter ? (/^={0,2}/.exec(text.slice(end + 1, end + 3))?.[0].length ?? 0) : 0
  return { start: isBefore ? start - 1 : start, end: isAfter ? end + 1 + filling : end, kind: name, isExact: true }
}

/** A value may be the very name of a variable: in `[redacted: NAME]` that is no secret. */
function isInMarker(text: string, { start, found }: Place): boolean {
  const before = /\[redacted: ([^\]\n]*)$/.exec(text.slice(Math.max(0, start - 200), start))
  if (!before) return false
  const inner = `${before[1]}${text.slice(start, text.indexOf(']', start + found.length))}`
  return NAMES.has(inner)
}

/** Fewer characters give little away and are words as often as not. Of a short secret it is half. */
const PIECE_LENGTH_MIN = 8

/** How many characters at the end of a line are the beginning of a secret that goes on behind it. */
function lengthCutAtEnd(line: string, secret: string, lengthMin: number): number {
  const head = secret.slice(0, lengthMin)
  for (let start = line.indexOf(head, line.length - secret.length + 1); start !== -1; start = line.indexOf(head, start + 1))
    if (secret.startsWith(line.slice(start))) return line.length - start
  return 0
}

/** How many characters at the beginning of a line are the end of a secret that began before it. */
function lengthCutAtStart(line: string, secret: string, lengthMin: number): number {
  const tail = secret.slice(-lengthMin)
  const from = secret.length - 1 - tail.length
  for (let start = line.lastIndexOf(tail, from); start !== -1; start = start === 0 ? -1 : line.lastIndexOf(tail, start - 1))
    if (secret.endsWith(line.slice(0, start + tail.length))) return start + tail.length
  return 0
}
