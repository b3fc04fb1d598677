import { join } from 'node:path'
import { folderCodebase } from '../../src/codebase/folder-codebase.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { generateRepository } from '../generated-repository.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const CITATIONS = 1000
const RUNS = 5
const ALLOWED_MS = 1000

/** The share of one second that verifying 1,000 citations in as many files takes: two thirds exact, the others drifted or invented. */
export const researchVerify: Figure = {
  name: 'research-verify',
  bound: atMost(1),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      say(`${CITATIONS} citations in ${CITATIONS} files, ${RUNS} times`)
      const root = join(folder, 'repository')
      const { files } = generateRepository(root, CITATIONS)
      const citations = [...files].slice(0, CITATIONS).map(([file, text], index) => {
        const lines = text.split('\n')
        const line = (index * 13) % (lines.length - 1)
        const snippet = index % 3 === 1 ? `${lines[line + 1]} invented` : (lines[line] ?? '')
        return { file, line: index % 3 === 2 ? Math.max(1, line) : line + 1, snippet }
      })
      const codebase = folderCodebase({ path: root })
      const context = { signal: new AbortController().signal, progress: () => undefined }
      const durations: number[] = []
      const processor: number[] = []
      const counts: Record<string, number> = {}
      for (let run = 0; run < RUNS; run++) {
        const before = process.cpuUsage()
        const startedAt = performance.now()
        const checks = await codebase.verify(citations, context)
        durations.push(performance.now() - startedAt)
        const { user, system } = process.cpuUsage(before)
        processor.push((user + system) / 1000)
        if (run === 0) for (const { status } of checks) counts[status] = (counts[status] ?? 0) + 1
      }
      const shares = durations.map((ms) => ms / ALLOWED_MS)
      const details = [
        `${milliseconds(median(durations))} in the middle of ${RUNS}, the first with nothing read before; it went from ${spread(shares)} of ${ALLOWED_MS} ms.`,
        `Of the processor it took ${milliseconds(median(processor))}.`,
        `${Object.entries(counts)
          .map(([status, count]) => `${count} ${status}`)
          .join(', ')}.`,
      ]
      return { status: 'measured', value: median(shares), details }
    }),
}
