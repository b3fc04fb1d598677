import type { Code } from './code.ts'
import { insert, type Edit } from './edit.ts'
import { argumentsIn, isValue, operandAfter } from './operands.ts'

/** A bound or an index that is one off: `length` for `length - 1`, `[i]` for `[i + 1]`, `n` for `n + 1`. */
export function* mutateBounds(code: Code): Iterable<Edit> {
  const { tokens, pairs, language } = code
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1]
    if (!before) continue
    const isStep = (token.text === '+' || token.text === '-') && tokens[index + 1]?.text === '1'
    if (isStep && (isValue(before, language) || before.text === ')' || before.text === ']')) {
      yield { kind: 'bound', prior: 0.6, start: before.end, end: tokens[index + 1]!.end, replacement: '' }
    }
    if (LENGTHS.has(token.text) && before.text === '.' && !isStepped(code, index)) {
      yield insert('bound', 0.5, token.end, ' - 1')
    }
    if (token.text === '[' && pairs[index] === index + 2 && tokens[index + 1]!.kind === 'word' && isValue(before, language)) {
      yield* steps(tokens[index + 1]!.end, 0.4)
    }
    if (COMPARISONS.has(token.text)) yield* besideComparison(code, index)
    if (token.text === '(' && BOUNDED_CALLS.has(before.text) && pairs[index]! > 0) {
      for (const { from, to } of argumentsIn(code, index)) {
        if (from !== to || tokens[from]!.kind === 'word') yield* steps(tokens[to]!.end, 0.4)
      }
    }
  }
}

const LENGTHS = new Set(['length', 'size'])
const COMPARISONS = new Set(['<', '<=', '>', '>='])
const BOUNDED_CALLS = new Set(
  'slice substring substr splice range at charAt padStart padEnd repeat setDate setUTCDate setMonth'.split(' '),
)

function* steps(offset: number, prior: number): Iterable<Edit> {
  yield insert('bound', prior, offset, ' - 1')
  yield insert('bound', prior, offset, ' + 1')
}

function* besideComparison(code: Code, index: number): Iterable<Edit> {
  const { tokens, language, text } = code
  if (language.typeBrackets && text[tokens[index]!.end] !== ' ') return
  const right = operandAfter(code, index + 1)
  if (!right || tokens[right.to]!.kind !== 'word' || LENGTHS.has(tokens[right.to]!.text) || isStepped(code, right.to)) return
  yield* steps(tokens[right.to]!.end, 0.3)
}

function isStepped({ tokens }: Code, index: number): boolean {
  return ['+', '-'].includes(tokens[index + 1]?.text ?? '')
}
