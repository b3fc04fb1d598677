import type { Failure } from '../../core/failure.ts'
import type { ReportParser } from '../check.ts'
import { type Fields, fieldsOf, parseJson } from '../../core/json.ts'
import { countOf, membersOf, textOf } from './json-documents.ts'
import { reportBuilder, type ReportBuilder } from './report-builder.ts'
import { linesOf, plainText } from './report-text.ts'
import { sourceLocation, stackFrame } from './stack-frame.ts'
import { failureKind, valuePair } from './test-failure.ts'

/**
 * `cargo … --message-format=json`: one message a line, and between and after them what cargo and the tests print for people. Every
 * compiler error is a failure; warnings aren't.
 *
 * @part cargo-json
 */
export const cargoJson: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^\{"reason":"/m.test(text)) return undefined
  const builder = reportBuilder('cargo-json')
  const tests = new CargoTests(builder)
  const errors = new CargoErrors(builder)
  const build = { testPrograms: 0, finished: undefined as boolean | undefined, isNotRun: false }
  for (const line of linesOf(text, Number.POSITIVE_INFINITY)) {
    if (!line.startsWith('{"')) {
      if (/^\s+Executable /.test(line)) build.isNotRun = true
      if (!tests.isInside) errors.line(line)
      tests.line(line.slice(0, LINE_CHARACTERS_MAX))
      continue
    }
    const json = parseJson(line)
    const message = fieldsOf(json)
    if (json === undefined) builder.doubt('The report of cargo is cut off or broken: a line of it is no JSON.')
    else if (message['reason'] === 'compiler-message') addError(message, errors)
    else if (message['reason'] === 'build-finished') build.finished = message['success'] === true
    else if (fieldsOf(message['profile'])['test'] === true && message['executable'] !== null) build.testPrograms += 1
  }
  errors.end()
  tests.end()
  if (build.finished === undefined) builder.doubt('The report of cargo is cut off: it does not say how the build ended.')
  if (build.finished === false && errors.count === 0) errors.add({ message: 'The build failed.' })
  const { passed, failed, skipped } = tests.counted
  const counts = { passed, failed: failed + errors.count, skipped }
  if (counts.failed === 0 && tests.ended < build.testPrograms && !build.isNotRun) {
    builder.doubt(`The report of cargo test is cut off: of ${build.testPrograms} test programs ${tests.ended} came to an end.`)
  }
  return builder.report({ hasAllTests: tests.hasAllTests && tests.ended > 0, counts })
}

const LINE_CHARACTERS_MAX = 4000

function addError(envelope: Fields, errors: CargoErrors): void {
  const diagnostic = fieldsOf(envelope['message'])
  const level = textOf(diagnostic['level']) ?? ''
  if (!level.startsWith('error')) return
  const message = textOf(diagnostic['message']) ?? 'The compiler found an error.'
  const spans = membersOf(diagnostic['spans']).map(fieldsOf)
  const span = spans.find((each) => each['is_primary'] === true) ?? spans[0]
  // "aborting due to 2 previous errors" points nowhere.
  if (span === undefined && message.startsWith('aborting due to')) return
  const error: RustError = {
    code: textOf(fieldsOf(diagnostic['code'])['code']),
    message,
    file: textOf(span?.['file_name']),
    line: countOf(span?.['line_start']),
    rendered: textOf(diagnostic['rendered'])?.trim().split('\n', LINES_MAX).join('\n'),
  }
  errors.add(error)
}

const LINES_MAX = 15

/**
 * `cargo test`, `build`, `check` and `clippy`: known by the closing line of a target, or by the line that a crate could not be
 * compiled. Every error of the compiler is a failure, under its file, code and words.
 *
 * @part cargo
 */
export const cargoText: ReportParser = (output) => {
  const text = plainText(output)
  if (!/^test result: (?:ok|FAILED)\. \d+ passed;|^error: could not compile `/m.test(text)) return undefined
  const builder = reportBuilder('cargo')
  const tests = new CargoTests(builder)
  const errors = new CargoErrors(builder)
  for (const line of linesOf(text)) {
    if (!tests.isInside) errors.line(line)
    tests.line(line)
  }
  errors.end()
  tests.end()
  const { passed, failed, skipped } = tests.counted
  return builder.report({
    hasAllTests: tests.hasAllTests && tests.ended > 0,
    counts: { passed, failed: failed + errors.count, skipped },
  })
}

interface Target {
  readonly name: string
  readonly outcomes: Map<string, 'ok' | 'FAILED' | 'ignored'>
  /** What a failed test printed, by its name. */
  readonly texts: Map<string, string>
  /** Tests are listed first, then what the failed ones printed, then their names again. */
  part: 'tests' | 'texts' | 'names'
  textOf: string | undefined
}

const TEXT_CHARACTERS_MAX = 20_000

/**
 * Reads what libtest prints, line by line, into a builder. Ids are the crate and the test's path, `login > tests::config`; an
 * example in the documentation is called as cargo calls it, without its line.
 */
class CargoTests {
  readonly #builder: ReportBuilder
  #name = ''
  #target: Target | undefined
  #abort: string | undefined
  /** How many targets came to their end. */
  ended = 0
  /** Whether a target listed more or fewer tests than it counts. */
  hasAllTests = true
  readonly counted = { passed: 0, failed: 0, skipped: 0 }

  constructor(builder: ReportBuilder) {
    this.#builder = builder
  }

  /** Whether a target is being read: then its lines are nothing else. */
  get isInside(): boolean {
    return this.#target !== undefined
  }

  line(line: string): void {
    const target = this.#target
    const header = !line.startsWith(' ') ? null : /^\s+(?:Running (?:unittests )?(\S+)(?: \((.+)\))?|Doc-tests (\S+))$/.exec(line)
    if (header !== null && (target === undefined || target.part === 'names')) this.#header(header)
    else if (/^running \d+ tests?$/.test(line) && target === undefined) this.#begin()
    else if (target !== undefined) this.#inside(target, line)
  }

  end(): void {
    if (this.#target === undefined) return
    if (this.#abort === undefined)
      this.#builder.doubt(`The report of cargo test is cut off: ${this.#name || 'a target'} does not end.`)
    this.#finish(this.#target)
  }

  #header([, file = '', binary, crate]: RegExpExecArray): void {
    if (this.#target !== undefined) this.end()
    const program = binary?.split(/[/\\]/).at(-1)
    this.#name = crate === undefined ? (program?.replace(/-[\da-f]{16}(?:\.exe)?$/, '') ?? file) : ''
  }

  #begin(): void {
    this.#abort = undefined
    this.#target = { name: this.#name, outcomes: new Map(), texts: new Map(), part: 'tests', textOf: undefined }
  }

  #inside(target: Target, line: string): void {
    const isResult = line.startsWith('test result: ')
    const closing = !isResult ? null : /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/.exec(line)
    const heading = line.startsWith('---- ') ? /^---- (.+) stdout ----$/.exec(line)?.[1] : undefined
    if (closing !== null) this.#close(target, closing)
    else if (heading !== undefined) {
      target.textOf = heading
      target.texts.set(heading, '')
    } else if (line === 'failures:') {
      target.part = target.part === 'tests' ? 'texts' : 'names'
      target.textOf = undefined
    } else if (target.part === 'tests') this.#outcome(target, line)
    else if (target.textOf !== undefined) {
      const text = target.texts.get(target.textOf) ?? ''
      if (text.length < TEXT_CHARACTERS_MAX) target.texts.set(target.textOf, `${text}${line}\n`)
    } else if (target.part === 'names' && /^ {4}\S/.test(line)) target.outcomes.set(line.trim(), 'FAILED')
  }

  #outcome(target: Target, line: string): void {
    if (line.startsWith('test ') && line.endsWith(' ... ok') && !line.includes(' - should panic')) {
      target.outcomes.set(line.slice(5, -7), 'ok')
      return
    }
    const [, name = '', outcome] =
      /^test (.+?)(?: - should panic(?: - compile(?: fail)?)?)? \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? []
    if (outcome !== undefined) target.outcomes.set(name, outcome as 'ok' | 'FAILED' | 'ignored')
    else if (line.startsWith('error: test failed, to rerun pass')) this.#abort = ''
    else if (this.#abort !== undefined) this.#abort += `${line}\n`
  }

  #close(target: Target, [, passed, failed, ignored]: RegExpExecArray): void {
    this.ended += 1
    this.counted.passed += Number(passed)
    this.counted.failed += Number(failed)
    this.counted.skipped += Number(ignored)
    if (target.outcomes.size !== Number(passed) + Number(failed) + Number(ignored)) this.hasAllTests = false
    this.#finish(target, true)
  }

  #finish(target: Target, isCounted = false): void {
    this.#target = undefined
    for (const [name, outcome] of target.outcomes) {
      const id = target.name === '' ? name.replace(/ \(line \d+\)$/, '') : `${target.name} > ${name}`
      if (!isCounted) this.counted[outcome === 'ok' ? 'passed' : outcome === 'ignored' ? 'skipped' : 'failed'] += 1
      if (outcome === 'FAILED') this.#builder.fail(id, () => cargoFailure(target.texts.get(name) ?? ''))
      else this.#builder.add(outcome === 'ok' ? 'passed' : 'skipped', id)
    }
    if (this.#abort === undefined) return
    const message = this.#abort.trim() || 'The tests broke off.'
    this.counted.failed += 1
    this.#builder.fail(target.name || 'tests', () => ({ kind: 'exception', message: message.split('\n', LINES_MAX).join('\n') }))
    this.#abort = undefined
  }
}

/** What a test prints is before the panic; the last panic is the one that counts. */
function cargoFailure(text: string): Omit<Failure, 'id'> {
  const at = text.lastIndexOf("\nthread '")
  const start = text.startsWith("thread '") ? 0 : at + 1
  const panic = /^thread '.*' (?:\(\d+\) )?panicked at (.*?):?\n/.exec(text.slice(start))
  const said = panic === null ? text : text.slice(start + panic[0].length)
  const message = said.split(/^(?:note: run with|note: Some details|stack backtrace:)/m, 1)[0]?.trim() ?? ''
  const kind = /did not panic/.test(message) ? 'assertion' : failureKind(message)
  return {
    message: message === '' ? 'It failed.' : message.split('\n', LINES_MAX).join('\n'),
    kind: panic !== null && kind === 'unknown' ? 'exception' : kind === 'unknown' ? 'assertion' : kind,
    ...((panic === null ? undefined : sourceLocation(panic[1] ?? '')) ?? sourceLocation(text)),
    ...stackFrame(text.slice(start)),
    ...valuePair(said),
  }
}

/** One error of rustc or clippy. */
export interface RustError {
  readonly code?: string | undefined
  readonly message: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  /** The error with the code it points to, as rustc shows it. */
  readonly rendered?: string | undefined
}

/** Takes the compiler's errors, each once: cargo compiles a crate for itself and again for its tests. */
class CargoErrors {
  readonly #builder: ReportBuilder
  readonly #seen = new Set<string>()
  #open: { code: string | undefined; message: string; lines: string[] } | undefined
  #unexplained: string | undefined
  count = 0

  constructor(builder: ReportBuilder) {
    this.#builder = builder
  }

  add({ code, message, file, line, rendered }: RustError): void {
    const key = `${file}:${line}:${code}:${message}`
    if (this.#seen.has(key)) return
    if (this.#seen.size < SEEN_MAX) this.#seen.add(key)
    this.count += 1
    const words = code === undefined ? message : `${code} > ${message}`
    this.#builder.fail(file === undefined ? words : `${file} > ${words}`, () => ({
      kind: code?.startsWith('clippy::') === true ? 'lint' : 'compile',
      message: rendered ?? message,
      ...(file !== undefined && { file }),
      ...(line !== undefined && { line }),
    }))
  }

  /** A line of the text that rustc prints for people. */
  line(line: string): void {
    if (this.#open === undefined && !line.startsWith('error')) return
    const [, code, message] = /^error(?:\[([\w:]+)\])?: (.+)$/.exec(line) ?? []
    if (message !== undefined || line.trim() === '') this.#close()
    if (message === undefined) {
      if (this.#open !== undefined && this.#open.lines.length < LINES_MAX) this.#open.lines.push(line)
    } else if (message.startsWith('could not compile `')) this.#unexplained ??= message
    else if (!CARGO_OWN.test(message)) this.#open = { code, message, lines: [line] }
  }

  /** There is no more. A crate that could not be compiled without a word why is an error by itself. */
  end(): void {
    this.#close()
    if (this.count === 0 && this.#unexplained !== undefined) this.add({ message: this.#unexplained })
  }

  #close(): void {
    const { code, message, lines } = this.#open ?? {}
    this.#open = undefined
    if (message === undefined || lines === undefined) return
    const [, file, line] = lines.map((each) => /^ *--> (.+):(\d+):\d+$/.exec(each)).find((match) => match !== null) ?? []
    // rustc points to a place; what has none is cargo's own summary.
    if (file !== undefined) this.add({ code, message, file, line: Number(line), rendered: lines.join('\n') })
  }
}

const SEEN_MAX = 10_000
const CARGO_OWN = /^(?:aborting due to|test failed, to rerun|doctest failed|\d+ targets? failed|build failed)/
