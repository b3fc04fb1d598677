import { inspect } from 'node:util'
import type { Failure, FailureKind } from '../../core/failure.ts'
import { withoutIndent } from './report-text.ts'
import { ownFrame, sourceLocation } from './stack-frame.ts'

/** A failure from what a runner printed about it. `message` is its beginning, before stack and code frame. */
export function testFailure(id: string, text: string, known: Partial<Failure> = {}): Failure {
  const message = messageOf(text)
  return {
    id,
    kind: kindOf(message, text),
    ...(ownFrame(text) ?? sourceLocation(text)),
    ...expectedReceived(text),
    message: message === '' ? 'It failed.' : message,
    ...known,
  }
}

/** The message first: the rest may quote unrelated code. */
function kindOf(message: string, text: string): FailureKind {
  const kind = failureKind(message)
  return kind === 'unknown' ? failureKind(text) : kind
}

/** The kind of an error, from its words; `unknown` if they don't say. */
export function failureKind(text: string): FailureKind {
  const start = text.slice(0, 2000)
  return KINDS.find(([pattern]) => pattern.test(start))?.[1] ?? 'unknown'
}

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/\btimed out\b|\btimeout of \d+ ?ms\b|^Timeout$|\bTimeoutError\b|exceeded timeout/i, 'timeout'],
  [/\b(?:ENOSPC|EMFILE|ENOMEM|EADDRINUSE)\b|heap out of memory/, 'environment'],
  [
    /\bSyntaxError\b|\bParse failure\b|\bParsing error\b|encountered an unexpected token|\berror TS\d+|\berror\[E\d+\]|could not compile|\[build failed\]|Transform failed|ParseError/,
    'compile',
  ],
  [
    /AssertionError|ERR_ASSERTION|\bassert(?:ion)?\b|expect\(|^ *[-+] Expected|Failure\/Error: expect|\bwant\b.*\bgot\b|\bgot\b.*\bwant\b|\bto (?:be|equal)\b/im,
    'assertion',
  ],
  [/(?:Error|Exception)\b|\bpanic(?:ked)?\b|\bTraceback\b/, 'exception'],
]

const MESSAGE_LINES_MAX = 15

function messageOf(text: string): string {
  const lines = text.split('\n')
  const stack = lines.findIndex((line) => STACK_START.test(line.slice(0, 500)))
  const before = (stack < 0 ? lines : lines.slice(0, stack)).map((line) => line.trimEnd())
  const first = before.findIndex((line) => line !== '')
  return first < 0
    ? ''
    : withoutIndent(before.slice(first, first + MESSAGE_LINES_MAX))
        .join('\n')
        .trim()
}

/** A stack frame (V8, vitest), a code frame, an rspec or Python place. */
const STACK_START = /^\s*(?:at \S.*:\d+|❯ \S.*:\d+|>? *\d+ ?\||# \.?\/\S+:\d+|note: run with)/

export interface ExpectedReceived {
  readonly expected: string
  readonly received: string
}

/**
 * What was expected and what was received, as the common assertion libraries print it; `undefined` if the text doesn't clearly say.
 */
export function expectedReceived(whole: string): ExpectedReceived | undefined {
  const text = whole.slice(0, 20_000)
  for (const pattern of PAIRS) {
    const { expected, received } = pattern.exec(text)?.groups ?? {}
    if (expected !== undefined && received !== undefined) return { expected: expected.trim(), received: received.trim() }
  }
  return fromDifference(text)
}

const PAIRS: readonly RegExp[] = [
  // vitest
  /^- Expected:\n(?<expected>[^\n]+(?:\n[^\n]+)*)\n\n\+ Received:\n(?<received>[^\n]+(?:\n[^\n]+)*)/m,
  // jest; rspec; JUnit's console
  /^[ \t]*Expected(?: value)?: +(?<expected>\S.*)\n[ \t]*Received(?: value)?: +(?<received>\S.*)$/m,
  /^[ \t]*expected: +(?<expected>\S.*)\n[ \t]*got: +(?<received>\S.*)$/m,
  // node:assert, where the values fit on a line
  /(?:^[ \t]*|: )Expected values to be (?:strictly |loosely )?equal:\n[ \t]*\n[ \t]*(?<received>\S.*?) !==? (?<expected>\S.*)$/m,
  // the properties of Node's AssertionError, if they fit on a line
  /^[ \t]+actual: (?<received>.*[^{[\n]),\n[ \t]+expected: (?<expected>.*[^{[\n]),$/m,
  /expected:? ?<(?<expected>[^>\n]*)> but was:? ?<(?<received>[^>\n]*)>/,
  // pytest shows `assert actual == expected`
  /^E +(?:AssertionError: )?assert (?<received>(?:(?! == ).)+) == (?<expected>(?:(?! == ).)+)$/m,
  // chai and vitest in a sentence
  /expected (?<received>[^\n]{1,200}?) to (?:be|equal|deeply equal|strictly equal|strict equal) (?<expected>[^\n]{1,200}?)(?: \/\/ .*)?$/m,
  // Go
  /\bgot:? (?<received>[^\n]{1,200}?)[,;] want:? (?<expected>[^\n]{1,200})$/m,
  /\b(?:want|expected):? (?<expected>[^\n]{1,200}?)[,;] (?:but )?got:? (?<received>[^\n]{1,200})$/m,
  // in a sentence of one's own
  /\b[Ee]xpected:? (?<expected>[^\n]{1,200}?)(?:[,;] (?:but )?| but )(?:received|got|was):? (?<received>[^\n]{1,200})$/m,
]

/** A difference under a heading that says which sign is which. */
function fromDifference(text: string): ExpectedReceived | undefined {
  const heading =
    /^[ \t]*(?:(?<minus>- Expected.*\n[ \t]*\+ Received|--- expected\n[ \t]*\+\+\+ actual)|(?<plus>\+ expected - actual)|\+ actual - expected)\b.*$/m.exec(
      text,
    )
  if (heading === null) return undefined
  const lines = text
    .slice(heading.index + heading[0].length)
    .split('\n')
    .slice(1)
  // A second difference, which mocha adds to node:assert's, says the same with the opposite signs.
  const stop = lines.findIndex((line) => /^\s*(?:❯|at |[-+] (?:expected - actual|actual - expected))/.test(line))
  const shown = stop < 0 ? lines : lines.slice(0, stop)
  const signed = (sign: string) =>
    shown
      .filter((line) => line.trimStart().startsWith(sign))
      .map((line) => line.trimStart().slice(1).trim())
      .join('\n')
  const [plus, minus] = [signed('+'), signed('-')]
  if (plus === '' && minus === '') return undefined
  return heading.groups?.['plus'] === undefined ? { expected: minus, received: plus } : { expected: plus, received: minus }
}

/**
 * The same, also in the words of Rust, Python's unittest, .NET, AssertJ and hamcrest. If a tool names no sides, the first value is the
 * received one, as in most tests.
 */
export function valuePair(whole: string): ExpectedReceived | undefined {
  const text = whole.slice(0, CHARACTERS_MAX)
  const known = expectedReceived(text)
  if (known !== undefined) return known
  for (const pattern of OTHER_PAIRS) {
    const { expected, received } = pattern.exec(text)?.groups ?? {}
    if (expected !== undefined && received !== undefined) return { expected: expected.trim(), received: received.trim() }
  }
  return undefined
}

const CHARACTERS_MAX = 20_000

const OTHER_PAIRS: readonly RegExp[] = [
  // Rust
  /^[ \t]*left: (?<received>.*)\n[ \t]*right: (?<expected>.*)$/m,
  // NUnit, xUnit, MSTest, hamcrest
  /^[ \t]*Expected: +(?<expected>\S.*)\n[ \t]*(?:But was|Actual|but): +(?:was )?(?<received>\S.*)$/m,
  /Expected:<(?<expected>[^>\n]*)>\. Actual:<(?<received>[^>\n]*)>/,
  // AssertJ
  /^[ \t]*expected: (?<expected>\S.*)\n[ \t]*but was: (?<received>\S.*)$/m,
  // pytest's own words without the E before them
  /^(?:AssertionError: )?assert (?<received>(?:(?! == ).){1,500}) == (?<expected>(?:(?! == ).){1,500})$/m,
  // unittest
  /^AssertionError: (?:\w+ differ: )?(?<received>(?:(?! != ).){1,500}) != (?<expected>(?:(?! != ).){1,500}?)(?: : .*)?$/m,
]

/** A value as a line of source text, so that `'42'` and `42` stay apart; deep and long ones are shortened. */
export function shownValue(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: 100, sorted: true, maxStringLength: 2000, maxArrayLength: 50 })
}

/** The error that pytest marks with `E`, without the indent; empty if there is none. */
export function pytestError(section: string): string {
  const lines: string[] = []
  for (const match of section.matchAll(/^E(?: {3}(.*))?$/gm)) {
    lines.push(match[1] ?? '')
    if (lines.length >= LINES_MAX) break
  }
  return withoutIndent(lines)
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

const LINES_MAX = 15
