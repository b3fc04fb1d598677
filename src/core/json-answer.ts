/**
 * The JSON object an agent was asked for. It must be what the text ends with, bare on its own lines or in a fenced block, and the only
 * one there: an object that prose merely quotes is no answer, and of two that differ nobody knows which is meant. `undefined`
 * when there is none.
 */
export function jsonAnswer(text: string): JsonObjectRead | undefined {
  return jsonAnswerIn(text)?.value
}

/** The same, with where it is in the text: from the line it begins on to its last bracket, or the whole fenced block. */
export function jsonAnswerIn(text: string): Found | undefined {
  const tail = text.slice(-TAIL_CHARACTERS_MAX)
  const before = text.length - tail.length
  const found = [...fencedObjects(tail), ...bareObjects(tail)].toSorted((one, other) => one.end - other.end)
  const last = found.at(-1)
  if (!last || tail.slice(last.end).trim() !== '') return undefined
  const words = JSON.stringify(last.value)
  if (found.some(({ value }) => JSON.stringify(value) !== words)) return undefined
  return { value: last.value, start: before + last.start, end: before + last.end }
}

type JsonObjectRead = Readonly<Record<string, unknown>>

interface Found {
  readonly value: JsonObjectRead
  readonly start: number
  /** Where it ends in the text. */
  readonly end: number
}

/** What is looked through: agents talk before they answer, and an answer is seldom longer than this. */
const TAIL_CHARACTERS_MAX = 200_000
const TRIES_MAX = 400

const FENCED = /^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```[ \t]*$/gm

function fencedObjects(text: string): readonly Found[] {
  return [...text.matchAll(FENCED)].flatMap((match) => {
    const value = asObject((match[1] ?? '').trim())
    return value ? [{ value, start: match.index, end: match.index + match[0].length }] : []
  })
}

/** Objects that begin and end with a line, outside of fenced blocks. */
function bareObjects(text: string): readonly Found[] {
  const outside = text.replaceAll(FENCED, (block) => ' '.repeat(block.length))
  const found: Found[] = []
  let tries = 0
  let from = 0
  for (const start of outside.matchAll(/^[ \t]*\{/gm)) {
    if (start.index < from) continue
    for (const close of outside.slice(start.index).matchAll(/\}[ \t]*$/gm)) {
      if (++tries > TRIES_MAX) return found
      const end = start.index + close.index + 1
      const value = asObject(outside.slice(start.index, end).trim())
      if (!value) continue
      found.push({ value, start: start.index, end })
      from = end
      break
    }
  }
  return found
}

function asObject(text: string): JsonObjectRead | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as JsonObjectRead) : undefined
  } catch {
    // Not JSON: the next candidate is tried.
    return undefined
  }
}
