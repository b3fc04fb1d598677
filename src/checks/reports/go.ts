import type { Failure } from '../../core/failure.ts'
import type { Report, ReportParser } from '../check.ts'
import { fieldsOf } from '../../core/json.ts'
import { textOf } from './json-documents.ts'
import { reportBuilder } from './report-builder.ts'
import { linesOf, plainText, withoutIndent } from './report-text.ts'
import { sourceLocation, stackFrame } from './stack-frame.ts'
import { failureKind, valuePair } from './test-failure.ts'

/**
 * `go test -json`: one event a line. Ids are the package, the test and its subtests, joined with ' > '. A test with subtests fails
 * and passes with them, so only leaves count. What the compiler prints between the lines, and Go's own events of it since 1.24,
 * make a package that does not build one failure.
 *
 * @part go-json
 */
export const goJson: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^\{"(?:Time|Action|ImportPath)":".*"Action":"|^\{"Action":"/m.test(text)) return undefined
  const packages = new GoPackages('go-json')
  let events = 0
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf('\n', from)
    const end = newline < 0 ? text.length : newline
    if (text.charCodeAt(from) === BRACE) {
      const isEvent = readEvent(text.slice(from, end), packages)
      if (isEvent) events += 1
    } else readLine(text.slice(from, Math.min(end, from + LINE_CHARACTERS_MAX)), packages)
    from = end + 1
  }
  return events === 0 ? undefined : packages.report({ hasAllTests: true })
}

const BRACE = 123
const LINE_CHARACTERS_MAX = 2000

/** Whether it was an event; a line that only begins like one is broken. */
function readEvent(line: string, packages: GoPackages): boolean {
  const printed = PRINTED.exec(line)
  if (printed !== null) {
    const text = stringIn(printed[3] ?? '')
    if (text !== undefined) packages.printed(printed[1] ?? '', printed[2], text)
    if (text !== undefined) return true
  }
  let event: unknown
  try {
    event = JSON.parse(line)
  } catch {
    // Cut off, or a brace in the print of something else.
    if (line.includes('"Action":"') || EVENT_START.test(line))
      packages.doubt('The report of go test is cut off or broken: a line of it is no JSON.')
    return false
  }
  const { Action: action, Package: name, Test: test, Output: said, ImportPath: built, FailedBuild: failedBuild } = fieldsOf(event)
  if (typeof action !== 'string') return false
  if (action === 'build-output') {
    packages.compiled(textOf(built) ?? '', typeof said === 'string' ? said : '')
    return true
  }
  if (typeof name !== 'string') return action === 'build-fail'
  if (action === 'output') packages.printed(name, textOf(test), typeof said === 'string' ? said : '')
  else if (OUTCOMES.has(action)) packages.ended(name, textOf(test), action as GoOutcome, textOf(failedBuild))
  else packages.began(name, action === 'run' ? textOf(test) : undefined)
  return true
}

/** Nearly every line is one of these, and all of it need not be read as JSON. */
const PRINTED = /^\{(?:"Time":"[^"\\]*",)?"Action":"output","Package":"([^"\\]*)"(?:,"Test":"([^"\\]*)")?,"Output":"(.*)"\}$/

function stringIn(source: string): string | undefined {
  const escape = source.indexOf('\\')
  if (escape === source.length - 2 && source.endsWith('n')) return `${source.slice(0, -2)}\n`
  try {
    return JSON.parse(`"${source}"`) as string
  } catch {
    // Then the line as a whole is looked at.
    return undefined
  }
}

const EVENT_START = /^\{(?:"(?:T|A|P|I)|"?$)/
const OUTCOMES: ReadonlySet<string> = new Set(['pass', 'fail', 'skip'])

/** Go before 1.24 lets the compiler print as it likes. */
function readLine(line: string, packages: GoPackages): void {
  const failed = /^FAIL[ \t]+(\S+) \[(?:build|setup) failed\]/.exec(line)?.[1]
  if (failed !== undefined) packages.notBuilt(failed)
  else packages.compilerLine(line)
}

/**
 * `go test`. A package's name comes after its tests, so its lines are kept until then. Ids are the package, the test and its
 * subtests, joined with ' > '. Without -v no passed tests are named, so then packages that passed are counted instead.
 *
 * @part go
 */
export const goText: ReportParser = (output) => {
  const text = plainText(output)
  if (!PACKAGE_ENDS.test(text)) return undefined
  const packages = new GoPackages('go')
  const isVerbose = /^=== RUN /m.test(text)
  let section: string[] = []
  for (const line of linesOf(text)) {
    if (packages.compilerLine(line)) continue
    const [, verdict = '', name = '', rest = ''] = (/^[oF?]/.test(line) ? PACKAGE_END.exec(line) : undefined) ?? []
    if (verdict === '') section.push(line)
    else if (rest.endsWith('failed]')) packages.notBuilt(name)
    else {
      readSection(packages, name, section)
      packages.ended(name, undefined, verdict === 'FAIL' ? 'fail' : 'pass')
      if (verdict === 'ok' && !isVerbose) packages.passedUnlisted(name)
      section = []
    }
  }
  // Left open, so that the report is said to be cut off.
  if (section.some((line) => UNFINISHED.test(line))) readSection(packages, 'a package without a name', section)
  return packages.report({ hasAllTests: isVerbose })
}

const PACKAGE_ENDS = /^(?:ok|FAIL)[ \t]+\S+[ \t]+(?:\d+\.\d+s|\(cached\)|\[(?:build|setup) failed\])/m
const PACKAGE_END = /^(ok|FAIL|\?)[ \t]+(\S+)[ \t]+((?:\d+\.\d+s|\(cached\)|\[(?:build failed|setup failed|no test)).*)$/
const RESULT = /^ *--- (PASS|FAIL|SKIP): (\S+) \(\d+\.\d+s\)$/
const UNFINISHED = /^(?: *--- (?:PASS|FAIL|SKIP): |=== RUN|panic: |fatal error: )/

/**
 * With -v a test's lines follow `=== RUN`, else its result. A subtest's result follows that of its test, so the
 * deepest come first.
 */
function readSection(packages: GoPackages, name: string, lines: readonly string[]): void {
  const results: (readonly [string, GoOutcome])[] = []
  let test: string | undefined
  for (const line of lines) {
    const switched = line.startsWith('=== ') ? /^=== (?:RUN|CONT|NAME) +(\S.*)$/.exec(line)?.[1] : undefined
    const [, verdict = '', ended] = (line.includes('--- ') ? RESULT.exec(line) : undefined) ?? []
    if (switched !== undefined) packages.began(name, (test = switched))
    else if (ended !== undefined) {
      packages.began(name, (test = ended))
      results.push([ended, verdict.toLowerCase() as GoOutcome])
    } else if (!/^(?:PASS|FAIL|=== PAUSE.*)$/.test(line)) packages.printed(name, test, `${line}\n`)
  }
  const depths = new Map(results.map(([ended]) => [ended, depthOf(ended)]))
  const depthFirst = results.toSorted(([a], [b]) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0))
  for (const [ended, outcome] of depthFirst) packages.ended(name, ended, outcome)
}

function depthOf(test: string): number {
  return test.split('/').length
}

/** How Go says that a test or a package ended. */
export type GoOutcome = 'pass' | 'fail' | 'skip'

interface OpenTest {
  text: string
  hasSubtests: boolean
  hasFailedSubtest: boolean
}

interface OpenPackage {
  readonly tests: Map<string, OpenTest>
  text: string
  failures: number
}

const TEXT_CHARACTERS_MAX = 20_000

/** Go's packages and tests as they begin, print and end, put together into a report. */
class GoPackages {
  readonly #builder
  readonly #open = new Map<string, OpenPackage>()
  /** What the compiler said, by package. */
  readonly #compiled = new Map<string, string>()
  /** Once for every time that it was tried. */
  readonly #notBuilt: string[] = []
  #compiling: string | undefined

  constructor(format: string) {
    this.#builder = reportBuilder(format)
  }

  doubt(reason: string): void {
    this.#builder.doubt(reason)
  }

  began(name: string, test?: string): void {
    const { tests } = this.#package(name)
    if (test === undefined || tests.has(test)) return
    tests.set(test, { text: '', hasSubtests: false, hasFailedSubtest: false })
    const parent = tests.get(parentOf(test))
    if (parent !== undefined) parent.hasSubtests = true
  }

  printed(name: string, test: string | undefined, text: string): void {
    const owner = this.#package(name)
    const target = (test === undefined ? undefined : owner.tests.get(test)) ?? owner
    if (target.text.length < TEXT_CHARACTERS_MAX) target.text += text
  }

  ended(name: string, test: string | undefined, outcome: GoOutcome, failedBuild?: string): void {
    if (test === undefined) {
      this.#packageEnded(name, outcome, failedBuild)
      return
    }
    const owner = this.#package(name)
    const ended = owner.tests.get(test)
    // A test that prints `--- FAIL: x` fools Go itself.
    if (ended === undefined && !TEST_NAME.test(test)) return
    owner.tests.delete(test)
    const parent = owner.tests.get(parentOf(test))
    if (parent !== undefined) parent.hasSubtests = true
    if (outcome === 'fail') {
      if (parent !== undefined) parent.hasFailedSubtest = true
      owner.failures += 1
      if (ended?.hasFailedSubtest !== true) this.#fail(idOf(name, test), ended?.text ?? '')
    } else if (outcome === 'skip') this.#builder.add('skipped', () => idOf(name, test))
    else if (ended?.hasSubtests !== true) this.#builder.add('passed', () => idOf(name, test))
  }

  /** A package that passed and of which no tests are listed. */
  passedUnlisted(name: string): void {
    this.#builder.add('passed', name)
  }

  /** A line of the compiler's, or of anything else: `# package [package.test]` begins what is said of one. */
  compilerLine(line: string): boolean {
    if (this.#compiling === undefined && !line.startsWith('# ')) return false
    const heading = /^# (\S+)/.exec(line)?.[1]
    if (heading !== undefined) this.#compiling = heading
    else if (this.#compiling !== undefined && /^\s|^\S+\.\w+:\d+|^(?:too many errors|note: |package |imports )/.test(line)) {
      this.compiled(this.#compiling, `${line}\n`)
      return true
    } else this.#compiling = undefined
    return heading !== undefined
  }

  compiled(name: string, text: string): void {
    const said = this.#compiled.get(plainName(name)) ?? ''
    if (said.length < TEXT_CHARACTERS_MAX && !text.startsWith('# ')) this.#compiled.set(plainName(name), said + text)
  }

  notBuilt(name: string): void {
    this.#open.delete(name)
    this.#notBuilt.push(name)
  }

  report(options: { readonly hasAllTests: boolean }): Report {
    const named = new Set(this.#notBuilt)
    for (const name of this.#notBuilt) this.#failBuild(name)
    // Cut off before the line that says so.
    for (const name of this.#compiled.keys()) if (!named.has(name)) this.#failBuild(name)
    for (const name of this.#open.keys()) {
      this.#builder.doubt(`The report of go test is cut off: it does not say how the package ${name} ended.`)
    }
    return this.#builder.report(options)
  }

  #package(name: string): OpenPackage {
    const known = this.#open.get(name)
    if (known !== undefined) return known
    const opened: OpenPackage = { tests: new Map(), text: '', failures: 0 }
    this.#open.set(name, opened)
    return opened
  }

  #packageEnded(name: string, outcome: GoOutcome, failedBuild: string | undefined): void {
    const owner = this.#package(name)
    this.#open.delete(name)
    if (outcome !== 'fail') return
    if (failedBuild !== undefined || /\[(?:build|setup) failed\]/.test(owner.text)) {
      const said = failedBuild === undefined ? undefined : this.#compiled.get(plainName(failedBuild))
      if (said !== undefined) {
        this.#compiled.delete(plainName(failedBuild ?? ''))
        this.#compiled.set(name, said)
      }
      this.#notBuilt.push(name)
      return
    }
    // What was running when all broke off did not end: those that panicked, else all that are leaves.
    const running = [...owner.tests].filter(([, test]) => !test.hasSubtests)
    const broken = running.filter(([, { text }]) => BROKEN.test(text))
    const blamed = broken.length > 0 ? broken : running
    for (const [test, { text }] of blamed) this.#fail(idOf(name, test), text.trim() === '' ? owner.text : text)
    if (blamed.length === 0 && owner.failures === 0) this.#fail(namedInStack(name, owner.text), owner.text)
  }

  #failBuild(name: string): void {
    const text = (this.#compiled.get(name) ?? '').trim()
    const message = text === '' ? 'The package does not build.' : text.split('\n', LINES_MAX).join('\n')
    this.#builder.fail(name, () => ({ message, kind: 'compile', ...sourceLocation(text) }))
  }

  #fail(id: string, text: string): void {
    this.#builder.fail(id, () => goFailure(text))
  }
}

const LINES_MAX = 15
const TEST_NAME = /^(?:Test|Example|Fuzz|Benchmark)/
const BROKEN = /^(?:panic: |fatal error: )/m

function parentOf(test: string): string {
  return test.slice(0, Math.max(0, test.lastIndexOf('/')))
}

function idOf(name: string, test: string): string {
  return `${name} > ${test.replaceAll('/', ' > ')}`
}

/** `example.com/a [example.com/a.test]` is compiled for the tests of `example.com/a`. */
function plainName(name: string): string {
  return name.split(' ', 1)[0] ?? name
}

/** Without -v only the stack tells which test a package broke in. */
function namedInStack(name: string, text: string): string {
  const start = `\n${name}.`
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) {
    const test = /^(Test\w+|Example\w*|Fuzz\w+)\(/.exec(text.slice(at + start.length, at + start.length + 200))?.[1]
    if (test !== undefined) return idOf(name, test)
  }
  return name
}

function goFailure(text: string): Omit<Failure, 'id'> {
  const said = text
    .split('\n')
    .filter((line) => !/^ *(?:=== |--- (?:FAIL|PASS|SKIP)|FAIL\b)/.test(line))
    .join('\n')
  const isBroken = BROKEN.test(said)
  const start = isBroken ? said.slice(said.search(BROKEN)) : said
  const message = messageOf(start.split(/^(?:goroutine \d+ \[|\[signal )/m, 1)[0] ?? '')
  const place = isBroken ? stackFrame(said) : sourceLocation(said)
  return {
    message: message === '' ? 'It failed.' : message,
    kind: isBroken ? brokenKind(message) : kindOf(message),
    ...place,
    ...(!isBroken && valuePair(said)),
  }
}

function brokenKind(message: string): Failure['kind'] {
  return message.startsWith('panic: test timed out') ? 'timeout' : 'exception'
}

/** What a test reports with t.Error or t.Fatal is its assertion, whatever its words. */
function kindOf(message: string): Failure['kind'] {
  const kind = failureKind(message)
  return kind === 'timeout' || kind === 'environment' ? kind : 'assertion'
}

function messageOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return withoutIndent(lines.slice(0, LINES_MAX))
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}
