import type { Code } from './code.ts'
import { insert, type Edit } from './edit.ts'
import { functionAround } from './find-functions.ts'
import { isKeyword } from './keywords.ts'
import type { Token } from './tokenize.ts'

/** A whole line that is wrong: one too many, two in the wrong order, a guard or a `return` that is missing. */
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

/** A statement that fills its lines, with the end of the last line. */
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

/** The last token of a statement that ends with its line; `undefined` for one that opens a block over several lines. */
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

/** A guard of one function at the start of another one that knows the names in it. */
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
