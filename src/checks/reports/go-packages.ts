import type { Failure } from '../../core/failure.ts'
import type { Report } from '../check.ts'
import { reportBuilder } from './report-builder.ts'
import { sourceLocation } from './source-location.ts'
import { stackFrame } from './stack-frame.ts'
import { failureKind } from './test-failure.ts'
import { valuePair } from './value-pair.ts'

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
export class GoPackages {
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
  const message = withoutIndent(start.split(/^(?:goroutine \d+ \[|\[signal )/m, 1)[0] ?? '')
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

function withoutIndent(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, LINES_MAX)
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length), 80)
  return lines
    .map((line) => line.slice(indent).trimEnd())
    .join('\n')
    .trim()
}
