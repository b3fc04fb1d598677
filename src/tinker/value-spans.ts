import type { Code } from './code.ts'
import { isImportLine } from './is-import-line.ts'
import { operandAfter, textOf, type Span } from './operands.ts'

/** A value in the source that a conversion may be put around. */
export interface ValueSpan extends Span {
  readonly text: string
  /** What the value is given the name of right there: the key of an object, a variable, a keyword argument. */
  readonly holder?: string
  /** It stands as `{ name }`, so that its key has to be written out. */
  readonly isShorthand?: true
  readonly isReturned?: true
}

/** Values that are handed on in a file: returned, assigned, given to a call, put into an object or a text, or compared. */
export function* valueSpans(code: Code): Iterable<ValueSpan> {
  const seen = new Set<string>()
  for (const span of allSpans(code)) {
    const key = `${span.from}-${span.to}`
    if (!seen.has(key) && isPlain(span.text)) yield span
    seen.add(key)
  }
}

/** One value and no object, function or choice between several: a conversion around those never is what was meant. */
function isPlain(text: string): boolean {
  return (
    text.length <= TEXT_LENGTH_MAX &&
    !/^(?:[{[!]|not )|=>|\?(?!\.)|&&|\|\|| for |^(?:undefined|null|None|true|false|True|False)$/.test(text)
  )
}

const TEXT_LENGTH_MAX = 80

function* allSpans(code: Code): Iterable<ValueSpan> {
  const { tokens } = code
  for (const [index, token] of tokens.entries()) {
    if (index === 0 || isHeader(code, index) || isImportLine(tokens, index)) continue
    const before = tokens[index - 1]!
    if (before.text === 'return' && before.line === token.line) yield* returned(code, index)
    if (isShorthand(code, index)) {
      yield { from: index, to: index, text: token.text, holder: token.text, isShorthand: true }
      continue
    }
    const operand = isHandedOn(code, index) ? operandAfter(code, index) : undefined
    const next = operand && tokens[operand.to + 1]
    if (!operand || (next && NOT_BEHIND.has(next.text) && next.line === token.line)) continue
    const holder = holderOf(code, index)
    yield { ...operand, text: textOf(code, operand), ...(holder === undefined ? {} : { holder }) }
  }
}

function isHandedOn({ tokens, language }: Code, index: number): boolean {
  const before = tokens[index - 1]!
  if (before.kind === 'template') return before.text.endsWith('${')
  // A whole condition is true or false, whatever is put around it.
  if (before.text === '(' && CONDITIONS.has(tokens[index - 2]?.text ?? '')) return false
  return HANDS_ON.has(before.text) || (language.family === 'indented' && HANDS_ON_IN_WORDS.has(before.text))
}

const CONDITIONS = new Set(['if', 'while', 'switch'])
const HANDS_ON_IN_WORDS = new Set(['in', 'if', 'and', 'or'])
const HANDS_ON = new Set([
  '=',
  'return',
  '(',
  ',',
  '[',
  ':',
  '=>',
  '+',
  '===',
  '!==',
  '==',
  '!=',
  '?',
  '??',
  '||',
  '&&',
  'in',
  'if',
  'and',
  'or',
])
/** What a name stands before that is declared there, is a key, or is called. */
const NOT_BEHIND = new Set(['=', '=>', ':', '(', ':=', 'from'])

/** The whole of what is returned, where it is more than one value. */
function* returned(code: Code, index: number): Iterable<ValueSpan> {
  const { tokens, pairs } = code
  let to = index
  for (;;) {
    if (pairs[to]! > to) to = pairs[to]!
    const next = tokens[to + 1]
    if (!next || next.text === ';' || next.text === '}' || next.line > tokens[to]!.line) break
    to++
  }
  const span = { from: index, to }
  yield { ...span, text: textOf(code, span), isReturned: true }
}

/** Names and parameters of a function are declared, not handed on. */
function isHeader({ functions }: Code, index: number): boolean {
  return functions.some(({ nameIndex, bodyIndex }) => index > nameIndex && index < bodyIndex)
}

function isShorthand({ tokens, pairs, language }: Code, index: number): boolean {
  const [before, token, after] = [tokens[index - 1]!, tokens[index]!, tokens[index + 1]]
  if (language.family !== 'script' || token.kind !== 'word' || !/^[{,]$/.test(before.text)) return false
  if (after?.text !== ',' && after?.text !== '}') return false
  let opening = index - 1
  while (opening > 0 && !/^[([{]$/.test(tokens[opening]!.text)) opening = pairs[opening]! >= 0 ? pairs[opening]! - 1 : opening - 1
  // `const { a } = b` takes apart and puts nothing together.
  return tokens[opening]?.text === '{' && !/^(?:const|let|var)$/.test(tokens[opening - 1]?.text ?? '')
}

function holderOf({ tokens }: Code, index: number): string | undefined {
  const [holder, sign] = [tokens[index - 2], tokens[index - 1]]
  if (!holder || (sign?.text !== ':' && sign?.text !== '=')) return undefined
  return holder.kind === 'string' ? holder.text.slice(1, -1) : holder.kind === 'word' ? holder.text : undefined
}
