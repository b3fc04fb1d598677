import { expect, test } from 'vitest'
import { eslintText } from './eslint-text.ts'
import { fixture } from '../../../test/support/report-fixture.ts'

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
