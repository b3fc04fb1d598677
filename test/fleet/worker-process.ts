import { work } from '../../src/engine/worker.ts'
import { builtInFolds } from '../../src/loops/evolve.ts'
import { systemClock } from '../../src/process/clock.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { partsFrom } from '../../src/registry/parts-from.ts'
import { storeIn } from '../../src/registry/placed-workspace.ts'
import { storeAt } from './store-at.ts'

/* A worker as a process of its own: `node worker-process.ts ADDRESS FOLDER SLOTS`. SIGTERM stops it, and nothing else does. */
const [address = '', root = '', slots = '1'] = process.argv.slice(2)
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())
const store = storeAt(address)
await work(
  {
    store,
    processes: machineProcesses,
    clock: systemClock,
    folds: builtInFolds,
    partsOf: (_run, { given }) => partsFrom(given, { store, storePath: storeIn(root), ceilings: async () => [] }),
  },
  {
    slots: Number(slots),
    labels: [],
    signal: stopping.signal,
    pollMs: 100,
    tell: (news) =>
      process.stdout.write(`${JSON.stringify({ ...news, error: 'error' in news ? String(news.error) : undefined })}\n`),
  },
)
await store.close()
