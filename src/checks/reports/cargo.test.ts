import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { cargoJson, cargoText } from './cargo.ts'

const FAILED = [
  { id: 'login > tests::config::reads_the_port', kind: 'exception', file: 'src/lib.rs', line: 9 },
  { id: 'login > tests::gives_an_error', message: 'Error: "no database"' },
  {
    id: 'login > tests::numeric_user_id',
    kind: 'assertion',
    line: 23,
    expected: '"43"',
    received: '"42"',
    message: 'assertion `left == right` failed: the id of ann\n  left: "42"\n right: "43"',
  },
  { id: 'login > tests::should_have_panicked', kind: 'assertion', line: 43 },
  { id: 'api > numeric_user_id', kind: 'assertion', file: 'tests/api.rs', line: 6 },
  { id: 'src/lib.rs - user_id', expected: '"43"', received: '"42"' },
]

const BROKEN = [
  { id: 'src/lib.rs > E0308 > mismatched types', kind: 'compile', file: 'src/lib.rs', line: 3 },
  { id: 'src/lib.rs > E0425 > cannot find function `nowhere` in this scope', kind: 'compile', file: 'src/lib.rs', line: 7 },
]

test('REPORT-154 cargo --message-format=json: errors of the compiler, each once, and the tests printed after them', () => {
  const report = cargoJson(recorded('cargo-json-1.95-failed.txt'))
  expect(report).toMatchObject({ format: 'cargo-json', counts: { passed: 2, failed: 6, skipped: 1 }, failures: FAILED })
  expect(report?.tests).toHaveLength(9)
  expect(report?.trouble).toBeUndefined()
  const broken = recorded('cargo-json-1.95-broken.txt')
  expect(cargoJson(broken)).toMatchObject({ counts: { passed: 0, failed: 2, skipped: 0 }, failures: BROKEN })
  expect(cargoJson(`${broken}${broken}`)?.counts.failed).toBe(2)
})

test('REPORT-154 warnings alone are a pass, a build that does not end is not', () => {
  const whole = recorded('cargo-json-1.95-passed.txt')
  expect(cargoJson(whole)).toEqual({ format: 'cargo-json', counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] })
  expect(cargoJson(whole.slice(0, whole.indexOf('{"reason":"build-finished"')))?.trouble).toMatch(/how the build ended/)
  const failed = recorded('cargo-json-1.95-failed.txt')
  expect(cargoJson(failed.slice(0, failed.indexOf('running 6 tests')))?.trouble).toMatch(/of 2 test programs 0/)
  expect(cargoJson('{"reason":"build-finished","success":false}')).toMatchObject({ counts: { failed: 1 } })
})

test('REPORT-155 cargo test: by crate and path; what a test prints is no result', () => {
  const report = cargoText(recorded('cargo-text-1.95-failed.txt'))
  expect(report).toMatchObject({ format: 'cargo', counts: { passed: 2, failed: 6, skipped: 1 }, failures: FAILED })
  expect(report?.tests).toContainEqual({ id: 'login > tests::skipped', outcome: 'skipped' })
  const traced = cargoText(recorded('cargo-text-1.95-backtrace.txt'))
  expect(traced?.failures.find(({ id }) => id.endsWith('reads_the_port'))?.frame).toBe('login::port (src/lib.rs:9)')
  expect(cargoText(recorded('cargo-text-1.95-passed.txt'))).toMatchObject({ counts: { passed: 2, failed: 0, skipped: 0 } })
})

test('REPORT-155 errors of the compiler are failures, each once', () => {
  expect(cargoText(recorded('cargo-text-1.95-broken.txt'))).toMatchObject({ counts: { failed: 2 }, failures: BROKEN })
})

test('REPORT-155 a target that does not end is trouble, and one that breaks off is a failure', () => {
  const whole = recorded('cargo-text-1.95-passed.txt')
  const second = whole.slice(0, whole.lastIndexOf('test passes ... ok'))
  expect(cargoText(second)).toMatchObject({ counts: { passed: 1 }, trouble: expect.stringMatching(/api does not end/) })
  const aborted = `${second}error: test failed, to rerun pass \`--test api\`\n\nCaused by:\n  process didn't exit successfully (signal: 11, SIGSEGV)\n`
  expect(cargoText(aborted)).toMatchObject({
    counts: { failed: 1 },
    failures: [{ id: 'api', message: expect.stringMatching(/SIGSEGV/) }],
  })
  expect(cargoText('test result: nothing')).toBeUndefined()
})
