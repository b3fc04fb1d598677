import type { Code } from './code.ts'
import { isKeyword } from './keywords.ts'
import type { Language } from './language.ts'
import type { Token } from './tokenize.ts'

/** Token indexes, inclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

const PREFIXES = new Set(['!', '-', '+', '~', 'await', 'typeof', 'new', 'not'])

/** The value that begins at a token: a name or literal with everything that is called on it. */
export function operandAfter({ tokens, pairs, language }: Code, index: number): Span | undefined {
  let to = index
  while (PREFIXES.has(tokens[to]?.text ?? '')) to++
  const first = tokens[to]
  if (!first) return undefined
  if (first.text === '(' || first.text === '[') to = pairs[to]!
  else if (!isValue(first, language)) return undefined
  if (to < 0) return undefined
  for (;;) {
    const next = tokens[to + 1]
    if ((next?.text === '.' || next?.text === '?.') && tokens[to + 2]?.kind === 'word') to += 2
    else if ((next?.text === '(' || next?.text === '[') && next.line === tokens[to]!.line && pairs[to + 1]! > 0)
      to = pairs[to + 1]!
    else return { from: index, to }
  }
}

/** The value that ends at a token. */
export function operandBefore({ tokens, pairs, language }: Code, index: number): Span | undefined {
  let from = index
  for (;;) {
    const token = tokens[from]
    if (!token) return undefined
    if (token.text === ')' || token.text === ']') {
      from = pairs[from]!
      if (from < 0) return undefined
      const before = tokens[from - 1]
      const isCalled =
        before && (before.text === ')' || before.text === ']' || (isValue(before, language) && before.kind === 'word'))
      if (!isCalled) return { from, to: index }
      from--
      continue
    }
    if (!isValue(token, language)) return undefined
    const before = tokens[from - 1]
    if (before?.text !== '.' && before?.text !== '?.') return { from: before?.text === 'await' ? from - 1 : from, to: index }
    from -= 2
  }
}

/** The arguments between an opening bracket and its partner, each without the comma. */
export function argumentsIn({ tokens, pairs }: Code, opening: number): Span[] {
  const closing = pairs[opening]!
  const spans: Span[] = []
  let from = opening + 1
  for (let index = from; index < closing; index++) {
    if (pairs[index]! > index) index = pairs[index]!
    if (tokens[index]!.text !== ',') continue
    if (index > from) spans.push({ from, to: index - 1 })
    from = index + 1
  }
  if (closing > from) spans.push({ from, to: closing - 1 })
  return spans
}

/** The source text of a span. */
export function textOf({ tokens, text }: Code, span: Span): string {
  return text.slice(tokens[span.from]!.start, tokens[span.to]!.end)
}

/** A name or a literal, not a bracket, an operator or a word of the syntax. */
export function isValue(token: Token, language: Language): boolean {
  if (token.kind === 'number' || token.kind === 'string' || token.kind === 'regex') return true
  return token.kind === 'word' && (!isKeyword(token.text, language) || VALUE_WORDS.has(token.text))
}

const VALUE_WORDS = new Set(['this', 'self', 'super', 'true', 'false', 'True', 'False', 'null', 'None', 'nil', 'undefined'])
