import { expect, test } from 'vitest'
import { proveText } from './prove-text.ts'

const FAILED = `a.t .. ok
Test Summary Report
-------------------
b.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
  Failed test:  2
  Non-zero exit status: 1
c.t (Wstat: 65280 (exited 255) Tests: 1 Failed: 0)
  Non-zero exit status: 255
  Parse errors: No plan found in TAP output
d.t (Wstat: 0 Tests: 2 Failed: 0)
  TODO passed:   2
Files=4, Tests=8,  1 wallclock secs ( 0.02 usr  0.01 sys =  0.19 CPU)
Result: FAIL
`

test('REPORT-174 prove: the files that failed are named, also one whose tests all passed', () => {
  expect(proveText(FAILED)).toMatchObject({
    counts: { passed: 7, failed: 2 },
    failures: [
      { id: 'b.t', file: 'b.t', message: 'Failed test:  2\nNon-zero exit status: 1' },
      { id: 'c.t', message: expect.stringContaining('No plan') },
    ],
  })
})

test('REPORT-174 prove: what passed has no failures, what failed has one though no file is named', () => {
  const passed = 'Files=1, Tests=3,  0 wallclock secs\nResult: PASS\n'
  expect(proveText(passed)).toMatchObject({ counts: { passed: 3, failed: 0 }, failures: [] })
  expect(proveText(passed.replace('PASS', 'FAIL'))).toMatchObject({ counts: { failed: 1 } })
  expect(proveText('Result: FAIL')).toBeUndefined()
})
