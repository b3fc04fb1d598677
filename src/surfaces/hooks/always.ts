import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Fact } from '../../core/event.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import { counted } from '../../core/wording.ts'
import { forgetSession, listedRun, listSession, pathOf } from '../../engine/bound-sessions.ts'
import { abortRun } from '../../engine/person-facts.ts'
import { loadState, withSession } from '../../engine/session.ts'
import { guardNamed } from '../../guards/default-guards.ts'
import { requireKeptWhole } from '../../journal/redact-facts.ts'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { promiseFold } from '../../loops/shared/promises.ts'
import { systemClock } from '../../process/clock.ts'
import { machineProcesses } from '../../process/processes.ts'
import { openStore } from '../../registry/open-store.ts'
import { folderStamp } from '../../registry/workspace-tools.ts'
import { isolationSpec } from '../../sandbox/settings.ts'
import { keepVisible } from '../../secrets/known-values.ts'
import { configuredGuards } from '../../settings/configured-guards.ts'
import { findProjects, isInRepository, type Project, workspaceSpec } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { checksOf } from '../../settings/reviewers.ts'
import { isTrusted } from '../../settings/user-files.ts'
import type { Store } from '../../stores/store.ts'
import type { HookAnswer, HookCall } from './protocol.ts'

/*
 * `pawl install AGENT --always`: every session is held to the checks of pawl.yaml. The first end of a turn after a file changed starts a
 * run that is bound to the session; from there on it is a run like any other, and `bound-hook.ts` answers for it.
 */

/** What is kept of a session, beside the list of sessions. It is only about when to look: what was decided is in the journal. */
interface HeldSession {
  /** The state of the files when the session began, or when its last run ended. */
  readonly files: string
  /** The run that was started for it last. */
  readonly run?: string
  /** Set after `pawl off`. */
  readonly isOff?: true
}

const PASS: HookAnswer = { kind: 'pass' }

/** The person wrote something: notes the state of the files before the first turn, and switches the checks off or on if they said so. */
export async function onPrompt(call: HookCall): Promise<HookAnswer> {
  const project = projectOf(call)
  if (!project) return PASS
  const known = readHeld(project, call)
  const held = known ?? { files: await stampOf(project) }
  const word = /(?<![\w`"'-])pawl (off|on)(?![\w-])/i.exec(call.prompt)?.[1]?.toLowerCase()
  if (word === undefined) {
    if (!known) keepHeld(project, call, held)
    return PASS
  }
  const { isOff: _before, ...rest } = held
  keepHeld(project, call, word === 'off' ? { ...rest, isOff: true } : rest)
  if (word === 'on') return { kind: 'pass', note: 'Pawl: the checks of pawl.yaml hold for this session again.' }
  await endRun(project, call, held.run)
  return { kind: 'pass', note: 'Pawl: off for this session. Its turns end without checks until you write `pawl on`.' }
}

/**
 * The end of a turn of a session without a run: starts one if files changed, and returns its name and store. Otherwise the answer,
 * which never keeps the session.
 */
export async function startIfChanged(call: HookCall): Promise<HookAnswer | { readonly run: string; readonly path: string }> {
  const project = projectOf(call)
  if (!project) return PASS
  const files = await stampOf(project)
  const held = readHeld(project, call)
  if (!held) {
    // The session is older than the hook, so nobody knows what it changed.
    keepHeld(project, call, { files })
    return PASS
  }
  if (held.isOff || held.files === files) return PASS
  if (!isTrusted(project.root)) {
    keepHeld(project, call, { ...held, isOff: true })
    return { kind: 'pass', note: `Pawl: the checks in ${project.configPath} aren't run. Allow it once: pawl trust --folder` }
  }
  const written = await loadConfig(project.configPath)
  const config = written && configOf(project, call, written)
  if (!config) return PASS
  const run = await withStore(project, (store) => startRun(store, call, config))
  listSession(dirname(project.storePath), call, run)
  keepHeld(project, call, { ...held, run })
  return { run, path: project.storePath }
}

/** After the end of a turn was answered for a run: what is there now is what later turns are compared with, once the run is over. */
export async function afterRun(call: HookCall, path: string, run: string, answer: HookAnswer): Promise<HookAnswer> {
  const project = projectOf(call)
  if (!project || answer.kind === 'block' || project.storePath !== path) return answer
  const held = readHeld(project, call)
  const state = await withStore(project, (store) => loadState(store, run))
  if (!state || state.status === 'running' || state.status === 'escalated') return answer
  keepHeld(project, call, { ...held, files: await stampOf(project) })
  if (held?.run !== run) return answer
  forgetSession(dirname(path), call)
  return { kind: 'pass', note: endNote(state) }
}

function endNote({ run, status, current }: State): string {
  if (status === 'completed') return `Pawl: all checks pass (run ${run}).`
  if (status === 'aborted') return `Pawl: run ${run} was ended, so this session is let go.`
  const failed = current.checks.filter((check) => !check.passed).map(({ name }) => name)
  return `Pawl: after ${counted(current.number, 'round')} the checks still fail (${failed.join(', ')}), so this session is let go. See what fails: pawl show ${run}`
}

/** The innermost project with a pawl.yaml. A session that Pawl itself started has a run already. */
function projectOf({ cwd }: HookCall): Project | undefined {
  if ((process.env['PAWL_RUN'] ?? '') !== '') return undefined
  return findProjects(cwd).find(({ configPath }) => existsSync(configPath))
}

async function stampOf({ root }: Project): Promise<string> {
  return folderStamp(root, isInRepository(root))
}

/** `undefined` if pawl.yaml has no checks. Its reviewer is left out: it would cost money, or ask you, at every turn. */
function configOf({ root }: Project, { agent }: HookCall, written: PawlConfig): RunConfig | undefined {
  const checks = checksOf(written)
  if (checks.length === 0) return undefined
  const { protect = [], maxIterations } = written
  const isolation = isolationSpec(written, root)
  const tampering = configuredGuards(written.guards).filter(({ spec }) => spec.name === 'tampering')
  const rounds = guardNamed('maxIterations', maxIterations === undefined ? {} : { iterationsMax: maxIterations })
  return {
    loop: ralphLoop({ prompt: PROMPT, promises: [], stopOn: ['maxIterations'], feedbackLengthMax: FEEDBACK_LENGTH_MAX }).spec,
    guards: [rounds, ...tampering].map(({ spec }) => spec),
    agent: { name: agent, v: 1, settings: {} },
    checks,
    workspace: workspaceSpec(root),
    ...(protect.length === 0 ? {} : { protect }),
    ...(isolation ? { isolation } : {}),
    // Nobody said what is to be done, so there is nothing to prove: the checks decide.
    proof: false,
  }
}

const PROMPT =
  'The checks of this project must pass before you end your turn. Fix what fails in the code, not in the tests. If you cannot, end your turn and say why.'
const FEEDBACK_LENGTH_MAX = 4000

async function startRun(store: Store, call: HookCall, config: RunConfig): Promise<string> {
  const { agent, session } = call
  const taken = new Set((await store.runs()).map(({ run }) => run))
  const base = `${agent}-${session.replaceAll(/[^\w]+/g, '').slice(0, 8) || 'session'}`
  let run = base
  for (let number = 2; taken.has(run); number++) run = `${base}-${number}`
  keepVisible(run)
  await requireKeptWhole(config)
  const said = { at: systemClock.now(), by: { role: 'runner' } } as const
  const facts: readonly Fact[] = [
    { type: 'run.started', ...said, data: { config } },
    { type: 'run.bound', ...said, data: { agent, session } },
  ]
  const parts = { store, processes: machineProcesses, folds: () => promiseFold }
  await withSession(parts, run, (opened) => opened.record(() => facts))
  return run
}

async function endRun(project: Project, call: HookCall, run: string | undefined): Promise<void> {
  const folder = dirname(project.storePath)
  if (run === undefined || listedRun(folder, call) !== run) return
  await withStore(project, (store) =>
    abortRun({ store, clock: systemClock, processes: machineProcesses }, run, 'Switched off in the session.'),
  )
  forgetSession(folder, call)
}

async function withStore<Result>({ storePath }: Project, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openStore(storePath)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

function heldPath({ storePath }: Project, call: HookCall): string {
  return `${pathOf(dirname(storePath), call)}.always`
}

function readHeld(project: Project, call: HookCall): HeldSession | undefined {
  try {
    return JSON.parse(readFileSync(heldPath(project, call), 'utf8')) as HeldSession
  } catch {
    // Missing or damaged: the session counts as one that begins now.
    return undefined
  }
}

function keepHeld(project: Project, call: HookCall, held: HeldSession): void {
  const path = heldPath(project, call)
  const own = dirname(project.storePath)
  const isNew = !existsSync(own)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isNew) writeFileSync(join(own, '.gitignore'), '*\n')
  writeFileSync(path, JSON.stringify(held), { mode: 0o600 })
}
