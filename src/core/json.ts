/** Plain data, as in an event, a setting or a snapshot. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object of plain data; a field that is `undefined` counts as absent. */
export type JsonObject = { readonly [key: string]: Json | undefined }

/** Whether a value is a map of keys, and no list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isFields(value)
}

/** An object that another program wrote, of whatever shape. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is an object, and no list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as an object; an empty one if it isn't an object. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** A value as a list of objects. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : []
}

/** A text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A finite number from 0, otherwise 0. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

/** What a text says as JSON; `undefined` if it isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller says what it expected.
    return undefined
  }
}

/** The same with comments and trailing commas, as in `tsconfig.json`. */
export function parseJsonc(text: string): unknown {
  const bare = text
    .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
  return parseJson(bare)
}
