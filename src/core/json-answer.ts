/**
 * The JSON object an agent was asked for, out of what it said: the whole text, or else the last block of it that is one. `undefined`
 * when there is none.
 */
export function jsonAnswer(text: string): Readonly<Record<string, unknown>> | undefined {
  const whole = asObject(text.trim())
  if (whole) return whole
  const fenced = [...text.matchAll(/```(?:json)?\s*\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  for (const block of fenced.toReversed()) {
    const found = asObject(block.trim())
    if (found) return found
  }
  return lastObject(text.slice(-TAIL_CHARACTERS_MAX))
}

/** What is looked through for a bare object: agents talk before they answer, and seldom longer than this after. */
const TAIL_CHARACTERS_MAX = 200_000
const TRIES_MAX = 200

/** From the last closing brace back to the opening one that makes it whole. */
function lastObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const end = text.lastIndexOf('}')
  let start = text.lastIndexOf('{', end)
  let found: Readonly<Record<string, unknown>> | undefined
  for (let tries = 0; start >= 0 && tries < TRIES_MAX; tries++) {
    found = asObject(text.slice(start, end + 1)) ?? found
    if (start === 0) break
    start = text.lastIndexOf('{', start - 1)
  }
  return found
}

function asObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    // Not JSON: the next candidate is tried.
    return undefined
  }
}
