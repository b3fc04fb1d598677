import { reportParserNamed } from '../src/checks/reports/index.ts'
import { collectGarbage } from './collect-garbage.ts'
import { LARGE_FORMATS, largeReport } from './large-report.ts'
import { median } from './median.ts'

/** What is left in memory of a large report when it is read and its text is gone. */
export interface ReportHeap {
  readonly format: string
  readonly keptBytes: number
  /** The length of the report as JSON. */
  readonly jsonBytes: number
}

const TRIES = 5

// A separate program, so that nothing else grows or shrinks meanwhile.
if (import.meta.main) process.stdout.write(JSON.stringify(heaps()))

function heaps(): readonly ReportHeap[] {
  // The first round makes what is made once: compiled code, patterns.
  for (const format of LARGE_FORMATS) read(format)
  return LARGE_FORMATS.map((format) => heapOf(format))
}

/** The engine may hold on to a text for a while, which then lacks the next time; what is kept for good is there every time. */
function heapOf(format: string): ReportHeap {
  const tries = Array.from({ length: TRIES }, () => {
    const before = heapBytes()
    const report = read(format)
    const keptBytes = heapBytes() - before
    return { format, keptBytes, jsonBytes: Buffer.byteLength(JSON.stringify(report)) }
  })
  return { ...(tries[0] as ReportHeap), keptBytes: median(tries.map(({ keptBytes }) => keptBytes)) }
}

/** The text goes out of reach when this returns. */
function read(format: string): unknown {
  return reportParserNamed(format)?.(largeReport(format))
}

function heapBytes(): number {
  // V8 holds on to the last text that a pattern matched, until the next one.
  ;/x/.exec('x')
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
