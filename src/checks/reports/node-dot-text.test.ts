import { expect, test } from 'vitest'
import { closingLine } from './closing-line.ts'
import { nodeDotText } from './node-dot-text.ts'

const FAILED = `.X.
X

Failed tests:

✖ inner a (11.49ms)
  Error: 429 Too Many Requests
      at TestContext.<anonymous> (file:///project/fail.test.mjs:2:147)
✖ outer (23.5ms)
  '2 subtests failed'
✖ str (0.3ms)
  'just a string'
✖ not yet (1.2ms) # later
  Error: no
`

test('REPORT-173 node:test with dots: what failed is named, a suite and what is to be written are not', () => {
  expect(nodeDotText(FAILED)).toMatchObject({
    format: 'node',
    counts: { passed: 2, failed: 2 },
    failures: [
      { id: 'inner a', kind: 'exception', message: 'Error: 429 Too Many Requests' },
      { id: 'str', message: 'just a string' },
    ],
  })
  expect(closingLine(FAILED)?.counts.failed).toBe(2)
})

test('REPORT-173 dots alone, and words alone, are no report', () => {
  expect(nodeDotText('....\n')).toBeUndefined()
  expect(nodeDotText('Failed tests:\n\n✖ a (1ms)\n')).toBeUndefined()
})
