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
 * Splits source text into tokens with only white space between them. It never fails: an unknown character becomes an operator.
 */
export function tokenize(source: string, language: Language): Token[] {
  const tokens: Token[] = []
  const rules = language.family === 'indented' ? HASH_RULES : SLASH_RULES
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
    if (language.family === 'script' && (character === '`' || (character === '}' && templateDepths.at(-1) === 0))) {
      if (character === '}') templateDepths.pop()
      const length = templatePieceLength(source, position)
      if (source.startsWith('${', position + length - 2)) templateDepths.push(0)
      take('template', length)
      continue
    }
    if (templateDepths.length > 0 && (character === '{' || character === '}')) {
      templateDepths[templateDepths.length - 1]! += character === '{' ? 1 : -1
    }
    if (
      language.family === 'script' &&
      character === '/' &&
      mayBeginRegex(tokens.findLast((token) => token.kind !== 'comment'))
    ) {
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

/** Length of a piece of a template, from a backtick or the `}` of a substitution to the next backtick or `${`. */
function templatePieceLength(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '`') return at + 1 - start
    else if (source.startsWith('${', at)) return at + 2 - start
  }
  return source.length - start
}

const BEFORE_REGEX = new Set('return typeof case in of delete void throw new do else await yield'.split(' '))

/** After a value a slash divides, anywhere else it starts a regular expression. */
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

/** What the tokenizer and the mutations need to know about a language; the check decides the rest. */
export interface Language {
  /**
   * In `script`, backticks contain `${…}`, and a slash may start a regular expression. In `indented`, `#` starts a comment, and
   * `//` is an operator.
   */
  readonly family: 'script' | 'indented' | 'braces'
  /** `<` and `>` may be type brackets, so they count as comparisons only with a space on both sides. */
  readonly typeBrackets: boolean
}

/** A file's language by its extension; `undefined` if tinker can't read it. */
export function languageOf(path: string): Language | undefined {
  return LANGUAGES.get(path.slice(path.lastIndexOf('.') + 1))
}

const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  (
    [
      ['js mjs cjs', 'script', false],
      ['jsx ts mts cts tsx', 'script', true],
      ['py', 'indented', false],
      ['go c h php', 'braces', false],
      ['cc cpp hpp cs java kt rs swift', 'braces', true],
    ] as const
  ).flatMap(([extensions, family, typeBrackets]) =>
    extensions.split(' ').map((extension) => [extension, { family, typeBrackets }]),
  ),
)

/** Whether a word is a keyword, and therefore never a name. */
export function isKeyword(word: string, language: Language): boolean {
  return KEYWORDS[language.family].has(word)
}

/** Words that import other files if they start a line. */
export const IMPORT_WORDS: ReadonlySet<string> = new Set('import from require include #include use mod package'.split(' '))

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const KEYWORDS: Readonly<Record<Language['family'], ReadonlySet<string>>> = {
  script: words(
    `abstract as async await break case catch class const continue declare default delete do else enum export extends false
    finally for function if implements import in infer instanceof interface keyof let namespace new null of private
    protected public readonly return satisfies static super switch this throw true try typeof undefined var void while
    with yield`,
  ),
  indented: words(
    `and as assert async await break case class continue def del elif else except False finally for from global if import
    in is lambda None nonlocal not or pass raise return self True try while with yield`,
  ),
  braces: words(
    `as async auto await bool boolean break byte case catch chan char class const continue crate default defer delete do
    double else enum export extends extern false final finally float float64 fn for foreach fun func function go goto
    guard if impl implements import in include instanceof int int32 int64 interface let long loop map match mod mut
    namespace native new nil null nullptr operator override package private protected pub public range return self
    short signed sizeof static string struct super switch template this throw throws trait true try type typedef typeof
    union unsafe unsigned use using val var virtual void volatile where while yield`,
  ),
}
