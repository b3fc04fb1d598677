import type { Failure, FailureKind } from '../../core/failure.ts'
import { plainText } from './plain-text.ts'
import { pytestError } from './pytest-error.ts'
import { sourceLocation } from './source-location.ts'
import { stackFrame } from './stack-frame.ts'
import { failureKind } from './test-failure.ts'
import { valuePair } from './value-pair.ts'

/** What a `<failure>` or `<error>` element says. */
export interface JunitProblem {
  readonly element: 'failure' | 'error'
  readonly type: string
  readonly message: string
  readonly body: string
  /** Where the test stands, as its attributes say. */
  readonly file?: string | undefined
  readonly line?: number | undefined
}

/** The parts of a failure that JUnit's element tells, whichever tool wrote it. */
export function junitFailure(problem: JunitProblem): Omit<Failure, 'id'> {
  const body = plainText(problem.body)
  const said = plainText(problem.message)
  const told = `${said}\n${body}`
  const message = messageIn(said, body)
  return {
    message,
    kind: kindOf(problem, message),
    ...placeOf(problem, body, told),
    ...valuePair(said.trim() === '' ? fromStack(body) : told),
  }
}

function messageIn(said: string, body: string): string {
  // The attribute may say no more than "collection failure".
  const marked = pytestError(body)
  if (marked !== '') return marked
  return beforeStack(said.trim() === '' ? fromStack(body) : said)
}

/** The first lines, to the stack or the code frame. */
function beforeStack(text: string): string {
  const lines: string[] = []
  for (const line of text.slice(0, MESSAGE_CHARACTERS_MAX).split('\n', LINES_MAX)) {
    if (STACK_START.test(line)) break
    lines.push(line.trimEnd())
  }
  return lines.join('\n').trim()
}

const MESSAGE_CHARACTERS_MAX = 10_000
const LINES_MAX = 15
const STACK_START = /^\s*(?:at \S.*[:(]|❯ \S.*:\d|>? *\d+ *\||\.\.\. \d+ more)/

/** mocha says it twice: by itself with a difference, then as the head of the stack. */
function fromStack(body: string): string {
  const first = /\S.*/.exec(body)?.[0] ?? ''
  const head = first === '' ? -1 : body.indexOf(`: ${first}\n`)
  return head < 0 ? body : body.slice(body.lastIndexOf('\n', head) + 1)
}

function kindOf({ element, type }: JunitProblem, message: string): FailureKind {
  const kind = failureKind(`${type}: ${message}`)
  if (kind === 'timeout' || kind === 'compile' || kind === 'environment') return kind
  if (/Assert|Comparison|Expectation/.test(type)) return 'assertion'
  if (kind !== 'unknown') return kind
  return element === 'failure' ? 'assertion' : 'exception'
}

function placeOf({ file, line }: JunitProblem, body: string, told: string): Pick<Failure, 'file' | 'line' | 'frame'> {
  const frame = stackFrame(body)
  if (frame !== undefined) return frame
  const isManaged = /^\s*at [\w.$/]+\([^()]*\)$/m.test(body.slice(0, 20_000))
  const found = isManaged ? undefined : sourceLocation(told)
  if (found !== undefined && (file === undefined || line === undefined)) return found
  return { ...(file !== undefined && { file }), ...(line !== undefined && { line }) }
}
