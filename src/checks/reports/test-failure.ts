import type { Failure, FailureKind } from '../../core/failure.ts'
import { expectedReceived } from './expected-received.ts'
import { ownFrame } from './own-frame.ts'
import { sourceLocation } from './source-location.ts'

/** Makes a failure out of what a runner printed about it. `message` is its beginning, before stack and code frame. */
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

/** The message first: what follows may quote code that speaks of something else. */
function kindOf(message: string, text: string): FailureKind {
  const kind = failureKind(message)
  return kind === 'unknown' ? failureKind(text) : kind
}

/** Told from the words of an error; `unknown` when they do not tell. */
export function failureKind(text: string): FailureKind {
  const start = text.slice(0, 2000)
  return KINDS.find(([pattern]) => pattern.test(start))?.[1] ?? 'unknown'
}

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/\btimed out\b|\btimeout of \d+ ?ms\b|\bTimeoutError\b|exceeded timeout/i, 'timeout'],
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

function withoutIndent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length)
  const common = Math.min(...indents, 80)
  return lines.map((line) => line.slice(common))
}
