import type { Code } from './code.ts'
import { replace, type Edit, type Vocabulary } from './edit.ts'
import { functionAround, type FunctionSpan } from './find-functions.ts'
import { isImportLine } from './is-import-line.ts'
import { isKeyword } from './keywords.ts'
import type { Language } from './language.ts'
import { nameAffinity } from './name-affinity.ts'
import type { Token } from './tokenize.ts'

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
/** Names with what speaks for each beside its likeness. */
type Names = ReadonlyMap<string, number>

/** Names tried for each place, the likeliest first. */
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

/** Classes and types are written `LikeThis`; nobody means one by a name `likeThis`. */
function isTypeName(name: string): boolean {
  return /^[A-Z]\w*[a-z]/.test(name)
}

/** What a word stands for here; `undefined` where it declares, is a key or belongs to the syntax. */
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

/** A name of a type: a built-in one, or one with brackets right behind it. */
function isType(token: Token, after: Token | undefined, language: Language): boolean {
  return language.typeBrackets && (TYPES.has(token.text) || (after?.text === '<' && after.start === token.end))
}

/** Indexes inside the brackets of `(…) =>`, `const […] =` and `const {…} =`: what stands there is declared there. */
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

/** `import.meta` and what it offers. */
function isMeta(tokens: Code['tokens'], index: number): boolean {
  return tokens[index - 2]?.text === 'import' || tokens[index - 4]?.text === 'import'
}

interface FileNames extends Readonly<Record<'property' | 'method' | 'callee', Names>> {
  /** Variables and constants outside all functions. */
  readonly top: Names
  /** Properties that stand once in the file and nowhere in the tests. */
  readonly odd: ReadonlySet<string>
}

function namesIn(code: Code, vocabulary: Vocabulary): FileNames {
  const odd = new Set<string>()
  const [property, method, callee] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  // What the tests hand in and the file never reads may be what it means by another name.
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

/** The names of the file's top level and, before them, those of the function. One that it declares and never uses stands out. */
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
