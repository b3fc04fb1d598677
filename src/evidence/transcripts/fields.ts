/** An object of JSON, of whatever shape. */
export type Fields = Readonly<Record<string, unknown>>

/** A value as an object; an empty one where it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A value as a list of objects. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A finite number from 0, else 0. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

/** A moment written as `2026-11-16T06:10:39.505Z`, in milliseconds; `undefined` for anything else. */
export function instantOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** The text of content that is a text, or a list of parts with one each. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .flatMap((part) => textOf(part['text']) ?? [])
    .join('\n')
}
