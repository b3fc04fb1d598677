// Pawl's side of the comparison with the peers, in its own process as theirs are: PATH ITERATIONS RUNS, prints a LoopTiming for each run.
import { databaseBytes } from './database-bytes.ts'
import type { LoopTiming } from './loop-timing.ts'
import { timedRun } from './timed-run.ts'
import { WARM_UP_ITERATIONS, warmUp } from './warm-up.ts'

const [path = '', iterations, runs] = process.argv.slice(2)
await warmUp((round) => timedRun(`${path}.warm-up-${round}`, WARM_UP_ITERATIONS))
const timings: LoopTiming[] = []
for (let run = 1; run <= Number(runs); run++) {
  const file = `${path}.${run}`
  const durationMs = await timedRun(file, Number(iterations))
  timings.push({ durationMs, bytes: databaseBytes(file) })
}
process.stdout.write(JSON.stringify(timings))
