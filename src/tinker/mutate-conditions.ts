import type { Code } from './code.ts'
import { insert, replace, type Edit } from './edit.ts'
import { operandAfter, operandBefore, type Span } from './operands.ts'

/** A condition that is the wrong way round or asks too much: a missing `!`, one `!` too many, half of an `&&` too many. */
export function* mutateConditions(code: Code): Iterable<Edit> {
  const { tokens, language } = code
  const not = language.family === 'indented' ? 'not ' : '!'
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (!next) continue
    if (token.text === not.trim() && next.text !== '=' && next.text !== 'in') {
      yield { kind: 'condition', prior: 0.7, start: token.start, end: next.start, replacement: '' }
    }
    if (token.text === 'if' || token.text === 'elif' || token.text === 'while') yield* negated(code, index, not)
    if (CONNECTIVES.has(token.text)) yield* connected(code, index, not)
    if (token.text === '=>' || token.text === 'return') yield* negatedValue(code, index, not)
  }
}

const CONNECTIVES = new Set(['&&', '||', 'and', 'or'])
const COMPARING = new Set(['<', '>', '<=', '>=', '==', '!=', '===', '!==', 'in', 'is', 'instanceof', '!', 'not'])

/** The whole condition the other way round. Less likely where an operator in it can be turned instead. */
function* negated({ tokens, pairs, text, language }: Code, index: number, not: string): Iterable<Edit> {
  let [from, to] = [index + 1, index + 1]
  const isLoop = tokens[index]!.text === 'while'
  if (tokens[from]?.text === '(' && language.family !== 'indented') [from, to] = [from + 1, pairs[from]! - 1]
  else while (tokens[to + 1] && tokens[to + 1]!.text !== (language.family === 'indented' ? ':' : '{')) to++
  if (to < from || !tokens[from] || !tokens[to] || tokens[to]!.line > tokens[index]!.line + 5) return
  const compares = tokens.slice(from, to + 1).some((token) => COMPARING.has(token.text))
  const inner = text.slice(tokens[from]!.start, tokens[to]!.end)
  yield replace('condition', isLoop ? 0.05 : compares ? 0.2 : 0.6, tokens[from]!, tokens[to]!, `${not}(${inner})`)
}

function* connected(code: Code, index: number, not: string): Iterable<Edit> {
  const { tokens } = code
  const [left, right] = [clause(code, index, -1), clause(code, index, 1)]
  if (!left || !right) return
  yield { kind: 'condition', prior: 0.3, start: tokens[left.from]!.start, end: tokens[index + 1]!.start, replacement: '' }
  yield { kind: 'condition', prior: 0.3, start: tokens[index - 1]!.end, end: tokens[right.to]!.end, replacement: '' }
  for (const side of [operandBefore(code, index - 1), operandAfter(code, index + 1)]) {
    const isBare = side && !COMPARING.has(tokens[side.from - 1]?.text ?? '') && !COMPARING.has(tokens[side.to + 1]?.text ?? '')
    if (isBare && !COMPARING.has(tokens[side.from]!.text)) yield insert('condition', 0.3, tokens[side.from]!.start, not)
  }
}

/** One side of a connective: the tokens up to the bracket, connective or end of statement next to it. */
function clause({ tokens, pairs }: Code, index: number, step: 1 | -1): Span | undefined {
  let at = index
  for (;;) {
    const next = tokens[at + step]
    if (!next || CLAUSE_ENDS.has(next.text) || next.line !== tokens[index]!.line) break
    const partner = pairs[at + step]!
    if (BRACKETS.has(next.text) && (partner < 0 || (partner - at) * step < 0)) break
    at = partner < 0 ? at + step : partner
  }
  if (at === index) return undefined
  return step > 0 ? { from: index + 1, to: at } : { from: at, to: index - 1 }
}

const BRACKETS = new Set(['(', ')', '[', ']', '{', '}'])
const CLAUSE_ENDS = new Set([';', ',', '?', ':', '=', '=>', 'return', 'if', 'elif', 'while', '&&', '||', 'and', 'or', '??'])

/** `filter(x => x.done)` for `filter(x => !x.done)`, `return found` for `return !found`. */
function* negatedValue(code: Code, index: number, not: string): Iterable<Edit> {
  const { tokens } = code
  const value = operandAfter(code, index + 1)
  if (!value || tokens[value.from]!.kind !== 'word' || tokens[value.from]!.line !== tokens[index]!.line) return
  const next = tokens[value.to + 1]
  const isWhole = !next || [')', ',', ';', '}'].includes(next.text) || (next.line > tokens[value.to]!.line && next.text !== '.')
  if (isWhole) yield insert('condition', 0.25, tokens[value.from]!.start, not)
}
