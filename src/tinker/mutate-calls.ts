import type { Code } from './code.ts'
import { insert, replace, type Edit } from './edit.ts'
import { functionAround } from './find-functions.ts'
import { isKeyword } from './keywords.ts'
import { operandAfter } from './operands.ts'
import { siblingsOf } from './sibling-names.ts'

/** A call that is not quite the right one: `floor` for `ceil`, a missing `await`, a sort without an order or in place. */
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
      yield* awaited(code, token.text === 'return' || token.text === '=' ? index + 1 : index)
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

/** `await` before a call, only inside a function that is `async`. */
function* awaited(code: Code, index: number): Iterable<Edit> {
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
