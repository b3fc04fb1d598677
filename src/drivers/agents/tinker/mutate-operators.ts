import type { Code } from './code.ts'
import { replace, type Edit, type EditKind } from './edit.ts'
import { isKeyword } from './keywords.ts'
import type { Language } from './language.ts'
import { isValue } from './operands.ts'
import type { Token } from './tokenize.ts'

/** A wrong operator: `<` for `<=`, `+` for `-`, `&&` for `||`, `=` for `+=`. */
export function* mutateOperators(code: Code): Iterable<Edit> {
  for (const [index, token] of code.tokens.entries()) {
    if (token.kind !== 'operator' && !WORD_OPERATORS.has(token.text)) continue
    if (!isOperatorHere(code, index)) continue
    for (const [replacement, kind, prior] of OPERATORS[token.text] ?? []) {
      if (!isKnownIn(replacement, code.language)) continue
      yield replace(kind, prior, token, token, replacement)
    }
  }
}

type Replacement = readonly [text: string, kind: EditKind, prior: number]

/** For each operator what it is confused with, the likeliest first. Growing loops (`++` for `--`) come last: they may not end. */
export const OPERATORS: Readonly<Record<string, readonly Replacement[]>> = {
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
}

function isKnownIn(operator: string, language: Language): boolean {
  if (operator === '??') return language.family === 'script'
  if (operator === '//') return language.hashComments
  return operator !== '**' || language.family !== 'braces'
}

const WORD_OPERATORS = new Set(['and', 'or'])
const DECLARING = new Set(['const', 'let', 'var', 'val', 'auto', 'int', 'float', 'double', 'char', 'bool', 'string', 'type'])

/** Leaves out signs, type brackets, spreads, defaults of parameters and declarations. */
function isOperatorHere({ tokens, text, language }: Code, index: number): boolean {
  const token = tokens[index]!
  const [before, after] = [tokens[index - 1], tokens[index + 1]]
  if (!before || !after) return false
  if (token.text === '++' || token.text === '--') return true
  if (token.text === '//' && !language.hashComments) return false
  const endsValue = isValue(before, language) || [')', ']'].includes(before.text) || before.kind === 'template'
  if (
    !endsValue ||
    (before.kind === 'word' && before.text !== 'this' && isKeyword(before.text, language) && !isValue(before, language))
  )
    return false
  if (['<', '>', '&', '|', '*'].includes(token.text) && (language.typeBrackets || token.text === '&')) {
    return /\s/.test(text[token.start - 1] ?? '') && /\s/.test(text[token.end] ?? '')
  }
  if (token.text !== '=') return true
  return startsStatement(tokens, index)
}

/** Whether the target of an assignment stands at the start of its line and nothing declares it there. */
function startsStatement(tokens: readonly Token[], index: number): boolean {
  let first = index
  while (first > 0 && tokens[first - 1]!.line === tokens[index]!.line) first--
  return (
    !DECLARING.has(tokens[first]!.text) &&
    tokens.slice(first, index).every(({ text }) => !['(', '{', ';', ':', '@', ','].includes(text))
  )
}
