import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'

/** A value that can be written on one line. */
export type PlainValue = string | number | { readonly [key: string]: string | number }

/**
 * Sets a value in the text of a YAML file and leaves every other character as it is: comments, order, blank lines. What is missing on the
 * way is made. Of a map that is given, keys that are in the file already are changed one by one; those not given stay.
 */
export function setInYaml(text: string, path: readonly [string, ...string[]], value: PlainValue): string {
  if (typeof value === 'object') {
    const found = nodeAt(text, path)
    if (isMap(found))
      return Object.entries(value).reduce((changed, [key, each]) => setInYaml(changed, [...path, key], each), text)
  }
  const { contents } = parseDocument(text)
  if (!isMap(contents)) return `${text === '' || text.endsWith('\n') ? text : `${text}\n`}${blockOf(path, value, '')}\n`
  return setInMap(text, contents, path, value)
}

function nodeAt(text: string, path: readonly string[]): unknown {
  return parseDocument(text).getIn(path, true)
}

function setInMap(text: string, map: YAMLMap, [key, ...rest]: readonly [string, ...string[]], value: PlainValue): string {
  const pair = map.items.find((each) => isScalar(each.key) && each.key.value === key)
  if (!pair) return inserted(text, map, [key, ...rest], value)
  const [next] = rest
  if (next !== undefined && isMap(pair.value)) return setInMap(text, pair.value, rest as [string, ...string[]], value)
  return replaced(text, pair, next === undefined ? flowOf(value) : flowOf({}, rest, value))
}

/** What is after the key gives way; a comment behind it stays. */
function replaced(text: string, { key, value }: Pair, by: string): string {
  const keyEnd = rangeOf(key)[1]
  const colon = text.indexOf(':', keyEnd)
  const range = value === null || value === undefined ? undefined : rangeOf(value)
  const hasValue = range !== undefined && range[1] > colon
  const end = hasValue ? range[1] : colon + 1
  return `${text.slice(0, colon + 1)} ${by}${text.slice(end)}`
}

function inserted(text: string, map: YAMLMap, path: readonly [string, ...string[]], value: PlainValue): string {
  const [start] = rangeOf(map)
  if (map.flow) {
    const rest = text.slice(start + 1)
    const comma = map.items.length === 0 ? '' : ','
    const [key, ...more] = path
    return `${text.slice(0, start + 1)} ${key}: ${more.length === 0 ? flowOf(value) : flowOf({}, more, value)}${comma}${rest.startsWith(' ') ? '' : ' '}${rest}`
  }
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const indent = text.slice(lineStart, start)
  if (indent.trim() !== '') return text
  // Right below the last key: a remark above a key is about that key, and stays there.
  const place = lineAfter(text, map.items.at(-1) as Pair)
  const before = text.slice(0, place)
  return `${before}${before.endsWith('\n') ? '' : '\n'}${blockOf(path, value, indent)}\n${text.slice(place)}`
}

/** Where the line begins that follows a key and all of its value. */
function lineAfter(text: string, { key, value }: Pair): number {
  const [keyEnd, valueEnd] = [key, value].map((node) => (node === null || node === undefined ? 0 : rangeOf(node)[1]))
  const end = Math.max(keyEnd ?? 0, valueEnd ?? 0)
  if (text[end - 1] === '\n') return end
  const lineEnd = text.indexOf('\n', end)
  return lineEnd === -1 ? text.length : lineEnd + 1
}

function rangeOf(node: unknown): readonly [number, number] {
  const { range } = node as { readonly range: readonly [number, number, number] }
  return [range[0], range[1]]
}

function blockOf([key, ...rest]: readonly [string, ...string[]], value: PlainValue, indent: string): string {
  if (rest.length === 0) return `${indent}${key}: ${flowOf(value)}`
  return `${indent}${key}:\n${blockOf(rest as [string, ...string[]], value, `${indent}  `)}`
}

function flowOf(value: PlainValue, path: readonly string[] = [], inner?: PlainValue): string {
  const [key, ...rest] = path
  if (key !== undefined && inner !== undefined)
    return `{ ${key}: ${rest.length === 0 ? flowOf(inner) : flowOf({}, rest, inner)} }`
  if (typeof value !== 'object') return String(value)
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${each}`)
    .join(', ')} }`
}
