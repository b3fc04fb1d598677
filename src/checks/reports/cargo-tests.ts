import type { Failure } from '../../core/failure.ts'
import type { ReportBuilder } from './report-builder.ts'
import { sourceLocation } from './source-location.ts'
import { stackFrame } from './stack-frame.ts'
import { failureKind } from './test-failure.ts'
import { valuePair } from './value-pair.ts'

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
export class CargoTests {
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

const LINES_MAX = 15

/** What a test prints stands before the panic; the last panic is the one that counts. */
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
