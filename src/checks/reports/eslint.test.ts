import { expect, test } from 'vitest'
import { fixture } from '../../../test/support/report-fixture.ts'
import { eslintJson, eslintText } from './eslint.ts'

const file = '/project/login.js'

test('REPORT-110 eslint as JSON: errors are failures by file, rule and message; warnings aren’t', () => {
  expect(eslintJson(fixture('eslint-json-10-failed'))).toEqual({
    format: 'eslint-json',
    counts: { passed: 0, failed: 5, skipped: 0 },
    failures: [
      {
        id: '/project/broken.js > Parsing error: Unexpected token =',
        kind: 'compile',
        file: '/project/broken.js',
        line: 1,
        message: 'Parsing error: Unexpected token =',
      },
      {
        id: `${file} > prefer-const > 'userId' is never reassigned. Use 'const' instead.`,
        kind: 'lint',
        file,
        line: 2,
        message: "'userId' is never reassigned. Use 'const' instead. (prefer-const)",
      },
      { id: `${file} > no-undef > 'find' is not defined.`, kind: 'lint', file, line: 2, message: expect.any(String) },
      { id: `${file} > eqeqeq > Expected '===' and instead saw '=='.`, kind: 'lint', file, line: 3, message: expect.any(String) },
      {
        id: `${file} > eqeqeq > Expected '===' and instead saw '=='. (2)`,
        kind: 'lint',
        file,
        line: 4,
        message: expect.any(String),
      },
    ],
  })
  expect(eslintJson(fixture('eslint-json-10-passed'))).toEqual({
    format: 'eslint-json',
    counts: { passed: 0, failed: 0, skipped: 0 },
    failures: [],
  })
})

test('REPORT-110 eslint as JSON: a file that counts more errors than it lists makes the report doubtful', () => {
  const text = fixture('eslint-json-10-passed').replace('"errorCount":0', '"errorCount":1')
  expect(eslintJson(text)?.trouble).toContain('counts 1 errors')
})

test.each(['stylish', 'unix', 'compact'])('REPORT-111 eslint %s: errors are failures by file, rule and message', (format) => {
  const report = eslintText(fixture(`eslint-${format}-10-failed`))
  expect(report).toMatchObject({ format: 'eslint', counts: { passed: 0, failed: 5, skipped: 0 } })
  expect(report?.trouble).toBeUndefined()
  expect(report?.failures).toMatchObject([
    { kind: 'compile', file: '/project/broken.js', line: 1, message: 'Parsing error: Unexpected token =' },
    { kind: 'lint', file: '/project/login.js', line: 2, id: expect.stringMatching(/^\/project\/login\.js > prefer-const > /) },
    { kind: 'lint', line: 2, id: expect.stringContaining('no-undef') },
    { kind: 'lint', line: 3, id: expect.stringContaining('eqeqeq') },
    { kind: 'lint', line: 4, id: expect.stringMatching(/eqeqeq.* \(2\)$/) },
  ])
})

test('REPORT-111 eslint: warnings alone are no failure, a list without its end is no pass, other text is left to others', () => {
  const warned = fixture('eslint-stylish-10-passed')
  expect(eslintText(warned)).toEqual({ format: 'eslint', counts: { passed: 0, failed: 0, skipped: 0 }, failures: [] })
  expect(eslintText(warned.slice(0, warned.indexOf('✖')))?.trouble).toContain('counts 0 problems but lists 1')
  expect(eslintText('  error  here\n3 problems\n')).toBeUndefined()
})
