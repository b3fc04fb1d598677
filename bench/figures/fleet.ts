import { join } from 'node:path'
import { configFacts } from '../../src/engine/opening-facts.ts'
import type { Parts } from '../../src/engine/parts.ts'
import { withSession } from '../../src/engine/session.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { systemClock } from '../../src/process/clock.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { postgresMissing, startPostgres } from '../../test/fleet/postgres-server.ts'
import { storeAt } from '../../test/fleet/store-at.ts'
import { atMost } from '../bound.ts'
import { childProgram } from '../child-program.ts'
import type { Figure, Measurement } from '../figure.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { milliseconds } from '../wording.ts'

/** A busy machine may need fewer: FLEET_LOOPS=300. */
const LOOPS = Number(process.env['FLEET_LOOPS'] ?? 2000)
const WORKERS = 8
const SLOTS = 4

/** What taking a run may take at the 95th percentile. */
const ALLOWED_MS = 1000

/** The share of a second that taking a run takes at the 95th percentile: 2,000 loops on 8 worker processes of 4 slots, in SQLite. */
export const fleetSqlite: Figure = {
  name: 'fleet-2000',
  bound: atMost(1),
  measure: async (say) => withTemporaryFolder(async (folder) => measured(join(folder, 'pawl.db'), say)),
}

/** The same in Postgres. */
export const fleetPostgres: Figure = {
  name: 'fleet-2000-postgres',
  bound: atMost(1),
  measure: async (say) => {
    const reason = postgresMissing()
    if (reason !== undefined) return { status: 'unmeasured', reason: `${reason}; npm run test:fleet installs it` }
    await using server = await startPostgres()
    return await measured(await server.newDatabase(), say)
  },
}

async function measured(address: string, say: (line: string) => void): Promise<Measurement> {
  say(`${LOOPS} loops into the queue`)
  const store = storeAt(address)
  try {
    for (let index = 0; index < LOOPS; index++) await queueLoop(store, `loop-${index}`, index)
    say(`${WORKERS} workers with ${SLOTS} slots each`)
    const startedAt = performance.now()
    const workers = Array.from({ length: WORKERS }, () => childProgram('fleet-worker.ts', [address, String(SLOTS)]))
    const claims = (await Promise.all(workers)).flatMap((each) => each as readonly number[]).toSorted((one, other) => one - other)
    const seconds = (performance.now() - startedAt) / 1000
    const left = (await store.queue.list()).length
    if (left > 0 || claims.length !== LOOPS) throw new Error(`${left} of ${LOOPS} loops are left, ${claims.length} were taken.`)
    const at = (share: number): number => claims[Math.floor(claims.length * share)] ?? 0
    const events = (await store.runs()).reduce((sum, { seq }) => sum + seq, 0)
    const details = [
      `${LOOPS} claims: median ${milliseconds(at(0.5))}, 95th percentile ${milliseconds(at(0.95))}, longest ${milliseconds(at(1 - 1 / LOOPS))}.`,
      `All loops took ${seconds.toFixed(1)} s: ${Math.round(LOOPS / seconds)} loops and ${Math.round(events / seconds)} events a second.`,
    ]
    return { status: 'measured', value: at(0.95) / ALLOWED_MS, details }
  } finally {
    await store.close()
  }
}

async function queueLoop(store: ReturnType<typeof storeAt>, run: string, index: number): Promise<void> {
  const part = { name: 'bench', v: 1, settings: {} }
  const config = {
    loop: taskLoop({ goal: 'Pass.', baseline: false }).spec,
    guards: [],
    agent: part,
    checks: [{ ...part, settings: { name: 'tests' } }],
    workspace: { ...part, name: 'memory' },
    proof: false,
  } as const
  const parts = { store, config, clock: systemClock, processes: machineProcesses }
  await withSession(parts, run, async (session) => {
    await session.record(() => configFacts(parts as unknown as Parts, run, undefined))
    const project = `project-${index % 10}`
    await store.queue.put({ run, project, repository: project, labels: [], priority: 0, dueAt: 1, eventVersion: 1 })
  })
}
