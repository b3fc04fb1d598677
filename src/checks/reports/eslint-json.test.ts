import { expect, test } from 'vitest'
import { eslintJson } from './eslint-json.ts'
import { fixture } from '../../../test/support/report-fixture.ts'

const file = '/project/login.js'

test('REPORT-110 eslint as JSON: errors are failures by file, rule and message; warnings are none', () => {
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
