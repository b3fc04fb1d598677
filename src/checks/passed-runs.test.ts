import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/process-support.ts'
import { reportParserNamed, reportParsers } from './reports/index.ts'
import { commandCheck } from './command-check.ts'
import { withoutPassedRuns } from './passed-runs.ts'

const vitest = (printed: string, { failed = 0 } = {}) =>
  ` RUN  v5.1.0 /project\n\n${printed}\n Test Files  ${failed ? `${failed} failed` : '1 passed'} (1)\n      Tests  ${failed ? `${failed} failed` : '1 passed'} (1)\n   Start at  03:58:11\n   Duration  448ms (tests 1%)\n`
const pytest = (printed: string, closing = '1 passed') =>
  `============ test session starts ============\ncollected 1 item\n\n${printed}\n============ ${closing} in 0.10s ============\n`
const node = (failed: number) =>
  `TAP version 13\n${failed ? 'not ok' : 'ok'} 1 - a\n1..1\n# tests 1\n# suites 0\n# pass ${1 - failed}\n# fail ${failed}\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 5\n`
const TAP = '1..2\nok 1 - a\nnot ok 2 - b'
const JUNIT =
  '<?xml version="1.0"?>\n<testsuites tests="1" failures="1"><testsuite name="a" tests="1" failures="1"><testcase name="x"><failure message="no">no</failure></testcase></testsuite></testsuites>'
const JEST = 'Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total'
const PYTEST = '======= 1 failed, 2 passed in 0.1s ======='
const PROVE =
  'Test Summary Report\n-------------------\nb.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)\n  Failed test:  2\nFiles=1, Tests=2,  1 wallclock secs\nResult: FAIL\n'

async function check(output: string, exitCode = 0) {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'output.txt'), output)
  const context = { signal: new AbortController().signal, started: async () => {}, progress: () => {} }
  const command = `cat output.txt; exit ${exitCode}`
  const parts = { parsers: reportParsers, parserNamed: reportParserNamed }
  return commandCheck({ name: 'tests', command, shell: true, ...parts }).run({ run: 'r', iteration: 1, cwd, tree: 't' }, context)
}

test.each([
  ['TAP in vitest', vitest(TAP)],
  ['JUnit in vitest', vitest(JUNIT)],
  ['jest in vitest', vitest(JEST)],
  ['pytest in vitest', vitest(PYTEST)],
  ['vitest in vitest', vitest(vitest('x', { failed: 1 }))],
  [
    'vitest’s closing lines in vitest',
    vitest(' Test Files  1 failed (1)\n      Tests  1 failed (1)\n   Start at  1\n   Duration  1ms'),
  ],
  ['TAP in pytest', pytest(TAP)],
  ['pytest -q in pytest', pytest('FAILED a.py::b - no\n1 failed in 0.1s')],
  ['pytest in pytest', pytest(pytest('F', '1 failed'))],
  ['two runs that pass', vitest(TAP) + pytest(JUNIT) + node(0)],
])('CHECK-60 a run that passed is not failed by a report that one of its tests prints: %s', async (_what, output) => {
  expect(await check(output)).toMatchObject({ status: 'passed', counts: { failed: 0 } })
  // Whatever failed, it is told from all that was printed.
  expect(await check(output, 1)).toMatchObject({ status: 'failed' })
})

test.each([
  ['vitest before TAP', vitest('x', { failed: 1 }) + node(0)],
  ['pytest before TAP', pytest('F', '1 failed') + node(0)],
  ['TAP after vitest', vitest(TAP) + node(1)],
  ['TAP before vitest', node(1) + vitest('x')],
  ['vitest before vitest', vitest('x', { failed: 1 }) + vitest('x')],
  ['pytest before pytest -q', `${pytest('F', '1 failed')}.\n1 passed in 0.1s\n`],
  ['JUnit after pytest', pytest('x') + JUNIT],
  ['prove after TAP', node(0) + PROVE],
  ['a run that was cut off before one that passed', ` RUN  v5.1.0 /project\n${TAP}\n${vitest('x')}`],
])('CHECK-61 with exit code 0 a run that failed fails the check, though another one passed: %s', async (_what, output) => {
  expect(await check(output)).toMatchObject({ status: 'failed' })
})

test('CHECK-60 what passed runs printed is left out, and nothing else', () => {
  expect(withoutPassedRuns('a\nb')).toBe('a\nb')
  expect(withoutPassedRuns(`before\n${vitest('secret')}after`)).toMatch(
    /^before\n RUN {2}v5.1.0 \/project\n Test Files[^]*after$/,
  )
  expect(withoutPassedRuns(vitest(pytest('secret')))).not.toContain('session')
  expect(withoutPassedRuns(vitest('kept', { failed: 1 }))).toContain('kept')
  const long = `${' RUN  v1\n'.repeat(20_000)}${' Test Files  x\n'.repeat(20_000)}`
  expect(withoutPassedRuns(long)).toBe(long)
})
