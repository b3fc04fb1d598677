import { Parser } from 'tap-parser'
import { tap } from '../../src/checks/reports/tap.ts'
import { alternated } from '../alternated.ts'
import { atLeast } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { largeReport } from '../large-report.ts'
import { median } from '../median.ts'
import { processorMs } from '../processor-ms.ts'
import { milliseconds, spread } from '../wording.ts'

const ROUNDS = 3

/** How much faster 10 MB of TAP become a report than tap-parser, which we use, makes its own list of them. */
export const reportTap: Figure = {
  name: 'report-tap',
  bound: atLeast(1),
  measure: async (say) => {
    say(`10 MB of TAP, tap-parser and Pawl in turn, ${ROUNDS} times (some 20 seconds)`)
    const text = largeReport('tap')
    const { ones, others, ratios, ratio } = await alternated(
      ROUNDS,
      () => processorMs(() => Parser.parse(text)),
      () => processorMs(() => tap(text)),
    )
    const details = [
      `Pawl ${milliseconds(median(others))}, tap-parser's own Parser.parse ${milliseconds(median(ones))} of processor time (medians of ${ROUNDS}); the same text of node:test.`,
      `Pawl leaves out the diagnostics of tests that passed before it parses. The value is the median of the ratios, which went from ${spread(ratios)}.`,
    ]
    return { status: 'measured', value: ratio, details }
  },
}
