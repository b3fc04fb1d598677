/** A secret as it may stand in a text: as it is, each line of it, the token without its scheme, and all that escaped as JSON and in addresses. */
export function secretFormsOf(value: string): readonly string[] {
  const lines = value
    .trim()
    .split(/\r?\n|\\n/)
    .map((line) => line.trim())
  const parts = lines.flatMap((line) => [line, line.replace(SCHEME, '')])
  const plain = [value.trim(), ...(lines.length === 1 ? parts : parts.filter((part) => !/\s/.test(part)))]
  return [...new Set(plain.flatMap((each) => [each, ...escapedForms(each)]))]
}

/** `Bearer VALUE`, as headers hold it. */
const SCHEME = /^(?:bearer|basic|token)\s+/i

/** JSON within JSON within JSON; some writers of JSON escape more than they have to. */
function escapedForms(value: string): readonly string[] {
  const once = escaped(value)
  return [
    once,
    escaped(once),
    escaped(escaped(once)),
    once.replaceAll('/', '\\/'),
    once.replaceAll(/[<>&]|[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
    encodeURIComponent(value.toWellFormed()),
  ]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
