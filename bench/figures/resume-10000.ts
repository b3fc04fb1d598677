import { join } from 'node:path'
import { evolveAll } from '../../src/loops/evolve.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { alternated } from '../alternated.ts'
import { benchmarkLoop, ITERATIONS_MAX_FAR_AWAY, RUN } from '../benchmark-loop.ts'
import { atMost } from '../bound.ts'
import { childProgram } from '../child-program.ts'
import type { Figure } from '../figure.ts'
import { median } from '../median.ts'
import { rewindable } from '../rewindable.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds, spread } from '../wording.ts'

const SHORT = 10
/** Ten thousand, and some more so that the last cached state (one every 64 iterations) is as old as it can get. */
const LONG = 10_047
const ROUNDS = 15

/** Whether taking up a long run that crashed costs what taking up a short one does. */
export const resume10000: Figure = {
  name: 'resume-10000',
  bound: atMost(3),
  measure: (say) =>
    withTemporaryFolder(async (folder) => {
      const shortFile = await crashed(folder, SHORT, say)
      const longFile = await crashed(folder, LONG, say)
      const [rewindShort, rewindLong] = [rewindable(shortFile), rewindable(longFile)]
      say(`resuming each ${ROUNDS} times`)
      const { ones, others, ratios, ratio } = await alternated(
        ROUNDS,
        () => timeToFirstStep(longFile, rewindLong),
        () => timeToFirstStep(shortFile, rewindShort),
      )
      const details = [
        `From opening the file to the first step: ${milliseconds(median(others))} at iteration ${SHORT}, ${milliseconds(median(ones))} at ${LONG} (medians).`,
        `The value is the median of the ratios of ${ROUNDS} rounds, which went from ${spread(ratios)}.`,
        `For comparison: folding the whole journal of the long run without its cached state takes ${milliseconds(await fullFold(longFile))}.`,
      ]
      return { status: 'measured', value: ratio, details }
    }),
}

/** A run whose process was killed while the agent was at work. */
async function crashed(folder: string, iteration: number, say: (line: string) => void): Promise<string> {
  say(`a run that is killed in iteration ${iteration}`)
  const path = join(folder, `crashed-${iteration}.db`)
  await childProgram('crashed-run.ts', [path, String(iteration)], 'SIGKILL')
  return path
}

/** From nothing to the first thing that has to be done, which after a crash is to restore the workspace. */
async function timeToFirstStep(path: string, rewind: () => void): Promise<number> {
  rewind()
  const pause = new AbortController()
  let firstStepAt: number | undefined
  const startedAt = performance.now()
  const store = sqliteStore({ path, synchronous: 'NORMAL' })
  const loop = benchmarkLoop({
    store,
    iterationsMax: ITERATIONS_MAX_FAR_AWAY,
    onWorkspace: () => {
      firstStepAt ??= performance.now()
      pause.abort()
    },
  })
  try {
    await loop.run(RUN, { signal: pause.signal })
  } finally {
    await store.close()
  }
  if (firstStepAt === undefined) throw new Error('The run was not taken up where it was left.')
  return firstStepAt - startedAt
}

async function fullFold(path: string): Promise<number> {
  const store = sqliteStore({ path, synchronous: 'NORMAL' })
  const startedAt = performance.now()
  evolveAll(undefined, await store.read(RUN))
  const durationMs = performance.now() - startedAt
  await store.close()
  return durationMs
}
