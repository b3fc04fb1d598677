import { isKeyword } from './keywords.ts'
import type { Language } from './language.ts'
import type { Token } from './tokenize.ts'

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
 * Finds named functions and methods by their shape alone: `name(…) {`, `name = (…) =>`, `def name(…):`. Enough to say
 * which lines belong to which name; a function without a name belongs to the one around it.
 */
export function findFunctions(
  tokens: readonly Token[],
  pairs: readonly number[],
  language: Language,
  source: string,
): FunctionSpan[] {
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

/** How many tokens of type parameters or of a return type may stand between a name, its brackets and its body. */
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
/** After these a curly bracket is part of a type and not the body. */
const TYPE_GOES_ON = new Set([':', '|', '&', '<', ',', '=>'])

/** The opening bracket of the parameters: right behind the name, or behind its type parameters. */
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

/** Last token of an expression that may go over several lines. */
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

/** Column of the first token of the token's own line. */
function columnOf(source: string, token: Token): number {
  return token.start - (source.lastIndexOf('\n', token.start - 1) + 1)
}
