import type { Language } from './language.ts'

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'regex' | 'comment' | 'operator'

/** A piece of source text; `start` and `end` are offsets into it, `line` counts from 1. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly start: number
  readonly end: number
  readonly line: number
}

/**
 * Cuts source text into tokens. Only white space stands between them, so the text can be put together again from the
 * tokens and the gaps. It never fails: what it does not know becomes an operator of one character.
 */
export function tokenize(source: string, language: Language): Token[] {
  const tokens: Token[] = []
  const rules = rulesOf(language)
  /** Depth of curly brackets inside each `${` that is still open. */
  const templateDepths: number[] = []
  let position = 0
  let line = 1

  const take = (kind: TokenKind, length: number) => {
    const text = source.slice(position, position + length)
    tokens.push({ kind, text, start: position, end: position + length, line })
    line += countNewlines(text)
    position += length
  }

  while (position < source.length) {
    const gap = matchAt(WHITE_SPACE, source, position)
    if (gap > 0) {
      line += countNewlines(source.slice(position, position + gap))
      position += gap
      continue
    }
    const character = source[position]
    if (language.templates && (character === '`' || (character === '}' && templateDepths.at(-1) === 0))) {
      if (character === '}') templateDepths.pop()
      const length = templatePieceLength(source, position)
      if (source.startsWith('${', position + length - 2)) templateDepths.push(0)
      take('template', length)
      continue
    }
    if (templateDepths.length > 0 && (character === '{' || character === '}')) {
      templateDepths[templateDepths.length - 1]! += character === '{' ? 1 : -1
    }
    if (language.templates && character === '/' && mayBeginRegex(tokens.findLast((token) => token.kind !== 'comment'))) {
      const length = matchAt(REGEX, source, position)
      if (length > 0 && !source.startsWith('//', position) && !source.startsWith('/*', position)) {
        take('regex', length)
        continue
      }
    }
    const rule = rules.find(({ pattern }) => matchAt(pattern, source, position) > 0)
    take(rule?.kind ?? 'operator', rule ? matchAt(rule.pattern, source, position) : 1)
  }
  return tokens
}

interface Rule {
  readonly kind: TokenKind
  readonly pattern: RegExp
}

const WHITE_SPACE = /\s+/y
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const NUMBER = /0[xX][\da-fA-F_]+n?|0[bBoO][0-7_]+n?|(?:\d[\d_]*(?:\.\d[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?n?/y
const WORD = /#?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const QUOTED = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y
const OPERATOR =
  />>>=|\.\.\.|===|!==|>>>|\*\*=|<<=|>>=|&&=|\|\|=|\?\?=|\/\/=|=>|->|::|:=|[=!<>]=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|[-+*/%&|^]=|\*\*|<<|>>|\/\/|\.\.|[\s\S]/uy

const COMMON: readonly Rule[] = [
  { kind: 'number', pattern: NUMBER },
  { kind: 'string', pattern: QUOTED },
  { kind: 'word', pattern: WORD },
  { kind: 'operator', pattern: OPERATOR },
]
const SLASH_RULES: readonly Rule[] = [
  { kind: 'comment', pattern: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y },
  { kind: 'string', pattern: /`[^`]*`/y },
  ...COMMON,
]
const HASH_RULES: readonly Rule[] = [
  { kind: 'comment', pattern: /#[^\n]*/y },
  { kind: 'string', pattern: /"""[\s\S]*?"""|'''[\s\S]*?'''/y },
  ...COMMON,
]

function rulesOf(language: Language): readonly Rule[] {
  return language.hashComments ? HASH_RULES : SLASH_RULES
}

/** Length of a piece of a template, from a backtick or the `}` of a substitution to the next backtick or `${`. */
function templatePieceLength(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '`') return at + 1 - start
    else if (source.startsWith('${', at)) return at + 2 - start
  }
  return source.length - start
}

const BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'delete',
  'void',
  'throw',
  'new',
  'do',
  'else',
  'await',
  'yield',
])

/** A slash divides after a value and begins a regular expression anywhere else. */
function mayBeginRegex(previous: Token | undefined): boolean {
  if (!previous) return true
  if (previous.kind === 'word') return BEFORE_REGEX.has(previous.text)
  if (previous.kind === 'template') return previous.text.endsWith('${')
  return previous.kind === 'operator' && ![')', ']', '}', '++', '--'].includes(previous.text)
}

function matchAt(pattern: RegExp, source: string, position: number): number {
  pattern.lastIndex = position
  return pattern.exec(source)?.[0].length ?? 0
}

function countNewlines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
