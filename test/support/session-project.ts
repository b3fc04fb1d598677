import { builtInFolds } from '../../src/loops/evolve.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Advance, advance } from '../../src/core/advance.ts'
import { effectKey } from '../../src/core/effect.ts'
import type { Event, Fact } from '../../src/core/event.ts'
import type { ProcessIdentity } from '../../src/core/event-data.ts'
import type { Guard } from '../../src/core/guard.ts'
import { maxIterations } from '../../src/guards/index.ts'
import type { Loop } from '../../src/core/loop.ts'
import type { RunConfig } from '../../src/core/run-config.ts'
import type { State } from '../../src/core/state.ts'
import { commandCheck } from '../../src/checks/command-check.ts'
import { sqliteStore } from '../../src/stores/sqlite-store.ts'
import { folderWorkspace } from '../../src/workspaces/folder-workspace.ts'
import { ralphLoop } from '../../src/loops/ralph/index.ts'
import type { Store } from '../../src/stores/store.ts'
import { machineProcesses } from '../../src/process/processes.ts'
import { bindRun } from '../../src/engine/bind-run.ts'
import { cacheState, loadState } from '../../src/engine/session.ts'
import { openRun } from '../../src/engine/until-work.ts'
import { answerRun } from '../../src/engine/person-facts.ts'
import { listSession } from '../../src/engine/bound-sessions.ts'
import { ceilingsOf } from '../../src/settings/ceilings.ts'
import { systemClock } from '../../src/process/clock.ts'
import { type AgentName, answerText, readCall } from '../../src/surfaces/hooks/protocol.ts'
import { outsideAgent, partsFrom } from '../../src/registry/parts-from.ts'
import { hook } from '../../src/surfaces/hooks/hook.ts'
import { programFile } from './programs.ts'

/** What a run for a session is made of; what is not said is a ralph loop of at most three iterations. */
export interface SessionRun {
  readonly loop?: Loop
  readonly guards?: readonly Guard[]
  /** A line for the shell. Default: passes when `work.txt` says `done`. */
  readonly check?: string
}

/** A folder in which an agent's session works on a run: its hooks are real processes. */
export interface SessionProject {
  readonly root: string
  readonly storePath: string
  write(name: string, text: string): void
  /** Starts a run up to its first brief, and binds it where a session is given. */
  begin(run: string, session?: string, options?: SessionRun, agent?: AgentName): Promise<void>
  /** Puts a session on the list of a folder, and nothing else. */
  list(folder: string, agent: AgentName, session: string, run: string): void
  /** Answers the run's question as a person. */
  answer(run: string, choice: string, note?: string): Promise<void>
  state(run: string): Promise<State | undefined>
  events(run: string): Promise<readonly string[]>
  /** Up to where the state is cached; 0 when it is not. */
  snapshotSeq(run: string): Promise<number>
  /** Calls the hook with `input` (text as it is, or an object to which folder and session are added). */
  hook(agent: string, input: string | HookInput): Promise<HookResult>
  /** The same for a hook that has little time, and as long in the background as is said. */
  shortHook(agent: string, input: HookInput, backgroundMs?: number): Promise<HookResult>
  /** Who holds the run now. */
  holder(run: string): Promise<ProcessIdentity | undefined>
  /** The same within this process: quicker. */
  call(agent: AgentName, input: HookInput, isAlways?: boolean): Promise<Omit<HookResult, 'exitCode'>>
  /** Continues to the given iteration by facts alone, in each of which the check fails. */
  skipTo(run: string, iteration: number): Promise<void>
  remove(): void
}

export type HookInput = Readonly<Record<string, unknown>> & { readonly session_id?: string }

export interface HookResult {
  readonly exitCode: number | null
  readonly answer: Readonly<Record<string, unknown>>
  readonly stdout: string
  readonly stderr: string
}

/** Makes such a folder. */
export function sessionProject(): SessionProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-session-')))
  const storePath = join(root, '.pawl', 'pawl.db')
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const withStore = async <Result>(use: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = sqliteStore({ path: storePath })
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }
  write('work.txt', 'nothing yet\n')
  return {
    root,
    storePath,
    write,
    list: (folder, agent, session, run) => listSession(join(folder, '.pawl'), { agent, session }, run),
    begin: (run, session, options, agent = 'claude') =>
      withStore(async (store) => {
        const config = configOf(root, options)
        const parts = await partsFrom(config, {
          store,
          storePath,
          agent: outsideAgent(config.agent),
          ceilings: ceilingsOf(storePath),
        })
        await openRun(parts, run)
        const binding = { store, clock: systemClock, processes: machineProcesses, folder: dirname(storePath) }
        if (session !== undefined) await bindRun(binding, run, { agent, session })
      }),
    answer: (run, choice, note) =>
      withStore((store) => answerRun(store, systemClock, run, { choice, ...(note === undefined ? {} : { note }) })),
    state: (run) => withStore((store) => loadState(store, run, builtInFolds)),
    events: (run) => withStore(async (store) => (await store.read(run)).map((event) => event.type)),
    snapshotSeq: (run) => withStore(async (store) => (await store.getSnapshot(run))?.seq ?? 0),
    hook: (agent, input) => {
      const text = typeof input === 'string' ? input : JSON.stringify({ cwd: root, session_id: 's-1', ...input })
      return answerOf(spawnHook([agent], root), text)
    },
    shortHook: (agent, input, backgroundMs = 120_000) => {
      const file = join(import.meta.dirname, 'short-hook.ts')
      const child = spawnHook([agent], root, file, { BACKGROUND_MS: String(backgroundMs) })
      return answerOf(child, JSON.stringify({ cwd: root, session_id: 's-1', ...input }))
    },
    holder: (run) => withStore((store) => store.holder(run)),
    call: async (agent, input, isAlways = false) => {
      const text = JSON.stringify({ cwd: root, session_id: 's-1', ...input })
      const call = readCall(agent, text, root)
      if (typeof call === 'string') throw new Error(call)
      const said: string[] = []
      const answer = await hook(call, { timeLimit, isAlways, say: (line) => said.push(line) })
      const stdout = answerText(call, answer)
      return { answer: JSON.parse(stdout), stdout, stderr: said.join('\n') }
    },
    skipTo: (run, iteration) => withStore((store) => skipped(store, storePath, run, iteration)),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** No limit. */
function timeLimit(): AbortSignal {
  return new AbortController().signal
}

/** Starts the hook as an agent does, with nothing in its environment. */
export function spawnHook(
  words: readonly string[],
  cwd: string,
  file = programFile('hook'),
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  return spawn(process.execPath, [file, ...words], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: 'pipe',
    timeout: 60_000,
  })
}

async function answerOf(child: ChildProcess, text: string): Promise<HookResult> {
  const out: Buffer[] = []
  const errors: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(text)
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const stdout = Buffer.concat(out).toString()
  return { exitCode, stdout, stderr: Buffer.concat(errors).toString(), answer: JSON.parse(stdout === '' ? '{}' : stdout) }
}

async function skipped(store: Store, storePath: string, run: string, iteration: number): Promise<void> {
  const claimed = await store.claim(run, machineProcesses.self())
  let state = await loadState(store, run, builtInFolds)
  if (claimed.status !== 'claimed' || !state) throw new Error(`Run ${run} cannot be driven.`)
  const { claim } = claimed
  const { definition } = await partsFrom(state.config, {
    store,
    storePath,
    agent: outsideAgent(state.config.agent),
    ceilings: ceilingsOf(storePath),
  })
  while (state.current.number < iteration) {
    const events: Event[] = []
    const { seq } = state
    for (let count = 0; count < BATCH && state.current.number < iteration; count++) {
      const { append, state: after }: Advance = advance(definition, run, state, failedIteration(state))
      events.push(...append)
      state = after
    }
    const answer = await store.append(run, events, { claim, expectedSeq: seq })
    if (answer.status === 'appended') await cacheState(store, state, answer.events.at(-1)?.hash ?? '')
  }
  await store.release(claim)
}

/** Iterations that are written together. */
const BATCH = 50

function failedIteration({ at, current: { number }, tree, config }: State): readonly Fact[] {
  const { tree: hash = '', snapshot = '' } = tree ?? {}
  const name = String(config.checks[0]?.settings['name'])
  const key = (role: string): string => effectKey(number, role)
  const seen = { tree: hash, snapshot, files: [], filesChanged: 0, insertions: 0, deletions: 0 }
  const failures = [{ id: name, message: 'not done', kind: 'unknown' as const }]
  return [
    { type: 'work.finished', at, by: { role: 'agent' }, data: { key: key('coder'), durationMs: 1 } },
    { type: 'workspace.observed', at, by: { role: 'workspace' }, data: { key: key('observe'), ...seen } },
    {
      type: 'check.failed',
      at,
      by: { role: 'check', name },
      data: { key: key('check'), name, tree: hash, durationMs: 1, failures },
    },
  ]
}

function configOf(
  root: string,
  { loop, guards = [maxIterations(3)], check = 'grep -q done work.txt' }: SessionRun = {},
): RunConfig {
  return {
    loop: (loop ?? ralphLoop({ prompt: 'Make work.txt say done.' })).spec,
    guards: guards.map((guard) => guard.spec),
    agent: { name: 'session', v: 1, settings: {} },
    checks: [commandCheck({ name: 'done', command: check, shell: true }).spec],
    workspace: folderWorkspace({ path: root }).spec,
  }
}
