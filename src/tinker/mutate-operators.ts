import type { Code } from './code.ts'
import { replace, type Edit, type EditKind } from './edit.ts'
import { functionAround } from './find-functions.ts'
import type { Language } from './language.ts'
import { isValue, operandBefore } from './operands.ts'

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

/** For each operator what it is confused with, the likeliest first. Growing loops (`++` for `--`) come last: they may not end. */
export const OPERATORS: ReadonlyMap<string, readonly Replacement[]> = new Map(
  Object.entries<readonly Replacement[]>({
    '<': [
      ['<=', 'comparison', 1],
      ['>', 'comparison', 0.6],
      ['>=', 'comparison', 0.3],
    ],
    '<=': [
      ['<', 'comparison', 1],
      ['>=', 'comparison', 0.6],
      ['>', 'comparison', 0.3],
    ],
    '>': [
      ['>=', 'comparison', 1],
      ['<', 'comparison', 0.6],
      ['<=', 'comparison', 0.3],
    ],
    '>=': [
      ['>', 'comparison', 1],
      ['<=', 'comparison', 0.6],
      ['<', 'comparison', 0.3],
    ],
    '===': [['!==', 'comparison', 0.7]],
    '!==': [['===', 'comparison', 0.7]],
    '==': [['!=', 'comparison', 0.7]],
    '!=': [['==', 'comparison', 0.7]],
    '+': [
      ['-', 'arithmetic', 0.8],
      ['*', 'arithmetic', 0.4],
    ],
    '-': [
      ['+', 'arithmetic', 0.8],
      ['/', 'arithmetic', 0.2],
    ],
    '*': [
      ['/', 'arithmetic', 0.6],
      ['+', 'arithmetic', 0.4],
      ['**', 'arithmetic', 0.1],
    ],
    '/': [
      ['*', 'arithmetic', 0.6],
      ['%', 'arithmetic', 0.4],
      ['//', 'arithmetic', 0.4],
    ],
    '//': [
      ['/', 'arithmetic', 0.6],
      ['%', 'arithmetic', 0.4],
    ],
    '%': [
      ['/', 'arithmetic', 0.4],
      ['*', 'arithmetic', 0.3],
    ],
    '**': [['*', 'arithmetic', 0.4]],
    '+=': [
      ['-=', 'arithmetic', 0.7],
      ['=', 'assignment', 0.4],
      ['*=', 'arithmetic', 0.3],
    ],
    '-=': [
      ['+=', 'arithmetic', 0.7],
      ['=', 'assignment', 0.3],
    ],
    '*=': [
      ['/=', 'arithmetic', 0.5],
      ['+=', 'arithmetic', 0.4],
    ],
    '/=': [['*=', 'arithmetic', 0.5]],
    '=': [
      ['+=', 'assignment', 0.5],
      ['-=', 'assignment', 0.2],
    ],
    '++': [['--', 'arithmetic', 0.15]],
    '--': [['++', 'arithmetic', 0.15]],
    '&&': [['||', 'logic', 0.8]],
    '||': [
      ['&&', 'logic', 0.8],
      ['??', 'logic', 0.5],
    ],
    '??': [['||', 'logic', 0.6]],
    and: [['or', 'logic', 0.8]],
    or: [['and', 'logic', 0.8]],
    '&': [['|', 'logic', 0.3]],
    '|': [['&', 'logic', 0.3]],
    '<<': [['>>', 'arithmetic', 0.4]],
    '>>': [['<<', 'arithmetic', 0.4]],
  }),
)

function isKnownIn(operator: string, language: Language): boolean {
  if (operator === '??') return language.family === 'script'
  if (operator === '//') return language.hashComments
  return operator !== '**' || language.family !== 'braces'
}

const WORD_OPERATORS = new Set(['and', 'or'])

/** Leaves out signs, type brackets, spreads, defaults of parameters and declarations. */
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

/** Whether something that exists is given another value of its own sort here, and nothing is declared. */
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

/** What builds something new cannot be added to what was there. */
const STARTS_VALUE = new Set(['new', '[', '{', 'function', 'async', 'null', 'None', 'true', 'false', 'True', 'False'])
