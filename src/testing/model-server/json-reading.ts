import type { Json, JsonObject } from '../../core/json.ts'

/** The value as an object; an empty one when it is something else. */
export function objectIn(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

/** The objects in a list; none when it is something else. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((each: Json) => objectIn(each)) : []
}

/** The value as a text; an empty one when it is something else. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The words of a content that is a text, or a list of parts that have a `text`. */
export function contentText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return objectsIn(value)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** What JSON says, or the text itself when it is none: models send arguments as text. */
export function parsedOr(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** Cut into pieces as a model would send them; never within a character. */
export function pieces(text: string): readonly string[] {
  return text.match(/.{1,24}/gsu) ?? []
}
