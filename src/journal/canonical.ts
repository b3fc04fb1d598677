/**
 * The one text of a piece of plain data: keys sorted by code unit, no spaces, `undefined` fields dropped, everything else as
 * `JSON.stringify` has it (so a number that is not finite becomes `null`). Equal data gives equal text in every process,
 * which is what makes it fit for hashing.
 */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Readonly<Record<string, unknown>>)
}

function canonicalArray(values: readonly unknown[]): string {
  let text = '['
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    text += canonical(values[index])
  }
  return `${text}]`
}

function canonicalObject(fields: Readonly<Record<string, unknown>>): string {
  let text = '{'
  for (const key of sorted(Object.keys(fields))) {
    const value = fields[key]
    if (value === undefined) continue
    if (text.length > 1) text += ','
    text += nameOf(key) + canonical(value)
  }
  return `${text}}`
}

/** A key as it is before its value. The same few come again and again, so they are remembered. */
function nameOf(key: string): string {
  const known = names.get(key)
  if (known !== undefined) return known
  const name = `${quoted(key)}:`
  if (names.size < NAMES_REMEMBERED_MAX && key.length <= NAME_LENGTH_MAX) names.set(key, name)
  return name
}

const names = new Map<string, string>()
const NAMES_REMEMBERED_MAX = 500
const NAME_LENGTH_MAX = 100

/** Anything but plain characters: controls, quote, backslash, halves of surrogate pairs. */
const NEEDS_ESCAPING = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/** Asking first is several times faster than `JSON.stringify` for the short plain strings events are made of. */
function quoted(text: string): string {
  return NEEDS_ESCAPING.test(text) ? JSON.stringify(text) : `"${text}"`
}

const FEW_KEYS_MAX = 16

/** Insertion sort: for the few keys of an event it takes half the time of `Array.sort`, and none when they are in order. */
function sorted(keys: string[]): string[] {
  if (keys.length > FEW_KEYS_MAX) return keys.toSorted()
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string
    let place = index - 1
    for (; place >= 0 && (keys[place] as string) > key; place--) keys[place + 1] = keys[place] as string
    keys[place + 1] = key
  }
  return keys
}
