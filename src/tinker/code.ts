import { IMPORT_WORDS, isKeyword, type Language, languageOf, type Token, tokenize } from './tokenize.ts'
import { posix } from 'node:path'

/** A parsed source file. */
export interface Code {
  /** Relative to the working folder, with slashes. */
  readonly path: string
  readonly text: string
  readonly language: Language
  /** Without comments. */
  readonly tokens: readonly Token[]
  /** For a bracket, the index of its partner; -1 for all other tokens. */
  readonly pairs: readonly number[]
  readonly functions: readonly FunctionSpan[]
  /** For each token, whether it is on an import line. Nothing is mutated there. */
  readonly isImport: readonly boolean[]
  /** The text with every offset in its place, for patterns: without comments, imports and function headers, literals as `____`. */
  readonly masked: string
}

/** Parses source text into tokens, bracket pairs and functions; `undefined` if the language is unknown. */
export function readCode(path: string, text: string): Code | undefined {
  const language = languageOf(path)
  if (!language) return undefined
  const tokens = tokenize(text, language).filter((token) => token.kind !== 'comment')
  const pairs = pairBrackets(tokens)
  const functions = findFunctions(tokens, pairs, language, text)
  const isImport = tokens.map((_, index) => isImportLine(tokens, index))
  const masked = maskedText(
    text,
    tokens.filter((_, index) => {
      const isHeader = functions.some(({ nameIndex, bodyIndex }) => index > nameIndex && index < bodyIndex)
      return !isImport[index] && !isHeader
    }),
  )
  return { path, text, language, tokens, pairs, functions, isImport, masked }
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** A template is masked like a call: `____(value)____`. */
function maskedText(text: string, tokens: readonly Token[]): string {
  let masked = ''
  for (const { kind, text: own, start } of tokens) {
    masked += text.slice(masked.length, start).replaceAll(/[^\n]/g, ' ')
    const isOpen = kind === 'template' && own.endsWith('${')
    const isBehind = kind === 'template' && own.startsWith('}')
    if (!['string', 'template', 'regex'].includes(kind)) masked += own
    else masked += (isBehind ? ')' : '_') + '_'.repeat(Math.max(0, own.length - 2)) + (own.length < 2 ? '' : isOpen ? '(' : '_')
  }
  return masked + text.slice(masked.length).replaceAll(/[^\n]/g, ' ')
}

function pairBrackets(tokens: readonly Token[]): number[] {
  const pairs = tokens.map(() => -1)
  const open: number[] = []
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== 'operator') continue
    if (text in CLOSING) open.push(index)
    else if (text === ')' || text === ']' || text === '}') {
      const partner = open.findLastIndex((candidate) => CLOSING[tokens[candidate]!.text] === text)
      if (partner < 0) continue
      pairs[open[partner]!] = index
      pairs[index] = open[partner]!
      open.length = partner
    }
  }
  return pairs
}

/** A named function; token indexes are inclusive, lines count from 1. */
export interface FunctionSpan {
  readonly name: string
  readonly nameIndex: number
  readonly bodyIndex: number
  readonly endIndex: number
  readonly firstLine: number
  readonly lastLine: number
}

/**
 * Finds named functions and methods by their shape: `name(…) {`, `name = (…) =>`, `def name(…):`. An anonymous function belongs
 * to the named one around it.
 */
function findFunctions(tokens: readonly Token[], pairs: readonly number[], language: Language, source: string): FunctionSpan[] {
  const spans: FunctionSpan[] = []
  for (const [nameIndex, token] of tokens.entries()) {
    if (token.kind !== 'word' || isKeyword(token.text, language)) continue
    const body =
      language.family === 'indented'
        ? indentedBody(tokens, pairs, nameIndex, source)
        : (bracedBody(tokens, pairs, nameIndex, language) ?? arrowBody(tokens, pairs, nameIndex))
    if (!body) continue
    const { bodyIndex, endIndex } = body
    const [firstLine, lastLine] = [token.line, tokens[endIndex]!.line]
    spans.push({ name: token.text, nameIndex, bodyIndex, endIndex, firstLine, lastLine })
  }
  return spans
}

/** The innermost function around a token, if any. */
export function functionAround(functions: readonly FunctionSpan[], index: number): FunctionSpan | undefined {
  return functions.findLast((span) => span.nameIndex <= index && index <= span.endIndex)
}

interface Body {
  readonly bodyIndex: number
  readonly endIndex: number
}

/** How many tokens of type parameters or return type to allow between a name, its parameters and its body. */
const TYPE_TOKENS_MAX = 30
const NOT_BEFORE_NAME = new Set(['if', 'for', 'while', 'switch', 'new', 'return', '.', '&&', '||', '!', '='])

function bracedBody(tokens: readonly Token[], pairs: readonly number[], nameIndex: number, language: Language): Body | undefined {
  const opening = parametersAfter(tokens, nameIndex, language)
  if (opening === undefined || NOT_BEFORE_NAME.has(tokens[nameIndex - 1]?.text ?? '')) return undefined
  const closing = pairs[opening]!
  if (closing < 0) return undefined
  const isTyped = tokens[closing + 1]?.text === ':'
  for (let index = closing + 1; index <= closing + TYPE_TOKENS_MAX; index++) {
    const text = tokens[index]?.text
    if (text === '{' && !(isTyped && TYPE_GOES_ON.has(tokens[index - 1]!.text))) {
      return pairs[index]! > 0 ? { bodyIndex: index, endIndex: pairs[index]! } : undefined
    }
    if (text === undefined || (!isTyped && ENDS_HEADER.has(text))) return undefined
    if (text === ';' || (!isTyped && tokens[index]!.line > tokens[closing]!.line)) return undefined
    if (pairs[index]! > index) index = pairs[index]!
  }
  return undefined
}

const ENDS_HEADER = new Set([')', ',', '.', '=', '=>', '}', '?'])
/** After these, a curly bracket belongs to a type, not to the body. */
const TYPE_GOES_ON = new Set([':', '|', '&', '<', ',', '=>'])

/** The opening bracket of the parameters: directly after the name, or after its type parameters. */
function parametersAfter(tokens: readonly Token[], nameIndex: number, language: Language): number | undefined {
  if (tokens[nameIndex + 1]?.text === '(') return nameIndex + 1
  if (!language.typeBrackets || tokens[nameIndex + 1]?.text !== '<') return undefined
  for (let index = nameIndex + 2; index < nameIndex + TYPE_TOKENS_MAX; index++) {
    if (tokens[index]?.text === '>' && tokens[index + 1]?.text === '(') return index + 1
  }
  return undefined
}

/** `name = (…) => …`, `name = x => …`, `name: (…) => …`, `name = function (…) {…}`. */
function arrowBody(tokens: readonly Token[], pairs: readonly number[], nameIndex: number): Body | undefined {
  if (!['=', ':'].includes(tokens[nameIndex + 1]?.text ?? '')) return undefined
  let index = nameIndex + 2
  if (tokens[index]?.text === 'async') index++
  const isFunction = tokens[index]?.text === 'function'
  if (isFunction) while (tokens[index] && tokens[index]!.text !== '(') index++
  const closing = tokens[index]?.text === '(' ? pairs[index]! : tokens[index]?.kind === 'word' ? index : -1
  if (closing < 0) return undefined
  let arrow = closing + 1
  if (tokens[arrow]?.text === ':') while (tokens[arrow] && !['=>', '{', ';'].includes(tokens[arrow]!.text)) arrow++
  if (!isFunction && tokens[arrow]?.text !== '=>') return undefined
  const bodyIndex = isFunction ? arrow : arrow + 1
  if (tokens[bodyIndex]?.text === '{') {
    return pairs[bodyIndex]! > 0 ? { bodyIndex, endIndex: pairs[bodyIndex]! } : undefined
  }
  return isFunction || !tokens[bodyIndex] ? undefined : { bodyIndex, endIndex: expressionEnd(tokens, pairs, bodyIndex) }
}

/** Last token of an expression that may span several lines. */
function expressionEnd(tokens: readonly Token[], pairs: readonly number[], start: number): number {
  let index = start
  for (;;) {
    if (pairs[index]! > index) index = pairs[index]!
    const next = tokens[index + 1]
    if (!next || [';', ',', ')', ']', '}'].includes(next.text)) return index
    const goesOn = next.kind === 'operator' || tokens[index]!.kind === 'operator'
    if (next.line > tokens[index]!.line && (!goesOn || ([')', ']', '}'].includes(tokens[index]!.text) && next.text !== '.')))
      return index
    index++
  }
}

function indentedBody(tokens: readonly Token[], pairs: readonly number[], nameIndex: number, source: string): Body | undefined {
  if (tokens[nameIndex - 1]?.text !== 'def' || tokens[nameIndex + 1]?.text !== '(') return undefined
  let bodyIndex = pairs[nameIndex + 1]! + 1
  if (bodyIndex <= 0) return undefined
  while (tokens[bodyIndex] && tokens[bodyIndex]!.text !== ':') bodyIndex++
  const indent = columnOf(source, tokens[nameIndex - 1]!)
  let endIndex = bodyIndex
  while (
    tokens[endIndex + 1] &&
    (tokens[endIndex + 1]!.line === tokens[endIndex]!.line || columnOf(source, tokens[endIndex + 1]!) > indent)
  ) {
    endIndex++
  }
  return endIndex < tokens.length ? { bodyIndex, endIndex } : undefined
}

/** Column of a token in its line. */
function columnOf(source: string, token: Token): number {
  return token.start - (source.lastIndexOf('\n', token.start - 1) + 1)
}

/** A name or a literal, not a bracket, operator or keyword. */
export function isValue(token: Token, language: Language): boolean {
  if (token.kind === 'number' || token.kind === 'string' || token.kind === 'regex') return true
  return token.kind === 'word' && (!isKeyword(token.text, language) || VALUE_WORDS.has(token.text))
}

const VALUE_WORDS = new Set(['this', 'self', 'super', 'true', 'false', 'True', 'False', 'null', 'None', 'nil', 'undefined'])

/** The files among `paths` that a file imports, found by the names on its import lines; in Go also those in its folder. */
export function findImports(code: Code, paths: Iterable<string>): string[] {
  const all = [...paths].filter((path) => path !== code.path)
  const folder = posix.dirname(code.path)
  const found = new Set<string>()
  for (const module of modulesOf(code)) {
    const isRelative = module.startsWith('.')
    const wanted = stem(isRelative ? posix.join(folder, module) : module)
    for (const path of all) {
      const candidate = stem(path)
      if (candidate === wanted || (!isRelative && candidate.endsWith(`/${wanted}`))) found.add(path)
    }
  }
  if (code.path.endsWith('.go'))
    for (const path of all) if (path.endsWith('.go') && posix.dirname(path) === folder) found.add(path)
  return [...found]
}

/** `src/cart/index.js` and `src/cart.ts` both become `src/cart`. */
function stem(path: string): string {
  return path.replace(/\.[a-z]+$/, '').replace(/\/(?:index|__init__|mod)$/, '')
}

function* modulesOf({ tokens, language }: Code): Iterable<string> {
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    if (token.kind === 'string') {
      const isImported =
        IMPORT_WORDS.has(before?.text ?? '') || (before?.text === '(' && IMPORT_WORDS.has(tokens[index - 2]?.text ?? ''))
      if (isImported) yield token.text.slice(1, -1)
    }
    const beginsLine = !before || before.line < token.line
    if (language.family === 'script' || !beginsLine || !IMPORT_WORDS.has(token.text)) continue
    yield* dottedNames(tokens.filter((other) => other.line === token.line).slice(1))
  }
}

/** `shop.cart`, `.cart`, `crate::cart` as paths, with every prefix: the last name may be a name inside a module. */
function* dottedNames(tokens: Code['tokens']): Iterable<string> {
  let path = ''
  for (const { kind, text } of tokens) {
    if (text === '.' || text === '::') path += path === '' ? './' : '/'
    else if (kind === 'word' && text !== 'crate' && text !== 'self') {
      path = path.endsWith('/') ? path + text : text
      yield path
    } else path = ''
  }
}

/** Whether a token is on an import line, or on the last line of one. */
function isImportLine(tokens: readonly Token[], index: number): boolean {
  let first = index
  while (first > 0 && tokens[first - 1]!.line === tokens[index]!.line) first--
  const isEnd = tokens[first]!.text === '}' && tokens[first + 1]?.text === 'from'
  return isEnd || (IMPORT_WORDS.has(tokens[first]!.text) && tokens[first + 1]?.text !== '.')
}

/** Returns a function that maps an offset to its line, counted from 1. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
