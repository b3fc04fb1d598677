// Drives a run and is killed, as by a power cut, while the agent works on the given iteration: PATH ITERATION.
import { sqliteStore } from '../src/stores/sqlite-store.ts'
import { benchmarkLoop, ITERATIONS_MAX_FAR_AWAY, RUN } from './benchmark-loop.ts'

const [path = '', iterationOfCrash] = process.argv.slice(2)
const loop = benchmarkLoop({
  store: sqliteStore({ path, synchronous: 'NORMAL' }),
  iterationsMax: ITERATIONS_MAX_FAR_AWAY,
  onWork: ({ iteration }) => {
    if (iteration === Number(iterationOfCrash)) process.kill(process.pid, 'SIGKILL')
  },
})
await loop.run(RUN)
