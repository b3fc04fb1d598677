import { expect, test } from 'vitest'
import { recorded } from '../../../test/support/recorded-report.ts'
import { pytestText } from './pytest.ts'

const FAILED = [
  {
    id: 'test_login.py::TestLogin::test_numeric_user_id',
    kind: 'assertion',
    line: 8,
    frame: expect.stringMatching(/^test_numeric_user_id \(.*test_login\.py:8\)$/),
    expected: '42',
    received: "'42'",
    message: expect.stringMatching(/^AssertionError: assert '42' == 42/),
  },
  { id: 'test_login.py::TestLogin::TestWhenThePasswordIsWrong::test_refuses', kind: 'assertion', line: 12 },
  { id: 'test_login.py::test_reads_the_config', kind: 'exception', message: "KeyError: 'port'", line: 6 },
  { id: 'test_login.py::test_param[x - y]', kind: 'assertion', expected: "'a'", received: "'x - y'", line: 21 },
  { id: 'test_login.py::test_param[[b]::c]', kind: 'assertion', expected: "'a'", received: "'[b]::c'", line: 21 },
]
const FIXTURE = { id: 'test_login.py::test_uses_the_database', message: 'RuntimeError: no database', line: 40 }

test.each(['short', 'quiet'])(
  'REPORT-156 pytest (%s): parameters, errors of fixtures, the frame in the user’s own code',
  (how) => {
    const report = pytestText(recorded(`pytest-text-9-${how}.txt`))
    expect(report).toMatchObject({
      format: 'pytest',
      counts: { passed: 3, failed: 6, skipped: 2 },
      failures: [...FAILED, FIXTURE],
    })
    expect(report?.trouble).toBeUndefined()
  },
)

test('REPORT-156 pytest -v names every test; a file that cannot be read is a failure', () => {
  const report = pytestText(recorded('pytest-text-9-verbose.txt'))
  const broken = { id: 'test_broken.py', kind: 'compile', line: 1, message: expect.stringMatching(/SyntaxError/) }
  expect(report).toMatchObject({ counts: { passed: 3, failed: 7, skipped: 2 }, failures: [...FAILED, broken, FIXTURE] })
  expect(report?.tests).toHaveLength(12)
  expect(report?.tests).toContainEqual({ id: 'test_login.py::test_skipped', outcome: 'skipped' })
  expect(pytestText(recorded('pytest-text-9-failed.txt'))).toMatchObject({ counts: { failed: 1 }, failures: [broken] })
  expect(pytestText(recorded('pytest-text-9-passed.txt'))).toEqual({
    format: 'pytest',
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
    tests: [{ id: 'test_other.py::test_passes', outcome: 'passed' }],
  })
})

test('REPORT-156 pytest: tests of one name in two files keep their own text, xdist lists likewise', () => {
  const text = `[gw0] [ 50%] FAILED a.py::test_x 
[gw1] [100%] FAILED b.py::test_x 
=================================== FAILURES ===================================
____________________________________ test_x ____________________________________
E   ValueError: in a
____________________________________ test_x ____________________________________
E   ValueError: in b
=========================== short test summary info ============================
FAILED a.py::test_x - ValueError: in a
FAILED b.py::test_x - ValueError: in b
============================== 2 failed in 0.10s ===============================
`
  expect(pytestText(text)?.failures.map(({ message }) => message)).toEqual(['ValueError: in a', 'ValueError: in b'])
  expect(pytestText(text)?.tests).toHaveLength(2)
})

test('REPORT-156 pytest without its closing line is trouble', () => {
  const whole = recorded('pytest-text-9-passed.txt')
  expect(pytestText(whole.slice(0, whole.lastIndexOf('====', whole.length - 60)))?.trouble).toMatch(/closing line/)
  expect(pytestText(`${whole}${whole.slice(0, 300)}`)?.trouble).toMatch(/closing line/)
  expect(pytestText('3 failed')).toBeUndefined()
})

test('REPORT-172 pytest -qq has no closing line; its summary names what failed', () => {
  const report = pytestText('F.\n==== short test summary info ====\nFAILED test_a.py::test_b - assert 1 == 2\n')
  expect(report).toMatchObject({ counts: { failed: 1 }, failures: [{ id: 'test_a.py::test_b', message: 'assert 1 == 2' }] })
  expect(pytestText('..\n==== short test summary info ====\nPASSED test_a.py::test_b\n')).toBeUndefined()
})
