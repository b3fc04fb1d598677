import { argumentsIn, type Code, functionAround, operandAfter, operandBefore, type Span, textOf } from './code.ts'
import { type Edit, insert, replace } from './edit.ts'
import { isKeyword, type Token } from './tokenize.ts'

/** A condition that is inverted or too strict: a missing `!`, one `!` too many, an `&&` clause too many. */
export function* mutateConditions(code: Code): Iterable<Edit> {
  const { tokens, language } = code
  const not = language.family === 'indented' ? 'not ' : '!'
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (!next) continue
    if (token.text === not.trim() && next.text !== '=' && next.text !== 'in') {
      yield { kind: 'condition', prior: 0.7, start: token.start, end: next.start, replacement: '' }
    }
    if (token.text === 'if' || token.text === 'elif' || token.text === 'while') yield* negateCondition(code, index, not)
    if (CONNECTIVES.has(token.text)) yield* mutateConnective(code, index, not)
    if (token.text === '=>' || token.text === 'return') yield* negateValue(code, index, not)
  }
}

const CONNECTIVES = new Set(['&&', '||', 'and', 'or'])
const COMPARING = new Set(['<', '>', '<=', '>=', '==', '!=', '===', '!==', 'in', 'is', 'instanceof', '!', 'not'])

/** Negates a whole condition. Less likely if an operator in it can be changed instead. */
function* negateCondition({ tokens, pairs, text, language }: Code, index: number, not: string): Iterable<Edit> {
  let [from, to] = [index + 1, index + 1]
  const isLoop = tokens[index]!.text === 'while'
  if (tokens[from]?.text === '(' && language.family !== 'indented') [from, to] = [from + 1, pairs[from]! - 1]
  else while (tokens[to + 1] && tokens[to + 1]!.text !== (language.family === 'indented' ? ':' : '{')) to++
  if (to < from || !tokens[from] || !tokens[to] || tokens[to]!.line > tokens[index]!.line + 5) return
  const compares = tokens.slice(from, to + 1).some((token) => COMPARING.has(token.text))
  const inner = text.slice(tokens[from]!.start, tokens[to]!.end)
  yield replace('condition', isLoop ? 0.05 : compares ? 0.2 : 0.6, tokens[from]!, tokens[to]!, `${not}(${inner})`)
}

function* mutateConnective(code: Code, index: number, not: string): Iterable<Edit> {
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

/** One side of a connective: the tokens up to the next bracket, connective or end of statement. */
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
function* negateValue(code: Code, index: number, not: string): Iterable<Edit> {
  const { tokens } = code
  const value = operandAfter(code, index + 1)
  if (!value || tokens[value.from]!.kind !== 'word' || tokens[value.from]!.line !== tokens[index]!.line) return
  const next = tokens[value.to + 1]
  const isWhole = !next || [')', ',', ';', '}'].includes(next.text) || (next.line > tokens[value.to]!.line && next.text !== '.')
  if (isWhole) yield insert('condition', 0.25, tokens[value.from]!.start, not)
}

/** Things in the wrong order: two arguments, two operands, the branches of a conditional, the order of evaluation. */
export function* mutateOrder(code: Code): Iterable<Edit> {
  for (const [index, token] of code.tokens.entries()) {
    if (token.text === '(') yield* swapArguments(code, index)
    const prior = OPERAND_PRIORS.get(token.text)
    if (prior !== undefined) yield* swapOperands(code, index, prior)
    if (token.text === '*' || token.text === '/') yield* groupSum(code, index)
    if (token.text === '?' && code.language.family !== 'indented') yield* swapBranches(code, index)
  }
}

/** Only operators whose order matters and that have no mirror image, as `<` has `>`. */
const OPERAND_PRIORS: ReadonlyMap<string, number> = new Map([
  ['-', 0.6],
  ['/', 0.4],
  ['%', 0.3],
])

function* swapArguments(code: Code, opening: number): Iterable<Edit> {
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

function* swapOperands(code: Code, index: number, prior: number): Iterable<Edit> {
  const [left, right] = [operandBefore(code, index - 1), operandAfter(code, index + 1)]
  if (left && right) yield swap(code, left, right, prior)
}

/** `a + b * c` for `(a + b) * c`. */
function* groupSum(code: Code, index: number): Iterable<Edit> {
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

function* swapBranches(code: Code, question: number): Iterable<Edit> {
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

/** A whole line that is wrong: one too many, two in the wrong order, a missing guard or `return`. */
export function* mutateStatements(code: Code): Iterable<Edit> {
  const statements = lineStatements(code)
  for (const [index, statement] of statements.entries()) {
    if (!statement.isFlow) yield { kind: 'statement', prior: 0.25, start: statement.start, end: statement.end, replacement: '' }
    if (statement.isGuard) yield { kind: 'guard', prior: 0.25, start: statement.start, end: statement.end, replacement: '' }
    const next = statements[index + 1]
    if (next && next.block === statement.block && next.start <= statement.end + 1) {
      const replacement = code.text.slice(next.start, next.end) + code.text.slice(statement.start, statement.end)
      yield { kind: 'statement', prior: 0.12, start: statement.start, end: next.end, replacement }
    }
    if (statement.isLast && statement.isExpression) {
      const doesNothing = !code.tokens.slice(statement.firstIndex, statement.lastIndex + 1).some(({ text }) => DOING.has(text))
      yield insert('return', doesNothing ? 0.9 : 0.3, statement.first.start, 'return ')
    }
    if (statement.isGuard) yield* copiesOf(code, statement, statements)
  }
}

/** A statement that fills whole lines, including the last line's end. */
interface LineStatement {
  readonly start: number
  readonly end: number
  readonly first: Token
  readonly firstIndex: number
  readonly lastIndex: number
  /** Index of the bracket around it. */
  readonly block: number
  readonly isFlow: boolean
  readonly isGuard: boolean
  readonly isExpression: boolean
  readonly isLast: boolean
}

const FLOW = new Set(
  'return if for while switch case default else elif try catch except finally do import export from class def func function fn package pass } @'.split(
    ' ',
  ),
)
/** An expression without any of these has no effect, so its value was meant to be used. */
const DOING = new Set(['(', '++', '--', 'delete', 'await', 'yield', '`'])
const EXITS = new Set(['return', 'throw', 'continue', 'break', 'raise'])

function lineStatements(code: Code): LineStatement[] {
  const { tokens, language, text } = code
  const statements: LineStatement[] = []
  for (const [firstIndex, first] of tokens.entries()) {
    const before = tokens[firstIndex - 1]
    if (before && (before.line === first.line || !endsStatement(before, code))) continue
    const block = blockAround(code, firstIndex)
    const around = functionAround(code.functions, firstIndex)
    if (!around || around.bodyIndex >= firstIndex || (block >= 0 && tokens[block]!.text !== '{')) continue
    if ([')', ']', '}', 'else', 'elif', 'catch', 'except', 'finally'].includes(first.text)) continue
    const lastIndex = statementEnd(code, firstIndex)
    if (lastIndex === undefined) continue
    const [last, next] = [tokens[lastIndex]!, tokens[lastIndex + 1]]
    const lineEnd = text.indexOf('\n', last.end)
    const isDeclaration = ['const', 'let', 'var', 'val'].includes(first.text) || tokens[firstIndex + 1]?.text === ':='
    statements.push({
      start: text.lastIndexOf('\n', first.start - 1) + 1,
      end: lineEnd < 0 ? text.length : lineEnd + 1,
      first,
      firstIndex,
      lastIndex,
      block,
      isFlow: FLOW.has(first.text) || isDeclaration,
      isGuard: first.text === 'if' && tokens.slice(firstIndex, lastIndex).some((token) => EXITS.has(token.text)),
      isExpression:
        first.kind === 'word' &&
        !isKeyword(first.text, language) &&
        !tokens.slice(firstIndex, lastIndex).some((token) => ASSIGNING.test(token.text)),
      isLast: language.family === 'script' && next?.text === '}',
    })
  }
  return statements
}

/** The last token of a statement that ends with its line; `undefined` if it opens a block of several lines. */
function statementEnd({ tokens, pairs }: Code, first: number): number | undefined {
  let index = first
  for (;;) {
    if (pairs[index]! > index) {
      const opensBlock = tokens[index]!.text === '{' && tokens[pairs[index]!]!.line > tokens[index]!.line
      if (opensBlock && FLOW.has(tokens[first]!.text)) return undefined
      index = pairs[index]!
    }
    const next = tokens[index + 1]
    if (!next || next.text === '}' || next.text === ')') return index
    if (next.line > tokens[index]!.line && !CONTINUED.has(next.text) && !CONTINUED.has(tokens[index]!.text)) return index
    index++
  }
}

const ASSIGNING = /^(?:[-+*/%&|^]|\*\*|&&|\|\||\?\?|:)?=$/
const CONTINUED = new Set(['.', '?.', '?', ':', '+', '-', '*', '/', '&&', '||', '??', '=', '=>', ',', '(', '['])

function endsStatement(token: Token, { language }: Code): boolean {
  if (language.family === 'indented') return token.text !== ',' && token.text !== '('
  return [';', '{', '}', ')', ']'].includes(token.text) || token.kind !== 'operator'
}

function blockAround({ tokens, pairs }: Code, index: number): number {
  for (let at = index - 1; at >= 0; at--) {
    if (pairs[at]! >= 0 && pairs[at]! < at) at = pairs[at]!
    else if (pairs[at]! > index && ['{', '(', '['].includes(tokens[at]!.text)) return at
  }
  return -1
}

/** Copies a guard to the start of another function that uses its subject. */
function* copiesOf(code: Code, guard: LineStatement, statements: readonly LineStatement[]): Iterable<Edit> {
  const { tokens, language, text } = code
  const own = functionAround(code.functions, guard.firstIndex)
  const subject = tokens
    .slice(guard.firstIndex, guard.lastIndex + 1)
    .find((token) => token.kind === 'word' && !isKeyword(token.text, language))
  for (const span of code.functions) {
    if (span === own) continue
    const known = new Set(tokens.slice(span.nameIndex + 1, span.endIndex).map((token) => token.text))
    const place = statements.find((statement) => statement.firstIndex > span.bodyIndex && statement.lastIndex < span.endIndex)
    if (place && subject && known.has(subject.text)) yield insert('guard', 0.1, place.start, text.slice(guard.start, guard.end))
  }
}
