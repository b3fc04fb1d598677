import { expect, it } from 'vitest'
import { playedRun } from '../../test/support/view-fixture.ts'
import type { LedgerGrid } from './ledger-grid.ts'
import { runReport } from './run-report.ts'
import { runView } from './run-view.ts'

it('CLI-260 a report has goal, outcome, table, decisions with reasons, questions and answers', () => {
  const report = runReport(
    runView(playedRun({ failing: [3, 2, 2, 2, 0], answers: [{ choice: '1', note: 'It is an integer.' }] })),
  )
  expect(report).toContain('# fix-login\n\n> Login returns a numeric userId')
  expect(report).toContain('**completed**: 1 test failed before and passes now.')
  expect(report).toContain(
    '## Proof\n\n**red-to-green**: 1 test failed before and passes now.\n\n- Failed before: "login \\> id".',
  )
  expect(report).toContain('| 1 | claude | failed | 3 → 2 | 2 |')
  expect(report).toMatch(/\*\*escalate\*\* after iteration 3 \(event \d+, on events [\d, and]+\)/)
  expect(report).toMatch(
    /\*\*maxIterations\*\*, event \d+: 3 iterations done, and the maximum is 3\. Evidence: iterations 3, iterationsMax 3; event \d+\./,
  )
  expect(report).toMatch(/\*\*Answer\*\* \(ada, .*\): Continue, with up to 6 iterations\. “It is an integer\.”/)
})

it('CLI-260 text of agents and people cannot become Markdown of the report', () => {
  const report = runReport(
    runView(playedRun({ failing: [3, 0], said: 'a | b <script> [x](y) # *z*\nnext', goal: '<b>bold</b>' })),
  )
  expect(report).toContain(String.raw`a \| b \<script\> \[x\](y) \# \*z\* next |`)
  expect(report).toContain(String.raw`> \<b\>bold\</b\>`)
})

it('CLI-260 a report shows the result per iteration of each test that did not simply pass', () => {
  const tests: LedgerGrid = {
    iterations: [0, 1],
    rows: [
      { check: 'tests', test: 'a | b', cells: ['failed', 'passed'] },
      { check: 'tests', test: 'c', cells: ['passed', 'vanished'] },
      { check: 'tests', test: 'd', cells: [null, 'failed'], newIn: 1 },
    ],
    steady: 7,
  }
  expect(runReport(runView(playedRun({ failing: [3, 0] })), tests)).toContain(
    [
      '## Tests',
      '',
      '| test | start | 1 |',
      '| :-- | :-- | :-- |',
      String.raw`| a \| b | ✗ | ✓ |`,
      '| c | ✓ | vanished |',
      '| d |  | new, ✗ |',
      '',
      '7 other tests passed each time.',
    ].join('\n'),
  )
})
