import type { Code } from './code.ts'
import type { Edit } from './edit.ts'
import { isKeyword } from './keywords.ts'
import { argumentsIn, operandAfter, operandBefore, textOf, type Span } from './operands.ts'

/** Things in the wrong order: two arguments, two operands, the branches of a conditional, what is computed first. */
export function* mutateOrder(code: Code): Iterable<Edit> {
  for (const [index, token] of code.tokens.entries()) {
    if (token.text === '(') yield* swappedArguments(code, index)
    const prior = OPERAND_PRIORS.get(token.text)
    if (prior !== undefined) yield* swappedOperands(code, index, prior)
    if (token.text === '*' || token.text === '/') yield* grouped(code, index)
    if (token.text === '?' && code.language.family !== 'indented') yield* swappedBranches(code, index)
  }
}

/** Only where the order matters and no other operator says the same. */
const OPERAND_PRIORS: ReadonlyMap<string, number> = new Map([
  ['-', 0.6],
  ['/', 0.4],
  ['%', 0.3],
])

function* swappedArguments(code: Code, opening: number): Iterable<Edit> {
  const { tokens, pairs, language } = code
  const callee = tokens[opening - 1]
  if (!callee || pairs[opening]! < 0 || callee.kind !== 'word' || isKeyword(callee.text, language)) return
  if (code.functions.some((span) => span.nameIndex === opening - 1)) return
  const spans = argumentsIn(code, opening)
  if (spans.some(({ from }) => ['...', '*', '**'].includes(tokens[from]!.text))) return
  for (const [index, first] of spans.slice(0, -1).entries()) {
    const second = spans[index + 1]!
    const takesFunction = tokens.slice(first.from, second.to).some(({ text }) => text === '=>' || text === 'function')
    yield swap(code, first, second, takesFunction ? 0.1 : 0.5)
  }
}

function* swappedOperands(code: Code, index: number, prior: number): Iterable<Edit> {
  const [left, right] = [operandBefore(code, index - 1), operandAfter(code, index + 1)]
  if (left && right) yield swap(code, left, right, prior)
}

/** `a + b * c` for `(a + b) * c`. */
function* grouped(code: Code, index: number): Iterable<Edit> {
  const { tokens } = code
  const middle = operandBefore(code, index - 1)
  if (middle && ['+', '-'].includes(tokens[middle.from - 1]?.text ?? '')) {
    const left = operandBefore(code, middle.from - 2)
    if (left) yield wrap(code, { from: left.from, to: middle.to })
  }
  const right = operandAfter(code, index + 1)
  if (right && ['+', '-'].includes(tokens[right.to + 1]?.text ?? '')) {
    const last = operandAfter(code, right.to + 2)
    if (last) yield wrap(code, { from: right.from, to: last.to })
  }
}

function* swappedBranches(code: Code, question: number): Iterable<Edit> {
  const { tokens, pairs } = code
  let [depth, colon] = [0, -1]
  let index = question + 1
  for (; index < tokens.length; index++) {
    const { text } = tokens[index]!
    if (pairs[index]! > index) index = pairs[index]!
    else if ([')', ']', '}', ',', ';'].includes(text)) break
    else if (text === '?') depth++
    else if (text === ':' && depth-- === 0) colon = index
    else if (colon > 0 && tokens[index]!.line > tokens[index - 1]!.line && tokens[index]!.kind === 'word') break
  }
  if (colon <= question + 1 || index - 1 <= colon || tokens[question + 1]!.text === ':') return
  yield swap(code, { from: question + 1, to: colon - 1 }, { from: colon + 1, to: index - 1 }, 0.4)
}

function swap(code: Code, first: Span, second: Span, prior: number): Edit {
  const between = code.text.slice(code.tokens[first.to]!.end, code.tokens[second.from]!.start)
  const replacement = textOf(code, second) + between + textOf(code, first)
  return { kind: 'order', prior, start: code.tokens[first.from]!.start, end: code.tokens[second.to]!.end, replacement }
}

function wrap(code: Code, span: Span): Edit {
  const [start, end] = [code.tokens[span.from]!.start, code.tokens[span.to]!.end]
  return { kind: 'order', prior: 0.4, start, end, replacement: `(${textOf(code, span)})` }
}
