import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import type { ModelMessage } from './api.ts'

/** The value if it is an object, otherwise an empty one. */
export function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The objects in an array; none for any other value. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((each: Json) => objectIn(each)) : []
}

/** The value if it is a string, otherwise an empty one. */
export function textIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a content that is a string or a list of parts with a `text`. */
export function contentText(value: Json | undefined): string {
  if (typeof value === 'string') return value
  return objectsIn(value)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** Parses JSON, or returns the text if it isn't JSON: models send arguments as text. */
export function parseOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

/** Splits a text as a streaming model would, never within a character. */
export function pieces(text: string): readonly string[] {
  return text.match(/.{1,24}/gsu) ?? []
}

// As Codex, Claude Code, Gemini CLI and Qwen Code write it. Other wordings are ignored; no script depends on them.
const WORDINGS = [
  /<cwd>([^<\n]+)<\/cwd>/,
  /working directory: *`?([^\n`]+?)`?(?:\n|$)/i,
  /working in the directory: *`?([^\n`]+?)`?(?:\n|$)/i,
  /Workspace Directories:\*{0,2}\s*-? *`?([^\n`]+?)`?(?:\n|$)/i,
]

/** The working directory that an agent tells its model, if it does. */
export function workingFolder(messages: readonly ModelMessage[]): { readonly cwd?: string } {
  for (const { text } of messages) {
    for (const wording of WORDINGS) {
      const cwd = wording.exec(text)?.[1]?.trim()
      if (cwd) return { cwd }
    }
  }
  return {}
}
