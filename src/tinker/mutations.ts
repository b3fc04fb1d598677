import { functionAround, isValue, type Code } from './code.ts'
import { type Edit, replace, type Vocabulary } from './edit.ts'
import { mutateNames, siblingsOf } from './mutate-names.ts'
import { isKeyword, type Language, type Token } from './tokenize.ts'

/** All edits for a file, one for each resulting text, with the highest prior. */
export function editsOf(code: Code, vocabulary: Vocabulary): Edit[] {
  const edits = new Map<string, Edit>()
  const proposed = [...mutateTokens(code), ...mutateByRules(code), ...mutateLines(code), ...mutateNames(code, vocabulary)]
  for (const edit of proposed) {
    const key = `${edit.start} ${edit.end} ${edit.replacement}`
    const isChange = code.text.slice(edit.start, edit.end) !== edit.replacement
    if (isChange && (edits.get(key)?.prior ?? 0) < edit.prior) edits.set(key, edit)
  }
  return [...edits.values()]
}

/** A wrong operator, literal or library function: one token for another. */
function* mutateTokens(code: Code): Iterable<Edit> {
  const { tokens, functions, language } = code
  for (const [index, token] of tokens.entries()) {
    if (code.isImport[index]) continue
    if (token.kind === 'number') yield* mutateNumber(token)
    if (token.kind === 'string') yield* mutateCase(token)
    if (token.kind === 'regex') yield* mutateFlags(token)
    const opposite = tokens[index - 1]?.text === '.' ? undefined : BOOLEANS.get(token.text)
    if (opposite) yield replace(0.7, token, opposite)
    const isCalled = tokens[index + 1]?.text === '(' && !functions.some((span) => span.nameIndex === index)
    for (const [place, sibling] of (isCalled ? siblingsOf(token.text) : []).entries())
      yield replace(0.7 - place * 0.15, token, sibling)
    for (const [text, prior] of isOperatorHere(code, index) ? (OPERATORS.get(token.text) ?? []) : [])
      if (isKnownIn(text, language)) yield replace(prior, token, text)
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
  const edit = (prior: number, replacement: number) => replace(prior, token, String(replacement))
  if (Number.isInteger(value)) {
    // Small numbers are counts and bounds, where people are off by one; large ones are mostly identifiers.
    const prior = value <= 2 ? 0.7 : value <= 20 ? 0.4 : 0.2
    yield edit(prior, value + 1)
    yield edit(value === 0 ? 0.25 : prior, value - 1)
    if (value > 1) yield edit(0.15, 0)
  }
  for (const scaled of value === 0 || value === 1 ? [] : [value * 10, value / 10]) yield edit(0.2, Number(scaled.toPrecision(12)))
}

function* mutateCase(token: Token): Iterable<Edit> {
  const [quote, text] = [token.text[0]!, token.text.slice(1, -1)]
  if (!/^[\p{L}\p{N} _.,:;!?-]+$/u.test(text)) return
  for (const form of [text.toLowerCase(), text.toUpperCase(), text[0]!.toUpperCase() + text.slice(1).toLowerCase()])
    yield replace(0.2, token, quote + form + quote)
}

function* mutateFlags(token: Token): Iterable<Edit> {
  const end = token.text.lastIndexOf('/') + 1
  const [pattern, present] = [token.text.slice(0, end), token.text.slice(end)]
  for (const flag of ['g', 'i'])
    yield replace(0.5, token, pattern + (present.includes(flag) ? present.replace(flag, '') : present + flag))
}

type Replacement = readonly [text: string, prior: number]

/** What each operator is confused with and how often, likeliest first. Growing loops (`++` for `--`) come last: they may not end. */
export const OPERATORS: ReadonlyMap<string, readonly Replacement[]> = new Map(
  (
    [
      ['<', { '<=': 1, '>': 0.6, '>=': 0.3 }],
      ['<=', { '<': 1, '>=': 0.6, '>': 0.3 }],
      ['>', { '>=': 1, '<': 0.6, '<=': 0.3 }],
      ['>=', { '>': 1, '<=': 0.6, '<': 0.3 }],
      ['===', { '!==': 0.7 }],
      ['!==', { '===': 0.7 }],
      ['==', { '!=': 0.7 }],
      ['!=', { '==': 0.7 }],
      ['+', { '-': 0.8, '*': 0.4 }],
      ['-', { '+': 0.8, '/': 0.2 }],
      ['*', { '/': 0.6, '+': 0.4, '**': 0.1 }],
      ['/', { '*': 0.6, '%': 0.4, '//': 0.4 }],
      ['//', { '/': 0.6, '%': 0.4 }],
      ['%', { '/': 0.4, '*': 0.3 }],
      ['**', { '*': 0.4 }],
      ['+=', { '-=': 0.7, '=': 0.4, '*=': 0.3 }],
      ['-=', { '+=': 0.7, '=': 0.3 }],
      ['*=', { '/=': 0.5, '+=': 0.4 }],
      ['/=', { '*=': 0.5 }],
      ['++', { '--': 0.15 }],
      ['--', { '++': 0.15 }],
      ['&&', { '||': 0.8 }],
      ['||', { '&&': 0.8, '??': 0.5 }],
      ['??', { '||': 0.6 }],
      ['and', { or: 0.8 }],
      ['or', { and: 0.8 }],
    ] as readonly (readonly [string, Readonly<Record<string, number>>])[]
  ).map(([operator, priors]) => [operator, Object.entries(priors)]),
)

function isKnownIn(operator: string, language: Language): boolean {
  if (operator === '??') return language.family === 'script'
  if (operator === '//') return language.family === 'indented'
  return operator !== '**' || language.family !== 'braces'
}

/** Excludes signs, spreads and type brackets. */
function isOperatorHere({ tokens, text, language }: Code, index: number): boolean {
  const [before, token, after] = [tokens[index - 1], tokens[index]!, tokens[index + 1]]
  if (token.text === '++' || token.text === '--') return true
  if (!before || !after || (token.text === '//' && language.family !== 'indented')) return false
  if (!isValue(before, language) && !/[)\]`]$/.test(before.text)) return false
  const mayBeType = language.typeBrackets && ['<', '>', '*'].includes(token.text)
  return !mayBeType || /^\s\S+\s$/.test(text.slice(token.start - 1, token.end + 1))
}

/** A slip that a pattern finds: the match in the masked source becomes each of the texts, where `$1` is a group's real text. */
type Rule = readonly [prior: number, RegExp, into: readonly string[], only?: Language['family']]

/** A pattern for masked source. */
export const pattern = (source: TemplateStringsArray, ...parts: readonly string[]) =>
  new RegExp(String.raw(source, ...parts), 'gmd')

/** What is between brackets, two levels deep. */
const INSIDE = String.raw`(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))`
/** A value: a name or literal with its member accesses and calls. */
export const VALUE = String.raw`(?<![\w$.#)\]])(?:await )?[\w$#]+(?:\??\.[\w$#]+|\(${INSIDE}*\)|\[[^[\]\n]*\])*`
/** One side of `&&`: no other connective, and nothing that ends an expression. */
const CLAUSE = String.raw`(?:!?\(${INSIDE}*\)|[\w$.!<>=+*/%#[\]-]|\(${INSIDE}*\)| (?![&|?:{]|and |or ))+`
const CONNECTIVE = String.raw`(?:&&|\|\||and|or)`
const COUNTING = 'slice|substring|splice|range|at|charAt|padStart|padEnd|repeat|setDate|setUTCDate'
const NO_NUMBER = String.raw`new|[[{]|function|async|null|None|true|false|True|False`
const NO_CALL = 'if|for|while|switch|catch|return|await|function'
const STEPS = [' - 1', ' + 1']

const RULES: readonly Rule[] = [
  // Off by one.
  [0.6, pattern`(?<=[\w)\]])\s*[-+] ?1\b(?!\.)`, ['']],
  [0.5, pattern`(?<=\.(?:length|size)\b)(?!\s*[-+])`, [' - 1']],
  [0.4, pattern`(?<=\w\[[a-zA-Z]\w*)(?=\])`, STEPS],
  [0.3, pattern`(?<=[\w)\]] [<>]=? [a-z][\w$.]*)(?<!\.length)(?![\w$.(<[]| [-+])`, STEPS],
  [0.4, pattern`(?<=\b(?:${COUNTING})\((?:[^()]*, )?[a-zA-Z][\w$.]*)(?=[,)])`, STEPS],
  // A condition that is the wrong way round, or asks too much.
  [0.7, pattern`!(?=[\w$(#])|\bnot (?!in\b)`, ['']],
  [0.6, pattern`(?<=\bif ?\()([\w$.#()[\]]+)(?=\))`, ['!($1)']],
  [0.2, pattern`(?<=\bif ?\()(${INSIDE}+)(?=\))`, ['!($1)']],
  [0.05, pattern`(?<=\bwhile ?\()(${INSIDE}+)(?=\))`, ['!($1)']],
  [0.3, pattern`(?<=\b(?:if|elif) )([^:\n]+)(?=:)`, ['not ($1)'], 'indented'],
  [0.3, pattern`(?<=\bif )([^(\n][^{\n]*)(?= \{)`, ['!($1)'], 'braces'],
  [0.25, pattern`(?<=(?:=>|return) )(?=[a-z_$][\w$.]*(?:\([^()\n]*\))?(?:[),;}]|$))`, ['!'], 'script'],
  [0.3, pattern`(?<=${CONNECTIVE} )(?=[a-z_$][\w$.]*(?![\w$.[(]| ?[<>=!]))`, ['!'], 'script'],
  [0.3, pattern`(?<=[\w)\]]) ${CONNECTIVE} ${CLAUSE}`, ['']],
  [0.3, pattern`(?<=\(|return |=> |[^=!<>]= |if )${CLAUSE} ${CONNECTIVE} `, ['']],
  // The wrong order.
  [0.5, pattern`(?<=[\w$]\((?:[^()\n]*, )?)(${VALUE}), (${VALUE})(?=[,)])`, ['$2, $1']],
  [0.5, pattern`(?<=[\w$]\([^(),\n]*, )(${VALUE}), (${VALUE})(?=[,)])`, ['$2, $1']],
  [0.5, pattern`(${VALUE}) ([-/%]) (${VALUE})`, ['$3 $2 $1']],
  [0.4, pattern`(${VALUE} [-+] ${VALUE})(?= [*/])|(?<=[*/] )(${VALUE} [-+] ${VALUE})`, ['($1$2)']],
  [0.4, pattern`(?<=[^?]\? )([^?:\n]+)( : )([^?:,;)\n]+)`, ['$3$2$1']],
  // A call that is not quite the right one.
  [0.15, pattern`\bawait `, [''], 'script'],
  [0.4, pattern`(?<=(?:[^=!<>]=|\breturn) |^[ \t]+)(?=(?!(?:${NO_CALL})\b)[a-z_$][\w$.#]*\()`, ['await '], 'script'],
  [0.6, pattern`(?<=\.sort\()(?=\))`, ['(a, b) => a - b'], 'script'],
  [0.4, pattern`(?<=[\w)\]])(?=\.(?:sort|reverse)\()`, ['.slice()'], 'script'],
  [0.1, pattern`(?<=\b[a-z_$][\w$]*|[)\]])\.(?=[a-z_$])`, ['?.'], 'script'],
  // A total that is overwritten.
  [0.75, pattern`(?<=(?:^|[;)]|\belse)[ \t]*[a-z_$][\w$.#[\]]* )=(?= (?!${NO_NUMBER}))`, ['+=']],
]

function* mutateByRules(code: Code): Iterable<Edit> {
  for (const [prior, slip, into, only] of RULES) {
    if (only && only !== code.language.family) continue
    for (const { indices = [] } of code.masked.matchAll(slip)) {
      const [start, end] = indices[0]!
      if (into[0] === 'await ' && !isInAsync(code, start)) continue
      const groups = indices.map((place) => (place ? code.text.slice(...place) : ''))
      for (const template of into) {
        const replacement = template.replaceAll(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? '')
        yield { prior, start, end, replacement }
      }
    }
  }
}

function isInAsync({ tokens, functions }: Code, offset: number): boolean {
  const index = tokens.findLastIndex(({ start }) => start <= offset)
  const around = functionAround(functions, index)
  return (
    around !== undefined && tokens.slice(Math.max(0, around.nameIndex - 3), around.bodyIndex).some(({ text }) => text === 'async')
  )
}

/** A whole line that is wrong: one too many, two in the wrong order, a missing guard or `return`. */
function* mutateLines(code: Code): Iterable<Edit> {
  const lines = statementLines(code)
  for (const [index, { start, end, text, area, isLast }] of lines.entries()) {
    const isGuard = GUARD.test(text)
    if (isGuard || !FLOW.test(text)) yield { prior: 0.25, start, end, replacement: '' }
    const next = lines[index + 1]
    if (next?.start === end && next.area === area)
      yield {
        prior: 0.12,
        start,
        end: next.end,
        replacement: code.text.slice(end, next.end) + code.text.slice(start, end),
      }
    const begin = end - code.text.slice(start, end).trimStart().length
    // An expression that does nothing was meant to be used.
    if (isLast && !FLOW.test(text) && !/[^=!<>]=[^=>]/.test(text))
      yield {
        prior: /[(`]|\+\+|--|\b(?:delete|await|yield)\b/.test(text) ? 0.3 : 0.9,
        start: begin,
        end: begin,
        replacement: 'return ',
      }
    const subject = isGuard && text.match(/[A-Za-z_$][\w$]*/g)?.find((word) => !isKeyword(word, code.language))
    const others = subject ? lines.filter((other, at) => other.area !== area && lines[at - 1]?.area !== other.area) : []
    for (const other of others.filter((each) => each.words.has(subject || '')))
      yield { prior: 0.1, start: other.start, end: other.start, replacement: code.text.slice(start, end) }
  }
}

const GUARD = /^if\b.*\b(?:return|throw|continue|break|raise)\b/
const FLOW =
  /^(?:return|if|for|while|switch|try|do|import|export|from|class|def|func|function|fn|package|pass|throw|raise|break|continue|const|let|var|val)\b|:=|^@/

interface StatementLine {
  readonly start: number
  /** Behind the end of the line. */
  readonly end: number
  /** Masked, without blanks around it. */
  readonly text: string
  /** The function around it, and the words in that function. */
  readonly area: number
  readonly words: ReadonlySet<string>
  /** Whether it is the last one of its block. */
  readonly isLast: boolean
}

/** The lines inside functions that are one whole statement each. */
function statementLines(code: Code): readonly StatementLine[] {
  const { masked, functions, tokens, language } = code
  const lines = masked.split('\n')
  let start = 0
  return lines.flatMap((line, index) => {
    const end = Math.min(masked.length, start + line.length + 1)
    const place = { start, end, text: line.trim() }
    start = end
    const isInside = ({ firstLine, lastLine }: Code['functions'][number]) =>
      index + 1 > firstLine && (index + 1 < lastLine || (language.family === 'indented' && index < lastLine))
    const area = functions.findLastIndex(isInside)
    const next = lines[index + 1]?.trim() ?? ''
    const isWhole = !/^$|^[)\]}.?:&|+*/,]|^(?:else|elif|catch|except|finally|case|default)\b|^\w+: |[,([{=&|?:.+*/-]$/.test(
      place.text,
    )
    if (area < 0 || !isWhole || depth(place.text) !== 0 || /^[.?:&|+*/,)]/.test(next)) return []
    const { nameIndex, endIndex } = functions[area]!
    const words = new Set(tokens.slice(nameIndex + 1, endIndex).map(({ text }) => text))
    return [{ ...place, area, words, isLast: language.family === 'script' && next.startsWith('}') }]
  })
}

/** How many brackets are open at the end of a text. */
export function depth(text: string): number {
  return (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0)
}
