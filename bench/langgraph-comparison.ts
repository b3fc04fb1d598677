import { rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childProgram } from './child-program.ts'
import type { LoopTiming } from './loop-timing.ts'
import { median } from './median.ts'
import { preparedPeers } from './prepared-peers.ts'
import { withTemporaryFolder } from './temporary-folder.ts'
import { mebibytes } from './wording.ts'

/** Both sides of the same loop. */
export interface LanggraphComparison {
  readonly status: 'compared'
  readonly iterations: number
  readonly versions: string
  /** Median of several runs, for they are short. */
  readonly pawl: LoopTiming
  readonly pawlMs: readonly number[]
  /** One run: it takes long enough for the noise to even out. */
  readonly langgraph: LoopTiming
}

export type LanggraphResult = LanggraphComparison | { readonly status: 'unmeasured'; readonly reason: string }

let result: Promise<LanggraphResult> | undefined

/** Compares once for as many figures as ask: speed and size come from the same files. */
export function langgraphComparison(say: (line: string) => void): Promise<LanggraphResult> {
  result ??= compare(say)
  return result
}

const ITERATIONS = 1000
const PAWL_RUNS = 5

/** LangGraph's file comes to about 1 GB, and there is a time at which most of it stands in the log beside it, too. */
const FREE_BYTES_MIN = 3 * 2 ** 30

async function compare(say: (line: string) => void): Promise<LanggraphResult> {
  const { bavail, bsize } = statfsSync(tmpdir())
  const freeBytes = bavail * bsize
  if (freeBytes < FREE_BYTES_MIN) {
    const reason = `LangGraph needs ${mebibytes(FREE_BYTES_MIN)} for a moment and ${tmpdir()} has ${mebibytes(freeBytes)} free.`
    return { status: 'unmeasured', reason }
  }
  const peers = await preparedPeers(say)
  if (peers.status === 'unavailable') return { status: 'unmeasured', reason: peers.reason }
  return withTemporaryFolder(async (folder) => {
    const timed = async (program: string, name: string): Promise<LoopTiming> =>
      (await childProgram(program, [join(folder, name), String(ITERATIONS)])) as LoopTiming
    const pawlRuns: LoopTiming[] = []
    const runPawl = async (): Promise<void> => {
      say(`Pawl, ${ITERATIONS} iterations, run ${pawlRuns.length + 1} of ${PAWL_RUNS}`)
      pawlRuns.push(await timed('pawl-loop.ts', `pawl-${pawlRuns.length}.db`))
    }
    // Some before and some after, so that a machine that is busy for a while does not favour one side.
    while (pawlRuns.length < PAWL_RUNS / 2) await runPawl()
    say(`LangGraph, ${ITERATIONS} iterations (some 20 seconds)`)
    const langgraph = await timed('peers/langgraph-loop.mjs', 'langgraph.db')
    // A gigabyte on its way to the disk would slow down whatever comes next.
    rmSync(join(folder, 'langgraph.db'))
    while (pawlRuns.length < PAWL_RUNS) await runPawl()
    const pawlMs = pawlRuns.map(({ durationMs }) => durationMs)
    const pawl = { durationMs: median(pawlMs), bytes: median(pawlRuns.map(({ bytes }) => bytes)) }
    return { status: 'compared', iterations: ITERATIONS, versions: peers.versions, pawl, pawlMs, langgraph }
  })
}
