import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { folderCodebase } from '../../src/codebase/folder-codebase.ts'
import type { Estimate } from '../../src/codebase/codebase.ts'
import { atMost } from '../bound.ts'
import type { Figure } from '../figure.ts'
import { generateRepository } from '../generated-repository.ts'
import { median } from '../median.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const FILES = 5000
const COLD_RUNS = 3
const WARM_RUNS = 5
const COLD_ALLOWED_MS = 10_000
const WARM_ALLOWED_MS = 1000
const CONTEXT = { signal: new AbortController().signal, progress: () => undefined }

/** The share of ten seconds that the estimate and the import graph of 5,000 source files take when nothing is known of them. */
export const researchEstimateCold: Figure = {
  name: 'research-estimate-cold',
  bound: atMost(1),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      const root = repository(folder, say)
      const cachePath = join(folder, 'cache.db')
      const times: Times[] = []
      for (let run = 0; run < COLD_RUNS; run++) {
        for (const ending of ['', '-wal', '-shm']) rmSync(cachePath + ending, { force: true })
        times.push(await estimateTimes(root, cachePath))
      }
      return measured(times, COLD_ALLOWED_MS)
    }),
}

/** The share of one second that the same takes when they are known: a fresh process would only have to load the parsers besides. */
export const researchEstimateWarm: Figure = {
  name: 'research-estimate-warm',
  bound: atMost(1),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      const root = repository(folder, say)
      const cachePath = join(folder, 'cache.db')
      await estimateTimes(root, cachePath)
      const times: Times[] = []
      for (let run = 0; run < WARM_RUNS; run++) times.push(await estimateTimes(root, cachePath))
      return measured(times, WARM_ALLOWED_MS)
    }),
}

function repository(folder: string, say: (line: string) => void): string {
  say(`${FILES} source files in five languages: the relevant ones, and which imports which`)
  const root = join(folder, 'repository')
  generateRepository(root, FILES)
  return root
}

/** Time on the clock, and of the processor: all threads together, and this one. */
interface Times {
  readonly clockMs: number
  readonly processorMs: number
  readonly threadMs: number
}

async function estimateTimes(root: string, cachePath: string): Promise<Times> {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()]
  const startedAt = performance.now()
  const codebase = folderCodebase({ path: root, cachePath })
  const first: Estimate = await codebase.estimate({ terms: ['login', 'session', 'token'], cited: [], filesMax: 100 }, CONTEXT)
  const times = {
    clockMs: performance.now() - startedAt,
    processorMs: inMs(process.cpuUsage(all)),
    threadMs: inMs(process.threadCpuUsage(own)),
  }
  const best = first.files[0]?.path ?? ''
  const index = await codebase.index(CONTEXT)
  const isWhole = first.filesTotal === FILES + 1 && index.importsOf(best).length + index.importersOf(best).length > 0
  if (!isWhole) throw new Error(`the estimate is not what it should be: ${first.filesTotal} files, ${best}`)
  return times
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

function measured(times: readonly Times[], allowedMs: number) {
  const durationsMs = times.map(({ clockMs }) => clockMs)
  const shares = durationsMs.map((ms) => ms / allowedMs)
  const details = [
    `${milliseconds(median(durationsMs))} in the middle of ${durationsMs.length}, time on the clock: parsing uses several cores. The value is that against ${allowedMs} ms; it went from ${spread(shares)}.`,
    `Of the processor it took ${milliseconds(median(times.map(({ processorMs }) => processorMs)))}, ${milliseconds(median(times.map(({ threadMs }) => threadMs)))} of that in the main thread: on two cores that are free the clock shows the larger part.`,
    'Listing, reading and parsing what is not known, resolving imports, searching, and the reasons.',
  ]
  return { status: 'measured', value: median(shares), details } as const
}
