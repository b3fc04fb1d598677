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
  /** Medians of many runs, for they are short. */
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

/** So many that they take together about as long as LangGraph's one: then both are measured as warm, and the noise evens out for both. */
const PAWL_RUNS = 24

/** LangGraph's file comes to about 1 GB, and there is a time at which most of it is in the log beside it, too. */
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
    const runPawl = async (name: string): Promise<readonly LoopTiming[]> => {
      say(`Pawl, ${PAWL_RUNS / 2} times ${ITERATIONS} iterations`)
      const args = [join(folder, name), String(ITERATIONS), String(PAWL_RUNS / 2)]
      return (await childProgram('pawl-loop.ts', args)) as LoopTiming[]
    }
    // Half before and half after, so that a machine that is busy for a while does not favour one side.
    const before = await runPawl('before')
    say(`LangGraph, ${ITERATIONS} iterations (some 20 seconds)`)
    const path = join(folder, 'langgraph.db')
    const langgraph = (await childProgram('peers/langgraph-loop.mjs', [path, String(ITERATIONS)])) as LoopTiming
    // A gigabyte on its way to the disk would slow down whatever comes next.
    rmSync(path)
    const pawlRuns = [...before, ...(await runPawl('after'))]
    const pawlMs = pawlRuns.map(({ durationMs }) => durationMs)
    const pawl = { durationMs: median(pawlMs), bytes: median(pawlRuns.map(({ bytes }) => bytes)) }
    return { status: 'compared', iterations: ITERATIONS, versions: peers.versions, pawl, pawlMs, langgraph }
  })
}
