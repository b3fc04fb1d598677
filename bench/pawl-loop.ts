// Pawl's side of the comparison with the peers, in a process of its own as theirs are: PATH ITERATIONS, prints a LoopTiming.
import { databaseBytes } from './database-bytes.ts'
import { timedRun } from './timed-run.ts'

/** About as long as the peers warm up. */
const WARM_UP_ITERATIONS = 1000

const [path = '', iterations] = process.argv.slice(2)
await timedRun(`${path}.warm-up`, WARM_UP_ITERATIONS)
const durationMs = await timedRun(path, Number(iterations))
process.stdout.write(JSON.stringify({ durationMs, bytes: databaseBytes(path) }))
