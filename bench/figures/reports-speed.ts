import { reportParserNamed } from '../../src/checks/reports/index.ts'
import { atLeast } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { LARGE_FORMATS, largeReport } from '../large-report.ts'
import { processorMs } from '../processor-ms.ts'
import { significant } from '../wording.ts'

/** What a report that is read by hand is read with at least, in MB a second. */
const ALLOWED_MB_PER_S = 20
const ROUNDS = 5

/** These are read with libraries and have figures of their own. */
const BY_LIBRARY = ['tap', 'junit']

/** The slowest of the formats that are read by hand, on 10 MB of each, against the 20 MB a second that it must reach. */
export const reportsSpeed: Figure = {
  name: 'reports-speed',
  bound: atLeast(1),
  measure: (say) => {
    say('10 MB of each format, 5 times')
    const speeds = new Map<string, number>()
    for (const format of LARGE_FORMATS) {
      const text = largeReport(format)
      const parse = reportParserNamed(format)
      const report = parse?.(text)
      if (parse === undefined || report === undefined) throw new Error(`The large report of the format ${format} cannot be read.`)
      const isWhole = report.trouble === undefined && report.failures.length > 0
      if (!isWhole)
        throw new Error(`The large report of the format ${format} is not read right: ${report.trouble ?? 'no failure'}`)
      const durationsMs = Array.from({ length: ROUNDS }, () => processorMs(() => parse(text)))
      speeds.set(format, Buffer.byteLength(text) / 1000 / Math.min(...durationsMs))
    }
    const byHand = [...speeds].filter(([format]) => !BY_LIBRARY.includes(format))
    const slowest = Math.min(...byHand.map(([, speed]) => speed))
    const details = [
      `In MB a second: ${[...speeds].map(([format, speed]) => `${format} ${significant(speed)}`).join(', ')}.`,
      `Each is the best of ${ROUNDS} rounds of processor time, failures described and tests named; ${BY_LIBRARY.join(' and ')} are read with libraries and do not count here.`,
    ]
    return Promise.resolve({ status: 'measured', value: slowest / ALLOWED_MB_PER_S, details })
  },
}
