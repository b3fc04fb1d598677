import { type Code, functionAround, type FunctionSpan, isImportLine, operandAfter } from './code.ts'
import { type Edit, insert, replace, type Vocabulary } from './edit.ts'
import { isKeyword, type Language, type Token } from './tokenize.ts'

/** A wrong name: another variable in scope, another property, another function of the same file. */
export function* mutateNames(code: Code, vocabulary: Vocabulary): Iterable<Edit> {
  const names = namesIn(code, vocabulary)
  const visible = new Map<FunctionSpan | undefined, Names>()
  const declared = declaredIn(code)
  const rankings = new Map<string, readonly Alternative[]>()
  for (const [index, token] of code.tokens.entries()) {
    const role = declared.has(index) ? undefined : roleOf(code, index)
    if (!role) continue
    const around = functionAround(code.functions, index)
    if (role === 'variable' && !visible.has(around)) visible.set(around, visibleFrom(code, around, names))
    const others = role === 'variable' ? visible.get(around)! : names[role]
    const isReturned = code.tokens[index - 1]?.text === 'return'
    const isOdd = role === 'property' && names.odd.has(token.text)
    const place = `${role} ${role === 'variable' ? around?.nameIndex : ''} ${token.text}`
    const ranked = rankings.get(place) ?? alternatives(token.text, others)
    rankings.set(place, ranked)
    for (const { name, prior } of ranked) {
      yield replace('name', Math.min(PRIOR_MAX, prior + (isReturned || isOdd ? 0.15 : 0)), token, token, name)
    }
  }
}

type Role = 'variable' | 'property' | 'method' | 'callee'
/** Names with a bonus added to their similarity. */
type Names = ReadonlyMap<string, number>

/** How many names to try for each position, likeliest first. */
const ALTERNATIVES_MAX = 4
const PRIOR_MAX = 0.95
const DECLARING = new Set(
  'const let var val function class def func fn type interface struct enum new import as lambda'.split(' '),
)

interface Alternative {
  readonly name: string
  readonly prior: number
}

function alternatives(name: string, others: Names): readonly Alternative[] {
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

/** What a word refers to; `undefined` if it is a declaration, a key or a keyword. */
function roleOf({ tokens, functions, language }: Code, index: number): Role | undefined {
  const [before, token, after] = [tokens[index - 1], tokens[index]!, tokens[index + 1]]
  if (token.kind !== 'word') return undefined
  if (isImportLine(tokens, index)) return undefined
  if (before?.text === '.' || before?.text === '?.') {
    if (isMeta(tokens, index)) return undefined
    return after?.text === '(' ? 'method' : 'property'
  }
  if (isKeyword(token.text, language) || DECLARING.has(before?.text ?? '') || after?.text === '=>') return undefined
  if (after?.text === '=' || after?.text === ':=' || isType(token, after, language)) return undefined
  const isFirst = before?.text === '{' || before?.text === ','
  if (isFirst && (after?.text === ':' || after?.text === '}' || (after?.text === ',' && before?.text === '{'))) return undefined
  if (functions.some((span) => index >= span.nameIndex && index < span.bodyIndex)) return undefined
  return after?.text === '(' ? 'callee' : 'variable'
}

const TYPES = new Set('string number boolean bigint symbol unknown any never object'.split(' '))

/** A type's name: a built-in one, or one directly followed by a bracket. */
function isType(token: Token, after: Token | undefined, language: Language): boolean {
  return language.typeBrackets && (TYPES.has(token.text) || (after?.text === '<' && after.start === token.end))
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

/** `import.meta` and its properties. */
function isMeta(tokens: Code['tokens'], index: number): boolean {
  return tokens[index - 2]?.text === 'import' || tokens[index - 4]?.text === 'import'
}

interface FileNames extends Readonly<Record<'property' | 'method' | 'callee', Names>> {
  /** Variables and constants outside all functions. */
  readonly top: Names
  /** Properties that occur once in the file and never in the tests. */
  readonly odd: ReadonlySet<string>
}

function namesIn(code: Code, vocabulary: Vocabulary): FileNames {
  const odd = new Set<string>()
  const [property, method, callee] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  // A name that the tests pass in and the file never reads may be the right one.
  for (const name of vocabulary.properties) property.set(name, 0.3)
  for (const [index, token] of code.tokens.entries()) {
    const role = roleOf(code, index)
    if (role === 'property' && !property.has(token.text)) odd.add(token.text)
    else odd.delete(token.text)
    if (role === 'property') property.set(token.text, 0)
    if (role === 'method') method.set(token.text, 0)
    if (role === 'callee') callee.set(token.text, 0)
    if (isKey(code, index)) property.set(token.text, 0)
  }
  for (const { name } of code.functions) callee.set(name, 0.1)
  const top = new Map<string, number>()
  for (const [index, token] of code.tokens.entries()) {
    const isDeclared = ['const', 'let', 'var'].includes(code.tokens[index - 1]?.text ?? '')
    if (isDeclared && isVariable(code, index, callee) && !functionAround(code.functions, index)) top.set(token.text, 0)
  }
  return { property, method, callee, top, odd }
}

/** The key of an object: `{ name: …` or `, name: …`. */
export function isKey({ tokens }: Code, index: number): boolean {
  const before = tokens[index - 1]?.text
  return tokens[index]!.kind === 'word' && tokens[index + 1]?.text === ':' && (before === '{' || before === ',')
}

/** The top-level names and the function's own. A declared but unused name gets a bonus. */
function visibleFrom(code: Code, around: FunctionSpan | undefined, names: FileNames): Names {
  if (!around) return names.top
  const places = new Map<string, number[]>()
  for (let index = around.nameIndex + 1; index <= around.endIndex; index++) {
    const name = code.tokens[index]!.text
    if (isVariable(code, index, names.callee)) places.set(name, [...(places.get(name) ?? []), index])
  }
  const isUnused = ([first, ...others]: number[]) =>
    others.length === 0 && (first! < around.bodyIndex || DECLARING.has(code.tokens[first! - 1]?.text ?? ''))
  return new Map([...names.top, ...[...places].map(([name, found]) => [name, isUnused(found) ? 0.4 : 0.1] as const)])
}

function isVariable(code: Code, index: number, callee: Names): boolean {
  const [before, token, after] = [code.tokens[index - 1], code.tokens[index]!, code.tokens[index + 1]]
  if (token.kind !== 'word' || isKeyword(token.text, code.language) || callee.has(token.text)) return false
  return before?.text !== '.' && before?.text !== '?.' && after?.text !== '(' && !isKey(code, index)
}

/**
 * How easily one name is mistaken for another, 0..1: names that share words (`itemCount`, `itemTotal`), are opposites (`start`,
 * `end`), are one typo apart, or are both a single letter.
 */
function nameAffinity(first: string, second: string): number {
  const [left, right] = [wordsOf(first), wordsOf(second)]
  const opposite = left.some((word) =>
    right.some((other) => OPPOSITES.has(`${word} ${other}`) || OPPOSITES.has(`${other} ${word}`)),
  )
  if (opposite) return 1
  if (first.length === 1 && second.length === 1) return 0.7
  const shared = left.filter((word) => right.includes(word)).length
  const overlap = shared / Math.max(left.length, right.length)
  const [short, long] = [first.toLowerCase(), second.toLowerCase()].toSorted((a, b) => a.length - b.length) as [string, string]
  const isPart = short.length >= 2 && (long.startsWith(short) || long.endsWith(short))
  return Math.max(overlap, isPart ? 0.7 : 0, isOneSlip(short, long) ? 0.9 : 0)
}

/** A name's words in lower case: `maxItemCount` and `max_item_count` give max, item, count. */
export function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase())
}

const OPPOSITES: ReadonlySet<string> = new Set(
  `start end|begin end|first last|min max|minimum maximum|lower upper|low high|from to|left right|width height|row column|row col|rows columns|x y|before after|next previous|next prev|older newer|old new|source target|open close|opened closed|gross net|price quantity|price qty|total subtotal|sum count|key value|in out|read write|input output|index count|length index|earlier later|arrival departure|credit debit|debit credit|head tail|parent child|hours minutes|minutes seconds|day month|month year`.split(
    '|',
  ),
)

/** One letter added, missing or changed, or two neighbours swapped. */
function isOneSlip(short: string, long: string): boolean {
  if (short.length < 3 || long.length - short.length > 1) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at++
  if (long.length > short.length) return short.slice(at) === long.slice(at + 1)
  const isChanged = short.slice(at + 1) === long.slice(at + 1)
  const isExchanged = short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  return isChanged || isExchanged
}

/** A wrong call: `floor` for `ceil`, a missing `await`, a sort without an order or in place. */
export function* mutateCalls(code: Code): Iterable<Edit> {
  const { tokens, pairs, language } = code
  for (const [index, token] of tokens.entries()) {
    const isCalled = tokens[index + 1]?.text === '(' && !code.functions.some((span) => span.nameIndex === index)
    if (token.kind === 'word' && isCalled) {
      for (const [place, sibling] of siblingsOf(token.text).entries())
        yield replace('sibling', 0.7 - place * 0.15, token, token, sibling)
    }
    if (language.family !== 'script') continue
    if (token.text === 'await' && tokens[index + 1]) {
      yield { kind: 'await', prior: 0.15, start: token.start, end: tokens[index + 1]!.start, replacement: '' }
    }
    if (BEFORE_VALUE.has(token.text) || isStatementStart(code, index))
      yield* addAwait(code, token.text === 'return' || token.text === '=' ? index + 1 : index)
    const isMethod = isCalled && tokens[index - 1]?.text === '.'
    if (isMethod && token.text === 'sort' && pairs[index + 1] === index + 2) {
      yield insert('sibling', 0.6, tokens[index + 1]!.end, '(a, b) => a - b')
    }
    if (isMethod && IN_PLACE.has(token.text)) yield insert('copy', 0.4, tokens[index - 1]!.start, '.slice()')
    if (token.text === '.' && isReceiver(code, index - 1)) yield replace('optional', 0.1, token, token, '?.')
  }
}

const BEFORE_VALUE = new Set(['=', 'return'])
const IN_PLACE = new Set(['sort', 'reverse'])

function isStatementStart({ tokens, language }: Code, index: number): boolean {
  const [before, token] = [tokens[index - 1], tokens[index]!]
  return (!before || before.line < token.line) && token.kind === 'word' && !isKeyword(token.text, language)
}

/** Adds `await` to a call inside an `async` function. */
function* addAwait(code: Code, index: number): Iterable<Edit> {
  const { tokens } = code
  const operand = operandAfter(code, index)
  if (!operand || tokens[operand.from]!.kind !== 'word' || tokens[operand.from]!.text === 'await') return
  if (tokens[operand.to]!.text !== ')') return
  const around = functionAround(code.functions, index)
  const header = around ? tokens.slice(Math.max(0, around.nameIndex - 3), around.bodyIndex) : []
  if (header.some((token) => token.text === 'async')) yield insert('await', 0.4, tokens[index]!.start, 'await ')
}

function isReceiver({ tokens, language }: Code, index: number): boolean {
  const token = tokens[index]
  if (!token) return false
  return (
    token.text === ']' ||
    token.text === ')' ||
    (token.kind === 'word' && !isKeyword(token.text, language) && !/^[A-Z]/.test(token.text))
  )
}

/** Library functions that are confused with each other. */
const GROUPS: readonly (readonly string[])[] = [
  'floor ceil round trunc | min max | Min Max | push unshift | pop shift | some every | any all',
  'find findLast filter | findIndex findLastIndex | indexOf lastIndexOf | startsWith endsWith includes',
  'startswith endswith | HasPrefix HasSuffix | toUpperCase toLowerCase | upper lower | ToUpper ToLower',
  'padStart padEnd | ljust rjust | trim trimStart trimEnd | strip lstrip rstrip | replace replaceAll',
  'map flatMap | append extend | keys values entries | all allSettled race any',
  'getDate getDay getUTCDate getUTCDay | getHours getUTCHours | getMonth getUTCMonth | getFullYear getUTCFullYear',
  'setDate setUTCDate | setHours setUTCHours | sin cos | parseInt parseFloat Number',
].flatMap((line) => line.split(' | ').map((group) => group.split(' ')))

/** The other functions of the groups that a library function belongs to. */
function siblingsOf(name: string): readonly string[] {
  return GROUPS.filter((group) => group.includes(name)).flatMap((group) => group.filter((other) => other !== name))
}
