import { expect, it } from 'vitest'
import { playedRun } from '../../test/support/view-fixture.ts'
import { runReport } from './run-report.ts'
import { runView } from './run-view.ts'

it('CLI-260 a report has goal, outcome, table, decisions with reasons, questions and answers', () => {
  const report = runReport(
    runView(playedRun({ failing: [3, 2, 2, 2, 0], answers: [{ choice: '1', note: 'It is an integer.' }] })),
  )
  expect(report).toContain('# fix-login\n\n> Login returns a numeric userId')
  expect(report).toContain('**completed**: Every check passed on this tree.')
  expect(report).toContain('| 1 | claude | failed | 3 -> 2 | 2 |')
  expect(report).toMatch(/\*\*escalate\*\* after iteration 3 \(fact \d+, on facts [\d, and]+\)/)
  expect(report).toMatch(
    /\*\*maxIterations\*\*, fact \d+: 3 iterations done, and the maximum is 3\. Evidence: iterations 3, iterationsMax 3; fact \d+\./,
  )
  expect(report).toMatch(/\*\*Answer\*\* \(ada, .*\): Go on, with up to 6 iterations\. “It is an integer\.”/)
})

it('CLI-260 text of agents and people cannot become Markdown of the report', () => {
  const report = runReport(
    runView(playedRun({ failing: [3, 0], said: 'a | b <script> [x](y) # *z*\nnext', goal: '<b>bold</b>' })),
  )
  expect(report).toContain(String.raw`a \| b \<script\> \[x\](y) \# \*z\* next |`)
  expect(report).toContain(String.raw`> \<b\>bold\</b\>`)
})
