import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { partSpec, type RunConfig } from '../../src/core/run-config.ts'
import { configFacts } from '../../src/engine/opening-facts.ts'
import type { Parts } from '../../src/engine/parts.ts'
import { withSession } from '../../src/engine/session.ts'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { systemClock } from '../../src/process/clock.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { runCli } from '../../src/surfaces/cli/run-cli.ts'
import type { Store } from '../../src/stores/store.ts'
import { postgresMissing, startPostgres } from './postgres-server.ts'
import { storeAt } from './store-at.ts'

/* The issue's figures: PAWL_CHAOS=300x10x60 npm run test:fleet. */
const [LOOPS = 24, WORKERS = 3, SECONDS = 10] = (process.env['PAWL_CHAOS'] ?? '').split('x').filter(Boolean).map(Number)
const ITERATIONS = 4
const PROGRAM = join(import.meta.dirname, 'worker-process.ts')

let folder: string
let workers: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-chaos-'))
  workers = []
})

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  await sleep(200)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A loop of iterations that take about 50 ms each, in a folder of its own. */
function fakeLoop(run: string): RunConfig {
  const path = join(folder, 'loops', run)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'n.txt'), '')
  return {
    loop: taskLoop({ goal: `${ITERATIONS} lines` }).spec,
    guards: [],
    agent: partSpec('command', { command: ['sh', '-c', 'sleep 0.05; echo line >> n.txt'], name: 'fake' }),
    checks: [partSpec('command', { name: 'enough', command: ['sh', '-c', `test "$(wc -l < n.txt)" -ge ${ITERATIONS}`] })],
    workspace: partSpec('folder', { path }),
    proof: false,
  }
}

async function queueLoops(store: Store): Promise<readonly string[]> {
  const runs = Array.from({ length: LOOPS }, (_, index) => `loop-${index}`)
  for (const [index, run] of runs.entries()) {
    const parts = { store, config: fakeLoop(run), clock: systemClock, processes: machineProcesses }
    await withSession(parts, run, async (session) => {
      await session.record(() => configFacts(parts as unknown as Parts, run, undefined))
      const project = `project-${index % 3}`
      await store.queue.put({ run, project, repository: project, labels: [], priority: 0, dueAt: 1, eventVersion: 1 })
    })
  }
  return runs
}

/** Kills a worker with -9 every second, starts another one in its place, and lets `alsoBreak` break more. Stops when all loops ended. */
async function chaos(store: Store, address: string, alsoBreak: (kill: number) => Promise<void> = async () => undefined) {
  const tally = { kills: 0, takenOver: 0, seconds: 0 }
  const atWork = new Set<ChildProcess>()
  let isOver = false
  const begin = (): void => {
    const worker = spawn(process.execPath, [PROGRAM, address, folder, '2'], {
      env: { PATH: process.env['PATH'], HOME: folder },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    worker.stdout.on('data', (bytes: Buffer) => {
      atWork.add(worker)
      tally.takenOver += bytes.toString('utf8').split('"isTakenOver":true').length - 1
    })
    // One that starts while the database is away says so and ends; whatever runs workers as a service starts it again.
    worker.once('exit', (code) => code === 1 && !isOver && begin())
    workers.push(worker)
  }
  for (let count = 0; count < WORKERS; count++) begin()
  const startedAt = performance.now()
  while ((await store.queue.list()).length > 0) {
    tally.seconds = (performance.now() - startedAt) / 1000
    if (tally.seconds > 10 * SECONDS + 120) throw new Error(`${(await store.queue.list()).length} of ${LOOPS} loops are left.`)
    await sleep(1000)
    if (tally.kills >= SECONDS) continue
    // One that still starts has nothing to lose.
    const victims = workers.filter((worker) => atWork.has(worker))
    const victim = victims[Math.floor(Math.random() * victims.length)]
    if (!victim) continue
    victim.kill('SIGKILL')
    workers.splice(workers.indexOf(victim), 1)
    begin()
    await alsoBreak(++tally.kills)
  }
  isOver = true
  const alive = workers.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ends = alive.map((worker) => once(worker, 'exit'))
  for (const worker of alive) worker.kill('SIGTERM')
  await Promise.all(ends)
  return tally
}

/** Nothing is lost, each iteration ended once, and every chain verifies. */
async function requireWhole(store: Store, runs: readonly string[]): Promise<number> {
  let abandoned = 0
  expect((await store.runs()).map(({ run }) => run).toSorted()).toEqual(runs.toSorted())
  for (const run of runs) {
    const events = await store.read(run)
    const chain = verifyChain(await store.readStored(run))
    const iterations = events.flatMap((event) => (event.type === 'iteration.ended' ? [event.data.iteration] : []))
    const found = { run, isWhole: chain.ok, last: events.at(-1)?.type, iterations, holder: await store.holder(run) }
    expect(found).toEqual({ run, isWhole: true, last: 'run.completed', iterations: [1, 2, 3, 4], holder: undefined })
    abandoned += events.filter(({ type }) => type === 'work.abandoned').length
  }
  return abandoned
}

function tell(which: string, tally: { readonly takenOver: number }, abandoned: number): void {
  expect(tally.takenOver).toBeGreaterThan(0)
  process.stderr.write(`${which}: ${JSON.stringify({ loops: LOOPS, workers: WORKERS, ...tally, abandoned })}\n`)
}

const TIME_MS_MAX = (10 * SECONDS + 300) * 1000

test(
  'FLEET-10 SQLite: workers are killed with -9 every second; nothing is lost and each iteration ends once',
  async () => {
    const path = join(folder, '.pawl', 'pawl.db')
    const store = storeAt(path)
    const runs = await queueLoops(store)
    const tally = await chaos(store, path)
    tell('sqlite', tally, await requireWhole(store, runs))
    await store.close()
    const before = process.cwd()
    process.chdir(folder)
    try {
      expect(await runCli(['verify'])).toBe(0)
    } finally {
      process.chdir(before)
    }
  },
  TIME_MS_MAX,
)

/** Passes connections on to a port, until they are cut. */
async function proxy(port: number) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    const other = connect(port, '127.0.0.1')
    for (const [from, to] of [[socket, other] as const, [other, socket] as const]) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => (sockets.delete(from), to.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    reconnect: () => (isCut = false),
    close: () => (cut(), server.close()),
  }
}

const missing = postgresMissing()

test.skipIf(missing)(
  `FLEET-10 Postgres: the same while the server is killed, restarted, and cut off for seconds${missing ? `: skipped, ${missing}` : ''}`,
  async () => {
    await using server = await startPostgres()
    const url = await server.newDatabase()
    const network = await proxy(server.port)
    const address = url.replace(`:${server.port}/`, `:${network.port}/`)
    const store = storeAt(address)
    try {
      const runs = await queueLoops(store)
      const third = Math.max(1, Math.floor(SECONDS / 4))
      const tally = await chaos(store, address, async (kill) => {
        if (kill === third || kill === 3 * third) {
          await server.stop(kill === third ? 'kill' : 'fast')
          await server.start()
        }
        if (kill === 2 * third) {
          network.cut()
          await sleep(SECONDS >= 60 ? 10_000 : 3000)
          network.reconnect()
        }
      })
      const abandoned = await requireWhole(store, runs)
      tell('postgres', tally, abandoned)
      expect(await store.queue.list()).toEqual([])
    } finally {
      await store.close()
      network.close()
    }
  },
  TIME_MS_MAX,
)
