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
  const ownProperties = new Set([...named('property'), ...keys])
  const names = {
    property: new Set([...properties, ...ownProperties]),
    method: new Set(named('method')),
    callee: new Set([...named('callee'), ...functions.map(({ name }) => name)]),
  }
  const ofVariables = new Map<FunctionSpan | undefined, ReadonlySet<string>>()
  for (const [index, token] of tokens.entries()) {
    const role = roles[index]
    if (!role) continue
    const around = functionAround(functions, index)
    if (!ofVariables.has(around)) ofVariables.set(around, variablesIn(code, roles, around))
    const others = role === 'variable' ? ofVariables.get(around)! : names[role]
    const edits = [...others]
      .filter((other) => other !== token.text && isTypeName(other) === isTypeName(token.text))
      .map((other) => {
        // A name that the tests pass in and the file never reads may be the right one.
        const bonus = role === 'property' && !ownProperties.has(other) ? 0.3 : 0
        return replace(0.12 + 0.5 * nameAffinity(token.text, other) + bonus, token, other)
      })
    yield* edits.toSorted((one, other) => other.prior - one.prior).slice(0, ALTERNATIVES_MAX)
  }
}

type Role = 'variable' | 'property' | 'method' | 'callee'

/** How many names to try for each position, likeliest first. */
const ALTERNATIVES_MAX = 4

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

/** The file's top-level names, and a function's own. */
function variablesIn(code: Code, roles: readonly (Role | undefined)[], around: FunctionSpan | undefined): ReadonlySet<string> {
  const { tokens, functions, language } = code
  const isTop = (index: number) =>
    /^(?:const|let|var)$/.test(tokens[index - 1]?.text ?? '') && functionAround(functions, index) === undefined
  const isOwn = (index: number) =>
    around !== undefined &&
    index > around.nameIndex &&
    index <= around.endIndex &&
    (roles[index] === 'variable' ||
      (roles[index] === undefined &&
        !isKeyword(tokens[index]!.text, language) &&
        !isKey(code, index) &&
        tokens[index - 1]?.text !== '.'))
  return new Set(tokens.flatMap(({ kind, text }, index) => (kind === 'word' && (isTop(index) || isOwn(index)) ? [text] : [])))
}

/** How easily one name is mistaken for another, 0..1: single letters, shared words (`itemCount`, `itemTotal`), or a typo apart. */
function nameAffinity(first: string, second: string): number {
  const [left, right] = [wordsOf(first), wordsOf(second)]
  if (first.length === 1 && second.length === 1) return 0.7
  const overlap = left.filter((word) => right.includes(word)).length / Math.max(1, left.length, right.length)
  const isSlip = first.length > 2 && second.length > 2 && nearestName(first, [second]) !== undefined
  return Math.max(overlap, isSlip ? 0.8 : 0)
}

/** A name's words in lower case: `maxItemCount` and `max_item_count` give max, item, count. */
export function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase())
}

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
