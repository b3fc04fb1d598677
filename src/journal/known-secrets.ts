import { secretFormsOf } from './secret-forms.ts'
import { isSecretName, isSecretValue } from './secret-name.ts'
import type { SecretSpan } from './secret-span.ts'

/*
 * Values that are secret whatever they look like, because Pawl itself hands them on. The whole process knows them and forgets none: what
 * was handed on once may come back at any time, and a journal cannot be cleaned afterwards.
 */

/**
 * Has a value taken out of all that is kept and shown from now on. `name`, the variable that holds it, stands in its place. What is part of
 * the path of this folder is no secret: everybody sees it, and a run whose folder were taken out of its journal could not be gone on with.
 */
export function keepSecret(value: string, name = 'secret'): void {
  const folder = process.cwd()
  for (const form of secretFormsOf(value)) if (isSecretValue(form) && !folder.includes(form)) KNOWN.set(form, name)
}

/**
 * The same for every variable whose name says that it holds a secret, for passwords in the addresses that variables hold, and for headers
 * in them whose name says so (`x-api-key: …`).
 */
export function keepSecretsOf(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value = ''] of Object.entries(variables)) {
    if (isSecretName(name)) keepSecret(value, name)
    for (const [, password = ''] of value.matchAll(ADDRESS_PASSWORD)) keepSecret(password, name)
    for (const [, header = '', said = ''] of value.matchAll(HEADER))
      if (isSecretName(header.replaceAll('-', '_'))) keepSecret(said, name)
  }
}

const ADDRESS_PASSWORD = /:\/\/[^\s/:@]*:([^\s/@]+)@/g
const HEADER = /^([A-Za-z][\w-]*):[ \t]+(.+)$/gm

/** Whether a text holds a value that is known to be secret. Costs nothing where none is known. */
export function hasKnownSecret(text: string): boolean {
  if (KNOWN.size === 0) return false
  for (const value of KNOWN.keys()) if (text.includes(value)) return true
  return false
}

/** Every place of a value that is known to be secret; nothing around it belongs to it. */
export function findKnownSecrets(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const [value, kind] of KNOWN)
    for (let start = text.indexOf(value); start !== -1; start = text.indexOf(value, start + 1))
      spans.push({ start, end: start + value.length, kind, isExact: true })
  return spans
}

/** A line for the eye without the part of a known secret that a cut, or words that come in pieces, left at its end or its beginning. */
export function withoutCutSecret(line: string): string {
  if (KNOWN.size === 0) return line
  let kept = line.endsWith('…') ? line.slice(0, -1) : line
  const whole = kept
  for (const value of KNOWN.keys()) {
    const longest = value.length - 1
    kept = kept.slice(0, kept.length - overlap(kept, longest, (length) => kept.endsWith(value.slice(0, length))))
    kept = kept.slice(overlap(kept, longest, (length) => kept.startsWith(value.slice(-length))))
  }
  return kept === whole ? line : `${kept}…`
}

const KNOWN = new Map<string, string>()

/** Fewer characters give nothing away. */
const PIECE_LENGTH_MIN = 4

function overlap(line: string, longest: number, isShared: (length: number) => boolean): number {
  for (let length = Math.min(longest, line.length); length >= PIECE_LENGTH_MIN; length--) if (isShared(length)) return length
  return 0
}
