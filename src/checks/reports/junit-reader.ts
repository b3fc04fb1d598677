import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Failure, FailureKind } from '../../core/failure.ts'
import { TESTS_KEPT_MAX } from '../check.ts'
import type { ReportBuilder } from './report-builder.ts'
import { plainText } from './report-text.ts'
import { sourceLocation, stackFrame } from './stack-frame.ts'
import { failureKind, pytestError, valuePair } from './test-failure.ts'

interface Suite {
  readonly name: string
  readonly file: string | undefined
  /** Whether it, or a suite around it, has said how many failed. */
  readonly isCounted: boolean
}

interface Case {
  readonly attributes: Attributes
  isSkipped: boolean
  /** Set for a test marked as to do: its failure doesn't count (node:test). */
  isTodo?: true
  problem: Omit<JunitProblem, 'file' | 'line'> | undefined
}

type Attributes = Readonly<Record<string, string>>

/** Reads one JUnit document, piece by piece, into a builder. With saxes: no tree, and text only where a failure's is wanted. */
export class JunitReader {
  readonly #builder: ReportBuilder
  readonly #parser = new SaxesParser({ position: false, xmlns: false })
  readonly #suites: Suite[] = []
  #depth = 0
  #hasBegun = false
  #isGivenUp = false
  #errors = 0
  #claimed = 0
  #listed = 0
  #case: Case | undefined
  #tag: SaxesTagPlain | undefined
  #body = ''
  #namesLeft = TESTS_KEPT_MAX
  #written = 0
  /** The place after the last tag between tests. */
  #betweenTestsAt = -1

  constructor(builder: ReportBuilder) {
    this.#builder = builder
    this.#parser.on('opentag', (tag) => this.#open(tag))
    this.#parser.on('closetag', (tag) => this.#close(tag))
    this.#parser.on('error', ({ message }) => {
      if (!HARMLESS.test(message)) builder.doubt(BROKEN)
      this.#errors += 1
      if (this.#errors > ERRORS_MAX) throw new Error('Too many errors.')
    })
  }

  write(piece: string): void {
    this.#written += piece.length
    try {
      this.#parser.write(piece)
    } catch {
      // Each error is dear, so what has nothing but errors is not read to its end.
      this.#isGivenUp = true
      this.#builder.doubt(BROKEN)
    }
  }

  /** Whether the root element is closed, or there is no sense in reading on. */
  get isDone(): boolean {
    return this.#isGivenUp || (this.#hasBegun && this.#depth === 0)
  }

  /** Whether the last piece ended with a suite's beginning or a test's end, and not inside of a text that only looks like it. */
  get isBetweenTests(): boolean {
    return !this.isDone && this.#betweenTestsAt === this.#written
  }

  /** How many tests are still named. */
  get namesLeft(): number {
    return this.#namesLeft
  }

  /** Tests that passed, of which none is named. */
  readBatch(tests: number): void {
    for (let left = tests; left > 0; left -= 1) this.#builder.add('passed', '')
  }

  /**
   * A test by its attributes as they are written, with nothing in them to decode, and the name of the element in it. False, and not
   * read, where what that element says is wanted.
   */
  readPlain(written: string, inside: string | undefined): boolean {
    const isFailed = inside === 'failure' || inside === 'error'
    if (isFailed && this.#builder.counts().failed < FAILURES_TOLD_MAX) return false
    const isWanted = this.#namesLeft > 0 || MAY_NOT_BE_RUN.test(written)
    const attributes = isWanted ? attributesIn(written) : NO_ATTRIBUTES
    const problem = isFailed ? ({ element: inside, type: '', message: '', body: '' } as const) : undefined
    if (isFailed) this.#listed += 1
    this.#finishCase({ attributes, isSkipped: inside === 'skipped' || isNotRun(attributes), problem })
    return true
  }

  /** There is no more. Gives how many failures the suites count beyond those that are listed. */
  end(): number {
    if (!this.isDone) this.#builder.doubt('The JUnit report is cut off: its XML does not come to an end.')
    if (this.#tag !== undefined) this.#keepProblem(this.#tag)
    if (this.#case?.problem !== undefined) this.#finishCase(this.#case)
    const missing = Math.max(0, this.#claimed - this.#listed)
    if (missing > 0) this.#builder.doubt(`The JUnit report counts ${this.#claimed} failures and lists ${this.#listed}.`)
    return missing
  }

  #open(tag: SaxesTagPlain): void {
    this.#hasBegun = true
    this.#depth += 1
    const { name, attributes } = tag
    if (name === 'testcase') this.#case = { attributes, isSkipped: isNotRun(attributes), problem: undefined }
    else if (name === 'testsuite' || name === 'testsuites') this.#openSuite(attributes)
    else if (name === 'failure' || name === 'error') {
      this.#listed += 1
      this.#tag = tag
      this.#body = ''
      if (this.#builder.counts().failed < FAILURES_TOLD_MAX) this.#listen()
    } else if (name === 'skipped' && this.#case !== undefined) {
      this.#case.isSkipped = true
      if (attributes['type'] === 'todo') this.#case.isTodo = true
    }
  }

  #openSuite(attributes: Attributes): void {
    const parent = this.#suites.at(-1)
    const { name = '', file = parent?.file, failures, errors } = attributes
    const isCounted = parent?.isCounted === true
    if (!isCounted) this.#claimed += count(failures) + count(errors)
    this.#suites.push({ name, file, isCounted: isCounted || failures !== undefined || errors !== undefined })
    this.#betweenTestsAt = this.#parser.position
  }

  #close(tag: SaxesTagPlain): void {
    this.#depth -= 1
    const { name } = tag
    if (name === 'testcase') {
      if (this.#case !== undefined) this.#finishCase(this.#case)
      this.#case = undefined
      this.#betweenTestsAt = this.#parser.position
    } else if (tag === this.#tag) this.#keepProblem(tag)
    else if (name === 'testsuite' || name === 'testsuites') this.#suites.pop()
  }

  readonly #gather = (text: string): void => {
    if (this.#body.length < BODY_CHARACTERS_MAX) this.#body += text.slice(0, BODY_CHARACTERS_MAX)
  }

  #listen(): void {
    this.#parser.on('text', this.#gather)
    this.#parser.on('cdata', this.#gather)
  }

  /** A test may fail and then break while it is put away: the first counts. A suite may fail without a test. */
  #keepProblem({ name, attributes }: SaxesTagPlain): void {
    this.#parser.off('text')
    this.#parser.off('cdata')
    this.#tag = undefined
    const { type = '', message = '' } = attributes
    const problem = { element: name === 'failure' ? 'failure' : 'error', type, message, body: this.#body } as const
    if (this.#case !== undefined) {
      this.#case.problem ??= problem
      return
    }
    const suite = this.#suites.at(-1)
    this.#builder.fail(suite?.name ?? '', () => junitFailure({ ...problem, file: suite?.file }), suite?.file)
  }

  /** Only tests that are named one by one cost the making of a name. */
  #finishCase({ attributes, isSkipped, isTodo, problem }: Case): void {
    if (problem === undefined || isTodo) {
      const isNamed = this.#namesLeft > 0
      this.#namesLeft -= 1
      const outcome = isSkipped ? 'skipped' : 'passed'
      if (isNamed) this.#builder.add(outcome, testId(attributes, this.#suites), attributes['file'] ?? this.#suites.at(-1)?.file)
      else this.#builder.add(outcome, '')
      return
    }
    const id = testId(attributes, this.#suites)
    const { classname = '', line = '' } = attributes
    const known = attributes['file'] ?? this.#suites.at(-1)?.file
    const file = known ?? (FILE_NAME.test(classname) ? classname : undefined)
    const place = { file, line: /^\d{1,9}$/.test(line) ? Number(line) : undefined }
    this.#builder.fail(id, () => junitFailure({ ...problem, ...place }), known)
  }
}

const BODY_CHARACTERS_MAX = 20_000
const ERRORS_MAX = 10_000
const BROKEN = 'The JUnit report is broken: its XML is not well formed.'
/** As many as a report has at most; of the others the text is not read. */
const FAILURES_TOLD_MAX = 1000

/** Neither hides a failure: characters XML does not allow, and entities that only a DOCTYPE could explain. */
const HARMLESS = /disallowed character\.|is disallowed in char data|entity/

/** vitest and Playwright name the file as the class. */
const FILE_NAME = /^[^\s>]+\.[cm]?[jt]sx?$/
/** GoogleTest lists what it did not run. */
const NOT_RUN = /^(?:notrun|disabled|skipped|suppressed)$/i

const MAY_NOT_BE_RUN = / (?:status|result)="/
const NO_ATTRIBUTES: Attributes = {}

/** Of attributes without entities, one space before each, those that are asked for. */
function attributesIn(written: string): Attributes {
  const attributes: Record<string, string> = {}
  for (const name of ASKED_FOR) {
    const at = written.indexOf(` ${name}="`)
    if (at < 0) continue
    const start = at + name.length + 3
    attributes[name] = written.slice(start, written.indexOf('"', start))
  }
  return attributes
}

const ASKED_FOR = ['name', 'classname', 'file', 'status', 'result']

function isNotRun({ status, result }: Attributes): boolean {
  return (status !== undefined && NOT_RUN.test(status)) || (result !== undefined && NOT_RUN.test(result))
}

function testId({ name = '', classname }: Attributes, suites: readonly Suite[]): string {
  return idOf(plainName(classname ?? suiteNames(suites)), plainName(name))
}

function plainName(name: string): string {
  const trimmed = name.trim()
  return trimmed.includes(' › ') ? trimmed.replaceAll(' › ', ' > ') : trimmed
}

/** jest and mocha write the class into the name, or the name into the class. */
function idOf(owner: string, title: string): string {
  if (owner === '' || owner === title || title.endsWith(` ${owner}`) || title.startsWith(`${owner} `)) return title
  return title === '' ? owner : `${owner} > ${title}`
}

/** The outermost suite names the run. */
function suiteNames(suites: readonly Suite[]): string {
  return suites
    .slice(1)
    .map((suite) => suite.name)
    .filter((name) => name !== '')
    .join(' > ')
}

function count(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0
}

/** What a `<failure>` or `<error>` element says. */
export interface JunitProblem {
  readonly element: 'failure' | 'error'
  readonly type: string
  readonly message: string
  readonly body: string
  /** Where the test is, as its attributes say. */
  readonly file?: string | undefined
  readonly line?: number | undefined
}

/** The parts of a failure that JUnit's element tells, whichever tool wrote it. */
function junitFailure(problem: JunitProblem): Omit<Failure, 'id'> {
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
  // The attribute may only say "collection failure".
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
