import { atMost } from '../bound.ts'
import { childProgram } from '../child-program.ts'
import type { Figure } from '../figure.ts'
import type { ReportHeap } from '../report-heap.ts'
import { mebibytes, significant } from '../wording.ts'

/** Smaller reports are held against this, for a heap is never measured to the byte. */
const JSON_BYTES_MIN = 64 * 1024

/**
 * What is left in memory of 10 MB of a format, against the report itself written as JSON; the worst format. A piece of text that
 * holds on to the whole would come to ten times its bound.
 */
export const reportsMemory: Figure = {
  name: 'reports-memory',
  bound: atMost(2.5),
  measure: async (say) => {
    say('10 MB of each format, read in a process of its own')
    const heaps = (await childProgram('report-heap.ts', [])) as readonly ReportHeap[]
    const ratios = heaps.map(({ format, keptBytes, jsonBytes }) => ({
      format,
      ratio: keptBytes / Math.max(jsonBytes, JSON_BYTES_MIN),
    }))
    const largest = Math.max(...heaps.map(({ keptBytes }) => keptBytes))
    const details = [
      `By format: ${ratios.map(({ format, ratio }) => `${format} ${significant(ratio)}`).join(', ')}; at most ${mebibytes(largest)} of 10 MB stay.`,
      'Measured after the text is gone and all garbage is collected: at most 1,000 failures and the names of 20,000 tests.',
    ]
    return { status: 'measured', value: Math.max(...ratios.map(({ ratio }) => ratio)), details }
  },
}
