import type { TestLine } from './test-lines.ts'

/** One assertion with all its lines. */
export interface Assertion {
  readonly test: string
  /** Its first line that was changed, or its first one. */
  readonly line: TestLine
  readonly isChanged: boolean
  /** Without what formatting changes. */
  readonly text: string
  /** `exact` names what is expected, `loose` only that there is something, `trivial` always holds. */
  readonly strength: 'exact' | 'loose' | 'trivial'
  readonly matcher: string
  readonly operands: readonly string[]
}

/** The assertions on one side of a hunk. */
export function assertionsIn(lines: readonly TestLine[]): Assertion[] {
  const found: Assertion[] = []
  const depths: number[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as TestLine
    const start = line.part === 'comment' ? -1 : assertionStart(line.text)
    if (start === -1) continue
    const end = statementEnd(lines, index, start, depths)
    const own = lines.slice(index, end + 1)
    const text = normalised(own.map((each, place) => (place === 0 ? each.text.slice(start) : each.text)).join(' '))
    const changed = own.find((each) => each.sign !== ' ')
    found.push({ test: line.test, line: changed ?? line, isChanged: changed !== undefined, text, ...judged(text) })
    index = end
  }
  return found
}

/** Whether a line calls something that sounds like a check of our own: what was asserted may have gone there. */
export function callsHelper(text: string): boolean {
  return /\b(?:expect|assert|check|verify|ensure|require|should|must|matches|validate)\w*\s*[.(!]/i.test(text)
}

/** Whether two assertions are about the same thing. */
export function isSameSubject(one: Assertion, other: Assertion): boolean {
  return one.operands.some((operand) => operand.length > 1 && other.operands.includes(operand))
}

/** Whether one may be the other, put into other words: the same matcher over much the same text. */
export function isAlike(one: Assertion, other: Assertion): boolean {
  if (one.matcher !== other.matcher || other.strength !== 'exact') return false
  const words = new Set(other.text.match(/\w+/g) ?? [])
  const own = one.text.match(/\w+/g) ?? []
  return own.filter((word) => words.has(word)).length * 2 >= own.length
}

/** Whether one says the contrary of the other. */
export function isContrary(one: Assertion, other: Assertion): boolean {
  return one.text !== other.text && plain(one.text) === plain(other.text)
}

/** Whether one names a value and the other only some of it, one of several, or one that it is not. */
export function isVaguer(one: Assertion, now: Assertion): boolean {
  if (!isSameSubject(one, now) || one.strength !== 'exact' || !EQUAL.test(one.matcher)) return false
  return PARTIAL.test(now.matcher) || NEGATED.test(now.matcher)
}

/** Whether only the words for a failure differ: `assert.equal(a, b, 'why')`. */
export function isSameButWords(one: Assertion, now: Assertion): boolean {
  if (one.matcher !== now.matcher || one.matcher.startsWith('.')) return false
  const [fewer, more] = one.operands.length <= now.operands.length ? [one, now] : [now, one]
  if (fewer.operands.length < 2 && !fewer.text.startsWith('assert ')) return false
  const rest = more.operands.slice(fewer.operands.length)
  return fewer.operands.every((each, index) => each === more.operands[index]) && rest.every((each) => /^[a-z]?'/.test(each))
}

const EQUAL = /^(?:===?|is)$|^\.(?:to\.)?(?:toBe|toEqual|toStrictEqual|equal|eql|deep\.equal)$|[eE]quals?$|assert_eq$/
const PARTIAL = /^in$|^\.(?:toMatchObject|toBeTypeOf)$|partialDeep\w*Equal$|assertIn$|assertIsInstance$/
const NEGATED = /^(?:!==?|not in|is not)$|^\.(?:to\.)?not\.|not(?:Strict|Deep|DeepStrict)?Equal$|assertNotEquals?$|assert_ne$/i

const STATEMENT_LINES_MAX = 30

const ASSERTION =
  /(?<![\w.'"`]|\bfunction |\bdef |\bfunc |\bfn |\bvoid )(?:expect\w*\s*[({]|(?:self\.|this\.|\$this->|self::)?assert\w*!?\s*\(|assert\.\w+\(|Assert\.\w+(?:<[^>]*>)?\(|assert\s+(?![=:])\S|(?:require|should)\.\w+\(|XCTAssert\w*\(|ASSERT_\w+\(|EXPECT_\w+\(|REQUIRE\(|t\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow|is|not|deepEqual|equal|same|ok|true|false|truthy|falsy|throws\w*|rejects|match|like)\()|\.should\b/

function assertionStart(text: string): number {
  if (/^\s*(?:import|from|use|using|export|const\s+\{?[\s\w,]*\}?\s*=\s*require|#include)\b/.test(text)) return -1
  return ASSERTION.exec(text)?.index ?? -1
}

/** The last line of a statement: where its brackets close and no `.` goes on. `depths` keeps what each line opens. */
function statementEnd(lines: readonly TestLine[], first: number, start: number, depths: number[]): number {
  let depth = 0
  let index = first
  for (; index < Math.min(lines.length, first + STATEMENT_LINES_MAX); index += 1) {
    const text = lines[index]?.text ?? ''
    depth += index === first ? depthOf(text.slice(start)) : (depths[index] ??= depthOf(text))
    if (depth <= 0 && !/^\s*\./.test(lines[index + 1]?.text ?? '')) return index
  }
  return depth > 0 ? first : index - 1
}

function depthOf(text: string): number {
  const code = text.replaceAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '')
  return (code.match(/[([{]/g)?.length ?? 0) - (code.match(/[)\]}]/g)?.length ?? 0)
}

function normalised(text: string): string {
  return text
    .replaceAll(/["`]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([()[\]{},.;]) ?/g, '$1')
    .replaceAll(/,([)\]}])/g, '$1')
    .replace(/[;,]+$/, '')
    .trim()
}

function judged(text: string): Pick<Assertion, 'strength' | 'matcher' | 'operands'> {
  const { matcher, operands } = partsOf(text)
  if (TRIVIAL.some((pattern) => pattern.test(text))) return { strength: 'trivial', matcher, operands }
  const isLoose = LOOSE.some((pattern) => pattern.test(text)) || (BARE.test(text) && !COMPARES.test(text))
  return { strength: isLoose ? 'loose' : 'exact', matcher, operands }
}

const TRIVIAL: readonly RegExp[] = [
  /^expect\((?:true|false|\d+|'[^']*'|null|undefined)\)/,
  /^(?:\w+[.:>-]+)?assert\w*(?:\.\w+)?!?[( ](?:t,)?(?:true|True|1|not False)(?:[,)]|$)/i,
  /^(?:\w+[.:>-]+)?assert\w*(?:\.\w+)?!?\((?:t,)?('[^']*'|\w+),\1\)/i,
  /^assert (\S+) ?== ?\1$/,
]

const LOOSE: readonly RegExp[] = [
  /\.(?:toBeDefined|toBeTruthy|toBeFalsy|toBeInstanceOf|toHaveBeenCalled|toBeInTheDocument)\(/,
  /\.not\.(?:toBeNull|toBeUndefined|toBeFalsy|toBeNaN|toThrow\w*|toBeNil)\(/,
  /\.(?:toBe|toEqual|toStrictEqual)\(expect\.(?:anything\(\)|any\(\w+\))\)/,
  /\.to\.(?:exist|be\.ok|be\.an?\(|not\.be\.(?:undefined|null))|\.to\.be\.not\.null/,
  /\.(?:not_to|to_not) be_nil|\.to be_(?:truthy|falsey|present|an?\b|instance_of|kind_of)/,
  /assert\.(?:doesNotThrow|exists|isDefined|isOk|isNotNull)\(/,
  /assert(?:IsNotNone|IsInstance|NotNull|NotNil|DoesNotThrow|InstanceOf)\(|\.(?:NotNull|IsNotNull|NotNil|NotEmpty|IsType|IsInstanceOf\w*)\(/,
  /^assert .*\bis not None$|^assert isinstance\(|^assert hasattr\(/,
]

/** Assertions that say no more than what stands in them. */
const BARE =
  /^assert |^(?:\w+[.:>-]+)?assert(?:\.ok|\.isTrue|\.True|True|_true|\.truthy)?!?\(|^Assert\.(?:True|IsTrue|That)\(|^t\.(?:ok|true|truthy)\(|^(?:EXPECT|ASSERT)_TRUE\(/

const COMPARES =
  /[=!]==?|[<>]=?|\bin\b|\bis\b(?! not None)|\bnot\b|\.(?:equals|contains|includes|startsWith|endsWith|has|every|some|test|match\w*|eq|Equal\w*|starts_with|ends_with|is_empty)\(|\bmatches!/

function partsOf(text: string): { readonly matcher: string; readonly operands: readonly string[] } {
  const call = /^([\w.:>$!-]+?)!?(?:<[^>]*>)?\(/.exec(text)
  if (!call) {
    const [, left = '', operator = '', right = ''] =
      /^assert (.*?)(?: ?(===?|!==?|<=?|>=?|\bnot in\b|\bin\b|\bis not\b|\bis\b) ?(.*))?$/.exec(text) ?? []
    // `assert x == y, 'why'`: what is said when it fails is no part of it.
    return { matcher: operator.trim(), operands: [left.trim(), topLevel(right)[0] ?? ''].filter((each) => each !== '') }
  }
  const inner = balanced(text, call[0].length)
  const rest = text.slice(call[0].length + inner.length + 1)
  if (call[1]?.startsWith('expect') !== true) return { matcher: call[1] ?? '', operands: topLevel(inner) }
  return { matcher: /^(?:\.\w+)+(?: \w+)?/.exec(rest)?.[0] ?? '', operands: topLevel(inner).slice(0, 1) }
}

/** What stands between the bracket that ends before `start` and the one that closes it. */
function balanced(text: string, start: number): string {
  let depth = 1
  for (let index = start; index < text.length; index += 1) {
    const character = text[index] as string
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (depth === 0) return text.slice(start, index)
  }
  return text.slice(start)
}

function topLevel(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const character of list) {
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth -= 1
    if (character === ',' && depth === 0) {
      parts.push(part)
      part = ''
    } else part += character
  }
  return [...parts, part].map((each) => each.trim()).filter((each) => each !== '' && each !== 't')
}

/** The statement without its yes or no. */
function plain(text: string): string {
  return text
    .replaceAll(/\.not\.|\.to\.not\./g, '.')
    .replaceAll(/\.(?:not_to|to_not)\b/g, '.to')
    .replaceAll(/!==?/g, '==')
    .replaceAll('===', '==')
    .replaceAll(/\bnot |(?<=assert)Not(?=[A-Z])|(?<=Assert\.)Not(?=[A-Z])/g, '')
    .replaceAll(/(?<=assert\.)not([A-Z])/g, (_all, letter: string) => letter.toLowerCase())
    .replaceAll('assert_ne!', 'assert_eq!')
}
