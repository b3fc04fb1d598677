import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { sarif } from './sarif.ts'

test('REPORT-158 SARIF: errors are failures by file, rule and message, and so is a file that cannot be parsed', () => {
  const report = sarif(recorded('sarif-eslint-10-failed.txt'))
  expect(report).toEqual({
    format: 'sarif',
    counts: { passed: 0, failed: 3, skipped: 0 },
    failures: [
      {
        id: "/project/login.js > eqeqeq > Expected '===' and instead saw '=='.",
        kind: 'lint',
        file: '/project/login.js',
        line: 3,
        message: "Expected '===' and instead saw '=='. (eqeqeq)",
      },
      expect.objectContaining({ id: "/project/login.js > no-undef > 'nowhere' is not defined.", line: 3 }),
      expect.objectContaining({ kind: 'compile', file: '/project/broken.js', line: 1 }),
    ],
  })
  expect(sarif(`> lint\n${recorded('sarif-eslint-10-passed.txt')}\ndone`)).toMatchObject({ counts: { failed: 0 }, failures: [] })
})

test('REPORT-158 SARIF: levels come from the rule where the result has none; what is suppressed, gone or no problem is left out', () => {
  const log = {
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'scan', rules: [{ id: 'r', defaultConfiguration: { level: 'error' } }] } },
        results: [
          result({ locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a%20b.c' }, region: { startLine: 7 } } }] }),
          result({ level: 'note' }),
          result({ suppressions: [{ kind: 'inSource' }] }),
          result({ baselineState: 'absent' }),
          result({ kind: 'pass' }),
        ],
      },
    ],
  }
  expect(sarif(JSON.stringify(log))).toMatchObject({
    counts: { failed: 1 },
    failures: [{ id: 'src/a b.c > r > bad', file: 'src/a b.c', line: 7 }],
  })
})

test('REPORT-158 SARIF that is cut off, has no results or comes from a tool that broke off is trouble', () => {
  const whole = recorded('sarif-eslint-10-failed.txt')
  expect(sarif(whole.slice(0, 3000))?.trouble).toMatch(/cut off/)
  expect(sarif(run({ results: null }))?.trouble).toMatch(/scan could not run/)
  expect(sarif(run({ results: [], invocations: [{ executionSuccessful: false }] }))?.trouble).toMatch(/did not run to its end/)
  expect(sarif('{"version": "1.0.0", "name": "shop"}')).toBeUndefined()
})

function result(more: object): object {
  return { ruleId: 'r', message: { text: 'bad' }, ...more }
}

function run(more: object): string {
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'scan' } }, ...more }] })
}
