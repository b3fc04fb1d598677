import { argumentsIn, type Code, functionAround, isImportLine, isValue, operandAfter, operandBefore } from './code.ts'
import { type Edit, type EditKind, insert, replace } from './edit.ts'
import type { Language, Token } from './tokenize.ts'

/** A wrong operator: `<` for `<=`, `+` for `-`, `&&` for `||`, `=` for `+=`. */
export function* mutateOperators(code: Code): Iterable<Edit> {
  for (const [index, token] of code.tokens.entries()) {
    if (token.kind !== 'operator' && !WORD_OPERATORS.has(token.text)) continue
    if (!isOperatorHere(code, index)) continue
    for (const [replacement, kind, prior] of OPERATORS.get(token.text) ?? []) {
      if (!isKnownIn(replacement, code.language)) continue
      yield replace(kind, prior, token, token, replacement)
    }
  }
}

type Replacement = readonly [text: string, kind: EditKind, prior: number]

/** What each operator is confused with and how often, likeliest first. Growing loops (`++` for `--`) come last: they may not end. */
export const OPERATORS: ReadonlyMap<string, readonly Replacement[]> = new Map(
  (
    [
      ['<', 'comparison', { '<=': 1, '>': 0.6, '>=': 0.3 }],
      ['<=', 'comparison', { '<': 1, '>=': 0.6, '>': 0.3 }],
      ['>', 'comparison', { '>=': 1, '<': 0.6, '<=': 0.3 }],
      ['>=', 'comparison', { '>': 1, '<=': 0.6, '<': 0.3 }],
      ['===', 'comparison', { '!==': 0.7 }],
      ['!==', 'comparison', { '===': 0.7 }],
      ['==', 'comparison', { '!=': 0.7 }],
      ['!=', 'comparison', { '==': 0.7 }],
      ['+', 'arithmetic', { '-': 0.8, '*': 0.4 }],
      ['-', 'arithmetic', { '+': 0.8, '/': 0.2 }],
      ['*', 'arithmetic', { '/': 0.6, '+': 0.4, '**': 0.1 }],
      ['/', 'arithmetic', { '*': 0.6, '%': 0.4, '//': 0.4 }],
      ['//', 'arithmetic', { '/': 0.6, '%': 0.4 }],
      ['%', 'arithmetic', { '/': 0.4, '*': 0.3 }],
      ['**', 'arithmetic', { '*': 0.4 }],
      ['+=', 'arithmetic', { '-=': 0.7, '=': 0.4, '*=': 0.3 }],
      ['-=', 'arithmetic', { '+=': 0.7, '=': 0.3 }],
      ['*=', 'arithmetic', { '/=': 0.5, '+=': 0.4 }],
      ['/=', 'arithmetic', { '*=': 0.5 }],
      ['=', 'assignment', { '+=': 0.5, '-=': 0.2 }],
      ['++', 'arithmetic', { '--': 0.15 }],
      ['--', 'arithmetic', { '++': 0.15 }],
      ['&&', 'logic', { '||': 0.8 }],
      ['||', 'logic', { '&&': 0.8, '??': 0.5 }],
      ['??', 'logic', { '||': 0.6 }],
      ['and', 'logic', { or: 0.8 }],
      ['or', 'logic', { and: 0.8 }],
      ['&', 'logic', { '|': 0.3 }],
      ['|', 'logic', { '&': 0.3 }],
      ['<<', 'arithmetic', { '>>': 0.4 }],
      ['>>', 'arithmetic', { '<<': 0.4 }],
    ] as readonly (readonly [string, EditKind, Readonly<Record<string, number>>])[]
  ).map(([operator, kind, priors]) => [
    operator,
    Object.entries(priors).map(([text, prior]) => [text, text === '=' ? 'assignment' : kind, prior]),
  ]),
)

function isKnownIn(operator: string, language: Language): boolean {
  if (operator === '??') return language.family === 'script'
  if (operator === '//') return language.hashComments
  return operator !== '**' || language.family !== 'braces'
}

const WORD_OPERATORS = new Set(['and', 'or'])

/** Excludes signs, type brackets, spreads, parameter defaults and declarations. */
function isOperatorHere(code: Code, index: number): boolean {
  const { tokens, text, language } = code
  const token = tokens[index]!
  const [before, after] = [tokens[index - 1], tokens[index + 1]]
  if (!before || !after) return false
  if (token.text === '++' || token.text === '--') return true
  if (token.text === '//' && !language.hashComments) return false
  const endsValue = isValue(before, language) || [')', ']'].includes(before.text) || before.kind === 'template'
  if (!endsValue) return false
  if (['<', '>', '&', '|', '*'].includes(token.text) && (language.typeBrackets || token.text === '&')) {
    return /\s/.test(text[token.start - 1] ?? '') && /\s/.test(text[token.end] ?? '')
  }
  return token.text !== '=' || isAssignment(code, index)
}

/** Whether this assigns to something that exists, rather than declaring it or giving it a new kind of value. */
function isAssignment(code: Code, index: number): boolean {
  const { tokens } = code
  const target = operandBefore(code, index - 1)
  if (!target || STARTS_VALUE.has(tokens[index + 1]!.text)) return false
  const [name, around] = [tokens[target.from]!.text, functionAround(code.functions, index)]
  const isKnown = target.from < target.to || tokens.slice(around?.nameIndex ?? 0, target.from).some(({ text }) => text === name)
  if (!isKnown) return false
  const before = tokens[target.from - 1]
  if (!before || before.line < tokens[target.from]!.line) return true
  return [';', ')', 'else'].includes(before.text) || (before.text === '{' && tokens[target.from - 2]?.text === ')')
}

/** A newly built value can't be added to the previous one. */
const STARTS_VALUE = new Set(['new', '[', '{', 'function', 'async', 'null', 'None', 'true', 'false', 'True', 'False'])

/** A wrong literal: `true` for `false`, a number that is one off, a text's case, a missing regex flag. */
export function* mutateLiterals({ tokens }: Code): Iterable<Edit> {
  for (const [index, token] of tokens.entries()) {
    const opposite = BOOLEANS.get(token.text)
    if (token.kind === 'word' && opposite && tokens[index - 1]?.text !== '.')
      yield replace('literal', 0.7, token, token, opposite)
    if (token.kind === 'number') yield* mutateNumber(token)
    if (token.kind === 'string' && !isImportLine(tokens, index)) yield* mutateCase(token)
    if (token.kind === 'regex') yield* mutateFlags(token)
  }
}

const BOOLEANS = new Map([
  ['true', 'false'],
  ['false', 'true'],
  ['True', 'False'],
  ['False', 'True'],
])

function* mutateNumber(token: Token): Iterable<Edit> {
  const value = Number(token.text)
  if (!/^[\d.]+$/.test(token.text) || !Number.isSafeInteger(Math.trunc(value))) return
  const edit = (prior: number, replacement: number) => replace('number', prior, token, token, String(replacement))
  if (Number.isInteger(value)) {
    // Small numbers are counts and bounds, where people are off by one; large ones are mostly identifiers.
    const prior = value <= 2 ? 0.7 : value <= 20 ? 0.4 : 0.2
    yield edit(prior, value + 1)
    yield edit(value === 0 ? 0.25 : prior, value - 1)
    if (value > 1) yield edit(0.15, 0)
  }
  if (value !== 0 && value !== 1) {
    yield edit(0.2, Number((value * 10).toPrecision(12)))
    yield edit(0.2, Number((value / 10).toPrecision(12)))
  }
}

function* mutateCase(token: Token): Iterable<Edit> {
  const [quote, text] = [token.text[0]!, token.text.slice(1, -1)]
  if (!/^[\p{L}\p{N} _.,:;!?-]+$/u.test(text)) return
  const forms = [text.toLowerCase(), text.toUpperCase(), text[0]!.toUpperCase() + text.slice(1).toLowerCase()]
  for (const form of new Set(forms)) {
    if (form !== text) yield replace('text', 0.2, token, token, quote + form + quote)
  }
}

function* mutateFlags(token: Token): Iterable<Edit> {
  const end = token.text.lastIndexOf('/') + 1
  const [pattern, present] = [token.text.slice(0, end), token.text.slice(end)]
  for (const flag of ['g', 'i']) {
    const changed = present.includes(flag) ? present.replace(flag, '') : present + flag
    yield replace('text', 0.5, token, token, pattern + changed)
  }
}

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
