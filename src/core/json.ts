/** Plain data: what can stand in an event, a setting or a snapshot. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object of plain data; a field that is `undefined` counts as absent. */
export type JsonObject = { readonly [key: string]: Json | undefined }

/** Whether a value is a map of keys, and no list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
