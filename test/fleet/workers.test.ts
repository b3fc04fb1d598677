import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { partSpec, type RunConfig } from '../../src/core/run-config.ts'
import type { State } from '../../src/core/state.ts'
import { verifyChain } from '../../src/journal/hash-chain.ts'
import { builtInFolds } from '../../src/loops/evolve.ts'
import { taskLoop } from '../../src/loops/task/index.ts'
import { maxIterations } from '../../src/guards/index.ts'
import { systemClock } from '../../src/process/clock.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { partsFrom } from '../../src/registry/parts-from.ts'
import { storeIn } from '../../src/registry/placed-workspace.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import type { QueuedRun, Store } from '../../src/stores/store.ts'
import { configFacts } from '../../src/engine/opening-facts.ts'
import { recordByPerson, withSession } from '../../src/engine/session.ts'
import { work, type WorkerNews, type WorkerOptions } from '../../src/engine/worker.ts'

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-worker-'))
  store = sqliteStore({ path: join(folder, 'shared.db'), leaseMs: 1500 })
})

afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A project with a bare repository beside it; its check wants three lines in `n.txt`. */
function project(): { readonly root: string; readonly remote: string } {
  const [root, remote] = [join(folder, 'laptop/shop'), join(folder, 'runs.git')]
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'check.sh'), 'test "$(wc -l < n.txt)" -ge 3 && test -f node_modules/x/package.json\n')
  writeFileSync(join(root, 'n.txt'), '')
  writeFileSync(join(root, '.gitignore'), 'node_modules\n')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'pipe' })
  git('init', '-q', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
  git('init', '-q', '--bare', remote)
  // Not in the commit: a run begins with the files as they are.
  writeFileSync(join(root, 'notes.txt'), 'not committed\n')
  return { root, remote }
}

function config(root: string, agent: string, workspace: object): RunConfig {
  return {
    loop: taskLoop({ goal: 'three lines' }).spec,
    guards: [{ ...maxIterations(6).spec, severity: 'trip' }],
    agent: partSpec('command', { command: ['sh', '-c', agent], name: 'fake' }),
    checks: [partSpec('command', { name: 'enough', command: ['sh', 'check.sh'] })],
    workspace: partSpec('git', { path: root, ...workspace }),
    proof: {
      require: 'unproven',
      prepare: [{ command: 'mkdir -p node_modules/x && echo "{}" > node_modules/x/package.json', unless: 'node_modules/x' }],
    },
  }
}

async function queue(run: string, given: RunConfig, root: string, more: Partial<QueuedRun> = {}): Promise<void> {
  const parts = await partsFrom(given, { store, storePath: storeIn(root), ceilings: async () => [] })
  await withSession(parts, run, async (session) => {
    await parts.workspace.keepStart?.(run)
    await session.record(() => configFacts(parts, run, session.state()))
    const entry = { run, project: 'shop', repository: 'shop', labels: [], priority: 0, dueAt: 1, eventVersion: 1 }
    await store.queue.put({ ...entry, ...more })
  })
}

/** A worker in a folder of its own, as on another machine. */
async function workIn(root: string, more: Partial<WorkerOptions> = {}): Promise<readonly WorkerNews[]> {
  mkdirSync(root, { recursive: true })
  const news: WorkerNews[] = []
  const partsOf = (_run: string, { given }: State) =>
    partsFrom(given, { store, storePath: storeIn(root), ceilings: async () => [] })
  await work(
    { store, processes: machineProcesses, clock: systemClock, folds: builtInFolds, partsOf },
    {
      slots: 2,
      labels: [],
      isOnce: true,
      signal: AbortSignal.timeout(120_000),
      pollMs: 50,
      tell: (each) => news.push(each),
      ...more,
    },
  )
  return news
}

const APPEND = 'echo line >> n.txt'

test('FLEET-1 a worker in another folder, without the project, continues a run from the tree that another one left', async () => {
  const { root, remote } = project()
  const stopping = new AbortController()
  const given = config(root, APPEND, { worktree: true, remote })
  await queue('move', given, root)
  // The first machine is stopped after its first iteration.
  await workIn(join(folder, 'one'), {
    signal: stopping.signal,
    driving: () => ({ onEvent: ({ type }) => type === 'iteration.ended' && stopping.abort() }),
  })
  const before = (await store.read('move')).findLast(({ type }) => type === 'workspace.observed')
  expect(await store.holder('move')).toBeUndefined()
  await workIn(join(folder, 'two'))
  const events = await store.read('move')
  expect(events.at(-1)?.type).toBe('run.completed')
  expect(verifyChain(events)).toMatchObject({ ok: true })
  const ended = events
    .filter(({ type }) => type === 'iteration.ended')
    .map(({ data }) => (data as { iteration: number }).iteration)
  expect(ended).toEqual([1, 2, 3])
  // What the second machine saw first is the very tree that the first one left.
  const second = events.findLastIndex(({ type }) => type === 'run.resumed')
  const seen = events.slice(second).find(({ type }) => type === 'workspace.observed')
  const treeOf = (event: typeof seen) => (event?.type === 'workspace.observed' ? event.data.tree : undefined)
  expect(treeOf(before)).toMatch(/^[0-9a-f]{40}$/)
  expect(treeOf(seen)).toBe(treeOf(before))
  expect(events.some(({ type }) => type === 'run.reconfigured')).toBe(false)
  expect(await store.queue.list()).toEqual([])
  // The user's folder is as it was, and the laptop can see what was done elsewhere.
  expect(readFileSync(join(root, 'n.txt'), 'utf8')).toBe('')
  const last = events.findLast(({ type }) => type === 'workspace.observed')?.data as { snapshot: string }
  const { workspace } = await partsFrom(given, { store, storePath: storeIn(root), ceilings: async () => [] })
  const { text } = await workspace.diff('refs/pawl/move/start', last.snapshot)
  expect(text).toContain('+line')
  expect(text).not.toContain('notes.txt')
})

test('FLEET-2 a machine that comes back with older files takes those of the last snapshot', async () => {
  const { root, remote } = project()
  await queue('back', config(root, APPEND, { worktree: true, remote }), root)
  for (const name of ['one', 'two', 'one']) {
    const stopping = new AbortController()
    await workIn(join(folder, name), {
      signal: stopping.signal,
      driving: () => ({ onEvent: ({ type }) => type === 'iteration.ended' && stopping.abort() }),
    })
  }
  await workIn(join(folder, 'one'))
  const events = await store.read('back')
  expect(events.at(-1)?.type).toBe('run.completed')
  expect(events.filter(({ type }) => type === 'iteration.ended')).toHaveLength(3)
  // Nobody is said to have changed files between the iterations.
  const byPerson = events.filter(
    ({ type, data }) => type === 'workspace.observed' && (data as { filesChanged: number }).filesChanged > 0,
  )
  expect(byPerson.map(({ by }) => by.role)).toEqual(['workspace', 'workspace', 'workspace'])
})

test('FLEET-6 a machine that is lost costs the step in flight: the next one begins from the last snapshot', async () => {
  const { root, remote } = project()
  const agent = 'echo line >> n.txt; test "$(wc -l < n.txt)" -ne 2 || test -f ../../../../../../second || sleep 60'
  await queue('lost', config(root, agent, { worktree: true, remote }), root)
  const machine = join(folder, 'one')
  mkdirSync(machine)
  const program = join(import.meta.dirname, 'worker-process.ts')
  const worker = spawn(process.execPath, [program, join(folder, 'shared.db'), machine, '1'], {
    env: { PATH: process.env['PATH'], HOME: machine },
    stdio: 'ignore',
  })
  const begun = async () => (await store.read('lost')).filter(({ type }) => type === 'work.started').length
  for (const until = Date.now() + 120_000; (await begun()) < 2 && Date.now() < until;) await sleep(50)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  rmSync(machine, { recursive: true, force: true, maxRetries: 5 })
  mkdirSync(join(folder, 'two'))
  writeFileSync(join(folder, 'two/second'), '')
  await workIn(join(folder, 'two'))
  const events = await store.read('lost')
  expect(events.at(-1)?.type).toBe('run.completed')
  expect(events.filter(({ type }) => type === 'work.abandoned')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'iteration.ended')).toHaveLength(3)
})

test('FLEET-3 a run that asks leaves its slot, and continues with whoever is free once it is answered', async () => {
  const { root } = project()
  await queue('ask', config(root, 'true', { worktree: true }), root)
  const news = await workIn(root)
  expect(news.at(-1)).toMatchObject({ kind: 'left', rest: { kind: 'waits' } })
  const state = (await store.read('ask')).findLast(({ type }) => type === 'escalation.raised' || type === 'run.stopped')
  expect(state).toBeDefined()
  expect(await workIn(root)).toEqual([])
  await recordByPerson(store, 'ask', [
    { type: 'run.aborted', at: Date.now(), by: { role: 'person' }, data: { reason: 'no' } } as never,
  ])
  expect((await workIn(root)).at(-1)).toMatchObject({ kind: 'left', rest: { kind: 'over' } })
})

test('FLEET-4 a worker that is too old says so once and leaves the run; others are driven', async () => {
  const { root } = project()
  await queue('new', config(root, APPEND, { worktree: true }), root, { eventVersion: 2 })
  const news = await workIn(root)
  expect(news).toMatchObject([{ kind: 'refused', entry: { run: 'new' } }])
  expect((await store.queue.list()).map(({ run }) => run)).toEqual(['new'])
  expect((await workIn(root, { eventVersion: 2 })).at(-1)).toMatchObject({ rest: { kind: 'over' } })
})

test('FLEET-5 a run whose parts cannot be built here goes back for a minute; others are driven', async () => {
  const { root } = project()
  const wrong = { ...config(root, APPEND, { worktree: true }), agent: partSpec('no-such-agent', {}) }
  await store.queue.put({ run: 'gone', project: 'shop', repository: 'shop', labels: [], priority: 9, dueAt: 1, eventVersion: 1 })
  await queue('good', config(root, APPEND, { worktree: true }), root)
  const claimed = await store.claim('bad', machineProcesses.self())
  const claim = 'claim' in claimed ? claimed.claim : undefined
  const started = { type: 'run.started', at: 1, by: { role: 'runner' }, data: { config: wrong } } as const
  await store.append('bad', [started], { ...(claim ? { claim } : {}), expectedSeq: 0 })
  if (claim) await store.release(claim)
  await store.queue.put({ run: 'bad', project: 'shop', repository: 'shop', labels: [], priority: 1, dueAt: 1, eventVersion: 1 })
  const news = await workIn(root)
  expect(news).toMatchObject([{ kind: 'took' }, { kind: 'took' }, {}, {}, {}].slice(0, news.length))
  expect(news.find((each) => each.kind === 'left' && each.run === 'bad')).toMatchObject({ rest: { kind: 'due' } })
  expect((await store.queue.list()).map(({ run }) => run)).toEqual(['bad'])
  expect((await store.read('good')).at(-1)?.type).toBe('run.completed')
  expect(existsSync(join(root, 'n.txt'))).toBe(true)
})
