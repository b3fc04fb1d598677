import { defined } from '../../core/defined.ts'
import { isOver, outcomeOf } from '../../core/outcome.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { configWithAnswer } from '../../core/raises.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { isProbed, rememberProbe } from '../../settings/user-files.ts'
import { agentName, isolationOfRole, type RunConfig } from '../../core/run-config.ts'
import type { Event } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { requireKeptWhole } from '../../journal/redact-facts.ts'
import { redactJson } from '../../secrets/filter.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Answer, Parts } from '../../engine/parts.ts'
import type { SealedEvent, Store } from '../../stores/store.ts'
import { drive, type DriveResult } from '../../engine/drive.ts'
import { loadState } from '../../engine/session.ts'
import { differenceOf } from '../../engine/opening-facts.ts'
import { answeredRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { resolveProgram } from '../../process/find-program.ts'
import { withHistory } from '../../evidence/own-history.ts'
import type { CliContext } from './cli-context.ts'
import { parallelResult } from '../../present/parallel-lines.ts'
import { partsFrom } from '../../registry/parts-from.ts'
import { ceilingsOf } from '../../settings/ceilings.ts'
import { placedConfig } from '../../registry/placed-workspace.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { liveProgress } from './live-progress.ts'
import { requireOwnRun, requireUnbound } from './run-permissions.ts'
import { researchSummary } from '../../evidence/research-results.ts'
import { requireFolderFree } from '../../engine/run-in-folder.ts'
import { oddsNow, type RunView, runView } from '../../present/run-view.ts'
import { patchLines } from '../../present/workspace-lines.ts'
import type { Screen } from '../../present/layout.ts'
import { questionInWords } from '../../present/words.ts'
import type { Question } from '../../core/question.ts'
import { activityPath, activityWriter } from '../../process/activity.ts'
import { detach } from './detach.ts'
import { type QueueFlags, queueRun } from './queue-run.ts'
import { notifyOfQuestion } from './notify.ts'
import { runWorkspace } from './run-tree.ts'
import { lastWorker } from '../../present/iteration-view.ts'
import { proofView } from '../../present/proof-view.ts'
import { doneLines, stopCard, stopCardLines, type WorkPlace } from '../../present/card.ts'
import { terminalPerson } from './terminal-person.ts'
import { counted, filesWords } from '../../core/wording.ts'
import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { type Project, repositoryTop } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import { listWorktrees } from '../../registry/workspace-tools.ts'
import { researchResult, type ResearchResult } from '../../loops/research/index.ts'
import { standingOf } from '../../loops/research/finding.ts'
import { answersOf } from '../../loops/research/answers.ts'
import { answerLines } from '../../present/research-answer.ts'

export interface DriveRunOptions {
  /** Whether a question may be asked on the terminal, when a person is looking. */
  readonly canAsk: boolean
  /** An answer to its question that takes effect together with the configuration, or not at all. */
  readonly answer?: Answer | undefined
  /** Whether undoing half-done work after a crash may also undo what others changed since. Default false. */
  readonly mayUndo?: boolean
  /** Start it in the background instead, and say how to watch it. */
  readonly detach?: boolean | undefined
  /** Put it into the queue instead. */
  readonly queue?: QueueFlags | undefined
  /** Told of every event, after it was shown. */
  readonly onEvent?: (event: SealedEvent) => void
}

/** Drives a run in the foreground: progress while it runs, one card or line when it stops, the exit code for scripts. */
export async function driveRun(
  context: CliContext,
  store: Store,
  run: string,
  given: RunConfig,
  { canAsk, answer, mayUndo = false, onEvent, detach: isDetaching = false, queue }: DriveRunOptions,
): Promise<number> {
  const { terminal } = context
  const { storePath } = context.project
  const config = placedConfig(given, storePath)
  if (!queue?.queue) await requireFolderFree(store, run, config)
  const before = await loadState(store, run, builtInFolds)
  const known = before && answer ? answeredRun(before, answer, systemClock.now()) : before
  const plain = await partsFrom(await withHistory(config, known, store, storePath), {
    store,
    storePath,
    ceilings: ceilingsOf(storePath),
  })
  if (known) requireOwnRun(known)
  if (known) requireUnbound(known)
  if (queue?.queue) return queueRun(context, plain, run, queue)
  if (!known) await requirePrograms(plain, context)
  if (isDetaching) return detach(context, store, run)
  const parts = known && isOver(known) ? plain : await withProbe(plain, context)
  await warnOfMissing(parts, context)
  const view = liveProgress(terminal, before ? await store.read(run) : [], run, await redactJson(holding(known, parts.config)), {
    folder: folderWords(context.project, config),
  })
  const others = known ? undefined : await othersLine(context.project, config)
  if (others) terminal.say(terminal.paint('yellow', `  note: ${others}`))
  const makeRoom = async (question: Question): Promise<void> => {
    view.makeRoom(question)
    if (isReview(question)) for (const line of await reviewedDiff(context, store, run)) terminal.say(line)
  }
  const person = canAsk && terminal.isLive ? { person: terminalPerson({ before: makeRoom }) } : {}
  const isNotified = (await loadConfig(context.project.configPath))?.notify !== false
  const activity = activityWriter(activityPath(context.project, run))
  const interrupt = onInterrupt(() => terminal.warn('Pausing: the agent is being ended. Press Ctrl-C again to leave at once.'))
  try {
    const result = await drive({ ...parts, ...person }, run, {
      signal: interrupt.signal,
      // Looked at again: two that begin at the same moment do not see each other before that is on record.
      onTakenUp: () => requireFolderFree(store, run, config),
      ...(answer === undefined ? {} : { answer }),
      mayUndo,
      onEvent: (event) => {
        view.onEvent(event)
        const asked = event.type === 'escalation.raised' || event.type === 'run.stopped' ? event.data.question : undefined
        if (asked && isNotified) void notifyOfQuestion(terminal, run, questionInWords(asked).text).catch(() => undefined)
        onEvent?.(event)
      },
      onProgress: (progress) => {
        view.onProgress(progress)
        activity.write(progress.line)
      },
    })
    view.close()
    if (config.sessions && OVER.has(result.status)) {
      const { removeRunSessions } = await import('../../registry/agent-tools.ts')
      await removeRunSessions(storePath, run)
    }
    await report(context, store, result)
    const rests = result.status === 'paused' ? await loadState(store, run, builtInFolds) : undefined
    // A parent that has nothing left but questions of its children waits for a person.
    return rests && isAnyAsking(rests) ? EXIT.waiting : exitCodeOf(result)
  } finally {
    view.close()
    activity.close()
    interrupt.dispose()
  }
}

/** A run whose agent or check isn't installed would only ask for it: it doesn't begin. A script of the project may be what the agent is to write. */
async function requirePrograms({ agent, fallbacks = [], config }: Parts, { project }: CliContext): Promise<void> {
  await requireKeptWhole(config)
  if (config.workspace.name === 'git' && (await resolveProgram('git', project.root, process.env['PATH'])).status !== 'found')
    throw new PawlError('workspace.git-missing', '`git` not found on PATH.\nInstall it: https://git-scm.com')
  const { command, program: own = Array.isArray(command) ? command[0] : undefined } = agent.spec.settings
  const isPath = typeof own === 'string' && own.includes('/')
  const trouble = fallbacks.length > 0 || isPath ? undefined : await agent.ready?.(project.root)
  if (trouble) {
    const offline = agent.spec.name === 'tinker' ? '' : '\nOr try --agent tinker (built in, offline).'
    throw new PawlError('agent.missing', `${trouble.message}\n${trouble.fix}${offline}`, { value: agentName(agent.spec) })
  }
  const isPrepared = config.proof !== false && (config.proof?.prepare ?? []).length > 0
  if (isPrepared || config.isolation !== undefined) return
  for (const { settings } of config.checks) {
    const [program] = Array.isArray(settings['command']) && settings['shell'] !== true ? settings['command'] : []
    if (typeof program !== 'string' || program.includes('/') || settings['env'] !== undefined) continue
    const found = await resolveProgram(program, project.root, process.env['PATH'])
    if (found.status === 'found') continue
    const sentence = `${found.message}\nInstall it, or correct the check "${String(settings['name'])}".`
    throw new PawlError('check.missing', sentence, { value: program })
  }
}

/** Nothing continues a session of such a run. */
const OVER: ReadonlySet<DriveResult['status']> = new Set(['completed', 'aborted'])

/** Finds agents that can't write before the real work is paid for: once for each version, permission mode and isolation. */
async function withProbe(parts: Parts, context: CliContext): Promise<Parts> {
  const { agent, roles = {}, fallbacks = [], config } = parts
  // Research only looks.
  if (config.probe === false || config.loop.name === 'research') return parts
  const main = await probed(agent, 'coder', config, context)
  const others: [string, Agent][] = []
  for (const [role, player] of Object.entries(roles))
    others.push([role, LOOKING.has(role) ? player : await probed(player, role, config, context)])
  const next: Agent[] = []
  for (const each of fallbacks) next.push(await probed(each, 'coder', config, context))
  return {
    ...parts,
    agent: main,
    ...(parts.roles ? { roles: Object.fromEntries(others) } : {}),
    ...(parts.fallbacks ? { fallbacks: next } : {}),
  }
}

/** Roles that change no files. */
const LOOKING: ReadonlySet<string> = new Set(['planner', 'reviewer'])

async function probed(agent: Agent, role: string, config: RunConfig, { terminal, project }: CliContext): Promise<Agent> {
  const { permissionMode = 'edit' } = agent.spec.settings
  if (permissionMode === 'read') return agent
  const version = await agent.version?.(project.root)
  if (version === undefined) return agent
  const name = agentName(agent.spec)
  const isolation = isolationOfRole(config.loop.name, role, config)?.name ?? 'none'
  const key = [agent.spec.name, version, permissionMode, isolation].join(' ')
  if (isProbed(key) || (await agent.ready?.(project.root))) return agent
  terminal.say(terminal.paint('dim', `  trying whether ${name} ${version} can write (once; --no-probe skips it)`))
  const interrupt = onInterrupt(() => undefined)
  const { PROBE, probeWriting, removeRunSessions, withProbeUsage } = await import('../../registry/agent-tools.ts')
  try {
    const probe = await probeWriting(agent, interrupt.signal)
    if (probe.status === 'cannot') {
      const cost = probe.costUsd === undefined ? '' : ` The try cost $${probe.costUsd.toFixed(2)}.`
      const sentence = `${name} ${version} can't write a file here. ${probe.message}${cost} ${probe.fix} To start without this test: --no-probe`
      throw new PawlError('agent.cannot-write', sentence, { value: name })
    }
    if (probe.status === 'writes') rememberProbe(key)
    return withProbeUsage(agent, probe)
  } finally {
    await removeRunSessions(project.storePath, PROBE)
    interrupt.dispose()
  }
}

/** Pawl looks for fallback agents only when it needs them, so it says now if one is missing. */
async function warnOfMissing({ fallbacks = [] }: Parts, { terminal, project }: CliContext): Promise<void> {
  for (const agent of fallbacks) {
    const trouble = await agent.ready?.(project.root)
    if (trouble) terminal.warn(`The fallback ${agentName(agent.spec)} isn't ready: ${trouble.message} ${trouble.fix}`)
  }
}

/**
 * What will hold: what a person's answer lifted, even if that is not recorded yet, stays until something new is given, and a run that
 * is over takes nothing new.
 */
function holding(known: State | undefined, given: RunConfig): RunConfig {
  if (!known) return given
  if (isOver(known)) return known.config
  return differenceOf(known.given, given) === undefined ? configWithAnswer(known).config : given
}

async function report({ terminal, isJson, project }: CliContext, store: Store, result: DriveResult): Promise<void> {
  if (isJson) {
    const state = await loadState(store, result.run, builtInFolds)
    const research = state && researchSummary(state)
    return terminal.json({
      ...(result.status === 'held' || !state ? result : outcomeDocument(state, await store.read(result.run))),
      ...(research ? { research } : {}),
      ...(state?.slices?.parallel ? { parallel: state.slices.parallel } : {}),
      exitCode: exitCodeOf(result),
    })
  }
  if (result.status === 'held') {
    const who = result.holder ? `process ${result.holder.pid} on ${result.holder.host}` : 'another process, which took it over'
    return terminal.say(`Run ${result.run} is driven by ${who}. Watch it with: pawl attach ${result.run}`)
  }
  if (result.status === 'completed') {
    const events = await store.read(result.run)
    const state = await loadState(store, result.run, builtInFolds)
    const place = state && (state.slices?.parallel ? undefined : worktreeOf(project, result.run, state.config))
    const view = runView(events)
    const said =
      view.iterations.findLast((iteration) => iteration.said !== undefined)?.said ?? (await lastLineSaid(store, events))
    for (const line of doneLines(view, terminal, { said, worktree: place, research: state && researchSummary(state) }))
      terminal.say(line)
    if (state) for (const line of parallelResult(state, terminal)) terminal.say(line)
    return
  }
  const view = runView(await store.read(result.run))
  if (view.question && !view.question.answer && isReview(view.question))
    for (const line of await reviewedDiff({ terminal, isJson, project }, store, result.run)) terminal.say(line)
  for (const line of [...stopCardLines(stopCard(view), terminal), ...halfDoneLines(view, terminal)]) terminal.say(line)
  const state = await loadState(store, result.run, builtInFolds)
  if (state) for (const line of parallelResult(state, terminal)) terminal.say(line)
}

/** What a run came to, as the process that drove it says it. */
export async function closingReport(context: CliContext, store: Store, run: string): Promise<void> {
  const state = await loadState(store, run, builtInFolds)
  if (state) await report(context, store, outcomeOf(state))
}

/** The last line of an agent that doesn't sum up its work. */
async function lastLineSaid(store: Store, events: readonly Event[]): Promise<string | undefined> {
  const work = events.findLast((event) => event.type === 'work.finished')
  const ref = work?.type === 'work.finished' ? (work.data.said ?? work.data.output) : undefined
  const text = ref && (await store.getText(ref))
  return text?.split('\n').findLast((line) => line.trim() !== '')
}

/** How to bring back what a paused agent had done so far. */
function halfDoneLines({ status, saved }: RunView, { paint }: Screen): readonly string[] {
  const last = saved.at(-1)
  if (status !== 'paused' || last === undefined || last.by !== undefined) return []
  const files = last.files ?? []
  const where = files.length === 0 ? '' : ` in ${filesWords(files, last.filesChanged)}`
  return [`Half-done work${where} was undone and kept.`, `  Bring it back  ${paint('cyan', last.command)}`]
}

/** Whether a child of the run waits for an answer. */
function isAnyAsking({ slices }: State): boolean {
  return Object.values(slices?.parallel?.children ?? {}).some(({ status }) => status === 'asking')
}

/** Whether a person is asked to review the work. */
function isReview({ options }: { readonly options: readonly { readonly choice: string }[] }): boolean {
  return ['approve', 'reject'].every((wanted) => options.some(({ choice }) => choice === wanted))
}

/** The work that a person is asked to review, cut, with the command for the whole. */
async function reviewedDiff(context: CliContext, store: Store, run: string): Promise<readonly string[]> {
  const events = await store.read(run)
  const { start, iterations } = runView(events)
  const to = iterations.findLast(({ snapshot }) => snapshot !== undefined)?.snapshot
  if (start === undefined || to === undefined) return []
  const { text } = await (await runWorkspace(context, events)).diff(start.snapshot, to)
  const lines = [...patchLines(text, context.terminal)]
  const more = lines.length - DIFF_LINES_MAX
  const rest = more > 0 ? [context.terminal.paint('dim', `… ${counted(more, 'more line')}: pawl diff ${run} --total`)] : []
  return ['', ...lines.slice(0, DIFF_LINES_MAX), ...rest, '']
}

const DIFF_LINES_MAX = 40

/** The folder that a run works in, if that isn't the whole repository, or not the folder that you are in. */
function folderWords({ root }: Project, { workspace, codebase }: RunConfig): string | undefined {
  if (codebase) return undefined
  const path = resolve(root, String(workspace.settings['path'] ?? '.'))
  const top = repositoryTop(path)
  const isPart = top !== undefined && top !== path
  const here = process.cwd()
  if (!isPart && here === path) return undefined
  const name = isPart ? relative(dirname(top), path) : path
  return here === path || !here.startsWith(path) ? name : `${name}, not only ${relative(path, here)}`
}

/** The run's state, who worked last, the odds if known, and the proof if any. */
function outcomeDocument(state: State, events: readonly Event[]) {
  return { ...outcomeOf(state), ...lastWorker(state.config, events), ...oddsNow(state), ...defined({ proof: proofView(state) }) }
}

/**
 * Ctrl-C pauses; a second one leaves at once, as `kill` would, which loses nothing but the work under way. Repeats within a moment are the
 * same wish: supervisors signal the process and its group, launchers hand on what they got themselves. A terminal that is closed may say so
 * twice too (the system does, and the shell), and nobody is impatient there.
 */
export function onInterrupt(tell: () => void): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  let firstAt = 0
  const interrupt = (name: NodeJS.Signals): void => {
    const isRepeat = controller.signal.aborted && (name === 'SIGHUP' || performance.now() - firstAt < REPEAT_MS_MAX)
    if (isRepeat) return
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    firstAt = performance.now()
    tell()
    controller.abort()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'] as const
  for (const name of signals) process.on(name, interrupt)
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of signals) process.off(name, interrupt)
    },
  }
}

const REPEAT_MS_MAX = 1000

/** Worktrees of other runs in the folder in which a run begins: programs that look for tests may find those in there too. */
async function othersLine({ root }: Project, { workspace }: RunConfig): Promise<string | undefined> {
  const { path = '.', worktree } = workspace.settings
  if (workspace.name !== 'git' || worktree === true) return undefined
  const others = await listWorktrees(resolve(root, String(path)))
  if (others.length === 0) return undefined
  const what = `${counted(others.length, 'worktree')} of other runs in .pawl/worktrees, where test runners may find tests`
  return `${what}; pawl clean removes those of runs that are over, pawl clean RUN any`
}

/** The run's own worktree, if it has one; its folder may have been removed since. */
function worktreeOf({ root }: Project, run: string, { workspace }: RunConfig): WorkPlace | undefined {
  const { path = '.', worktree } = workspace.settings
  if (worktree !== true) return undefined
  const folder = resolve(root, String(path), '.pawl', 'worktrees', run)
  return existsSync(folder) ? { folder: relative(root, folder) } : {}
}

/** The whole answer once a run of research stands, and where the whole is. Says nothing of other runs, and nothing as JSON. */
export async function tellResearch({ terminal, isJson }: CliContext, store: Store, run: string): Promise<void> {
  const result = isJson ? undefined : await researchOf(store, run)
  if (result) for (const line of researchLines(result, run, terminal)) terminal.say(line)
}

/** What research came to so far; `undefined` for a run of another loop. */
export async function researchOf(store: Store, run: string): Promise<ResearchResult | undefined> {
  const state = await loadState(store, run, builtInFolds)
  return state?.slices?.research && state.config.loop.name === 'research' ? researchResult(state) : undefined
}

/** Its answers with their code, and where the rest is. */
export function researchLines(result: ResearchResult, run: string, screen: Screen): readonly string[] {
  const refuted = result.withdrawn.filter((finding) => standingOf(finding) === 'refuted').length
  return [
    ...answerLines(answersOf(result), screen),
    ...(refuted > 0 ? [screen.paint('yellow', `${counted(refuted, 'statement')} refuted; the report lists them`)] : []),
    ...(result.findings.length > 0
      ? [screen.paint('dim', `All ${counted(result.findings.length, 'finding')}: pawl export ${run} --format report`)]
      : []),
  ]
}
