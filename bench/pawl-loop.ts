// Pawl's side of the comparison with the peers, in a process of its own as theirs are: PATH ITERATIONS, prints a LoopTiming.
import { databaseBytes } from './database-bytes.ts'
import { timedRun } from './timed-run.ts'
import { WARM_UP_ITERATIONS, warmUp } from './warm-up.ts'

const [path = '', iterations] = process.argv.slice(2)
await warmUp((round) => timedRun(`${path}.warm-up-${round}`, WARM_UP_ITERATIONS))
const durationMs = await timedRun(path, Number(iterations))
process.stdout.write(JSON.stringify({ durationMs, bytes: databaseBytes(path) }))
