import { nearestName } from '../core/names.ts'
import { type Code, functionAround, type FunctionSpan } from './code.ts'
import { type Edit, replace, type Vocabulary } from './edit.ts'
import { isKeyword } from './tokenize.ts'

/** A wrong name: another variable in scope, another property, another function of the same file. */
export function* mutateNames(code: Code, { properties }: Vocabulary): Iterable<Edit> {
  const { tokens, functions } = code
  const roles = rolesIn(code)
  const named = (role: Role) => tokens.flatMap(({ text }, index) => (roles[index] === role ? [text] : []))
  const keys = tokens.flatMap(({ text }, index) => (isKey(code, index) ? [text] : []))
  const own = named('property')
  // A name that the tests pass in and the file never reads may be the right one.
  const ofProperties = namesWith(
    [...properties].map((name) => [name, 0.3]),
    [...own, ...keys].map((name) => [name, 0]),
  )
  const ofMethods = namesWith(named('method').map((name) => [name, 0]))
  const ofFunctions = namesWith(
    named('callee').map((name) => [name, 0]),
    functions.map(({ name }) => [name, 0.1]),
  )
  const ofVariables = new Map<FunctionSpan | undefined, Names>()
  for (const [index, token] of tokens.entries()) {
    const role = roles[index]
    if (!role) continue
    const around = functionAround(functions, index)
    if (!ofVariables.has(around)) ofVariables.set(around, variablesIn(code, roles, around))
    const others = { property: ofProperties, method: ofMethods, callee: ofFunctions, variable: ofVariables.get(around)! }[role]
    // A property that occurs once and that no test mentions is probably misspelled.
    const isOdd = role === 'property' && own.filter((name) => name === token.text).length === 1 && !properties.has(token.text)
    const bonus = isOdd || tokens[index - 1]?.text === 'return' ? 0.15 : 0
    for (const { name, prior } of alternatives(token.text, others))
      yield replace('name', Math.min(PRIOR_MAX, prior + bonus), token, token, name)
  }
}

type Role = 'variable' | 'property' | 'method' | 'callee'
/** Names with a bonus added to their affinity. */
type Names = ReadonlyMap<string, number>

/** How many names to try for each position, likeliest first. */
const ALTERNATIVES_MAX = 4
const PRIOR_MAX = 0.95

/** The last bonus of a name counts. */
function namesWith(...lists: readonly (readonly (readonly [string, number])[])[]): Names {
  return new Map(lists.flat())
}

function alternatives(name: string, others: Names): readonly { readonly name: string; readonly prior: number }[] {
  return [...others]
    .filter(([other]) => other !== name && isTypeName(other) === isTypeName(name))
    .map(([other, bonus]) => ({ name: other, prior: 0.12 + 0.5 * nameAffinity(name, other) + bonus }))
    .toSorted((a, b) => b.prior - a.prior)
    .slice(0, ALTERNATIVES_MAX)
}

/** Classes and types are written `LikeThis`; nobody mixes one up with `likeThis`. */
function isTypeName(name: string): boolean {
  return /^[A-Z]\w*[a-z]/.test(name)
}

const DECLARING = new Set(
  'const let var val function class def func fn type interface struct enum new import as lambda'.split(' '),
)
const TYPES = new Set('string number boolean bigint symbol unknown any never object'.split(' '))

/** What each word refers to; `undefined` for declarations, keys, types and keywords. */
function rolesIn(code: Code): readonly (Role | undefined)[] {
  const { tokens, functions, language, isImport } = code
  const declared = declaredIn(code)
  return tokens.map((token, index) => {
    const [before = '', after = ''] = [tokens[index - 1]?.text, tokens[index + 1]?.text]
    if (token.kind !== 'word' || isImport[index] || declared.has(index)) return undefined
    const isCalled = after === '('
    if (before === '.' || before === '?.')
      return tokens[index - 2]?.text === 'import' ? undefined : isCalled ? 'method' : 'property'
    if (isKeyword(token.text, language) || DECLARING.has(before) || ['=>', '=', ':='].includes(after)) return undefined
    if (language.typeBrackets && (TYPES.has(token.text) || code.text.startsWith('<', token.end))) return undefined
    const isEntry = (before === '{' || before === ',') && (after === ':' || after === '}' || (after === ',' && before === '{'))
    const isHeader = functions.some((span) => index >= span.nameIndex && index < span.bodyIndex)
    return isEntry || isHeader ? undefined : isCalled ? 'callee' : 'variable'
  })
}

/** Indexes inside the brackets of `(…) =>`, `const […] =` and `const {…} =`: names there are declarations. */
function declaredIn({ tokens, pairs }: Code): ReadonlySet<number> {
  const indexes = new Set<number>()
  for (const [index, token] of tokens.entries()) {
    const opening = pairs[index - 1] ?? -1
    const isPattern = token.text === '=' && opening < index && DECLARING.has(tokens[opening - 1]?.text ?? '')
    if (token.text !== '=>' && !isPattern) continue
    for (let inside = opening; inside >= 0 && inside < index; inside++) indexes.add(inside)
  }
  return indexes
}

/** The key of an object: `{ name: …` or `, name: …`. */
export function isKey({ tokens }: Code, index: number): boolean {
  const before = tokens[index - 1]?.text
  return tokens[index]!.kind === 'word' && tokens[index + 1]?.text === ':' && (before === '{' || before === ',')
}

/** The file's top-level names, and a function's own. A declared but unused name gets a bonus. */
function variablesIn(code: Code, roles: readonly (Role | undefined)[], around: FunctionSpan | undefined): Names {
  const { tokens, functions } = code
  const top = tokens.flatMap(({ text, kind }, index) =>
    kind === 'word' && /^(?:const|let|var)$/.test(tokens[index - 1]?.text ?? '') && !functionAround(functions, index)
      ? [[text, 0] as const]
      : [],
  )
  if (!around) return namesWith(top)
  const isName = (index: number) =>
    roles[index] === 'variable' ||
    (roles[index] === undefined &&
      tokens[index]!.kind === 'word' &&
      !isKeyword(tokens[index]!.text, code.language) &&
      !isKey(code, index) &&
      tokens[index - 1]?.text !== '.')
  const places = Map.groupBy(
    [...tokens.keys()].slice(around.nameIndex + 1, around.endIndex + 1).filter(isName),
    (index) => tokens[index]!.text,
  )
  const isUnused = ([first = 0, ...more]: readonly number[]) =>
    more.length === 0 && (first < around.bodyIndex || DECLARING.has(tokens[first - 1]?.text ?? ''))
  return namesWith(
    top,
    [...places].map(([name, found]) => [name, isUnused(found) ? 0.4 : 0.1]),
  )
}

/**
 * How easily one name is mistaken for another, 0..1: names that are opposites (`start`, `end`), both a single letter, share words
 * (`itemCount`, `itemTotal`), or are a typo apart.
 */
function nameAffinity(first: string, second: string): number {
  const [left, right] = [wordsOf(first), wordsOf(second)]
  const isOpposite = left.some((word) =>
    right.some((other) => OPPOSITES.has(`${word} ${other}`) || OPPOSITES.has(`${other} ${word}`)),
  )
  if (isOpposite) return 1
  if (first.length === 1 && second.length === 1) return 0.7
  const overlap = left.filter((word) => right.includes(word)).length / Math.max(left.length, right.length)
  const isSlip = first.length > 2 && second.length > 2 && nearestName(first, [second]) !== undefined
  return Math.max(overlap || 0, isSlip ? 0.8 : 0)
}

/** A name's words in lower case: `maxItemCount` and `max_item_count` give max, item, count. */
export function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase())
}

const OPPOSITES: ReadonlySet<string> = new Set(
  `start end|begin end|first last|min max|lower upper|low high|from to|left right|width height|row column|x y|before after|next previous|old new|source target|open close|gross net|price quantity|total subtotal|sum count|key value|in out|read write|input output|index count|length index|credit debit|head tail|parent child|hours minutes|minutes seconds|day month|month year`.split(
    '|',
  ),
)

/** Library functions that are confused with each other. */
const GROUPS: readonly (readonly string[])[] = [
  'floor ceil round trunc | min max | Min Max | push unshift | pop shift | some every | any all',
  'find findLast filter | findIndex findLastIndex | indexOf lastIndexOf | startsWith endsWith includes',
  'startswith endswith | HasPrefix HasSuffix | toUpperCase toLowerCase | upper lower | ToUpper ToLower',
  'padStart padEnd | ljust rjust | trim trimStart trimEnd | strip lstrip rstrip | replace replaceAll',
  'map flatMap | append extend | keys values entries | all allSettled race any | getDate getDay getUTCDate getUTCDay',
  'getHours getUTCHours | getMonth getUTCMonth | getFullYear getUTCFullYear | sin cos | parseInt parseFloat Number',
].flatMap((line) => line.split(' | ').map((group) => group.split(' ')))

/** The other functions of the groups that a library function belongs to. */
export function siblingsOf(name: string): readonly string[] {
  return GROUPS.filter((group) => group.includes(name)).flatMap((group) => group.filter((other) => other !== name))
}
