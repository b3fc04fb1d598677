import { defined } from '../../core/defined.ts'
import { isOver, outcomeOf } from '../../core/outcome.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { configWithAnswer } from '../../core/raises.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { isProbed, rememberProbe } from '../../settings/user-files.ts'
import { agentName, type RunConfig } from '../../core/run-config.ts'
import type { Event } from '../../core/event.ts'
import type { State } from '../../core/state.ts'
import { redactJson } from '../../secrets/filter.ts'
import type { Answer, Parts } from '../../engine/parts.ts'
import type { SealedEvent, Store } from '../../stores/store.ts'
import { drive, type DriveResult } from '../../engine/drive.ts'
import { loadState } from '../../engine/session.ts'
import { differenceOf } from '../../engine/opening-facts.ts'
import { answeredRun } from '../../engine/person-facts.ts'
import { systemClock } from '../../process/clock.ts'
import { withHistory } from '../../evidence/own-history.ts'
import type { CliContext } from './cli-context.ts'
import { partsFrom } from '../../registry/parts-from.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { liveProgress } from './live-progress.ts'
import { requireOwnRun, requireUnbound } from './run-permissions.ts'
import { researchSummary } from '../../evidence/research-results.ts'
import { requireFolderFree } from '../../engine/run-in-folder.ts'
import { oddsNow, type RunView, runView } from '../../present/run-view.ts'
import { patchLines } from '../../present/workspace-lines.ts'
import { fitted, oneLine, type Screen } from '../../present/layout.ts'
import { questionInWords } from '../../present/words.ts'
import type { Question } from '../../core/question.ts'
import { activityPath, activityWriter } from './activity.ts'
import { detach } from './detach.ts'
import { notifyOfQuestion } from './notify.ts'
import { runWorkspace } from './run-tree.ts'
import { lastWorker } from '../../present/iteration-view.ts'
import { proofView } from '../../present/proof-view.ts'
import { spentWords } from '../../present/spent.ts'
import { stopCard, stopCardLines } from '../../present/card.ts'
import { terminalPerson } from './terminal-person.ts'
import { counted, duration, filesWords, iterationNoun } from '../../core/wording.ts'
import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { type Project, repositoryTop } from '../../settings/find-project.ts'
import { loadConfig } from '../../settings/load-config.ts'
import { listWorktrees } from '../../registry/workspace-tools.ts'
import { researchResult } from '../../loops/research/index.ts'
import { answerLines } from '../../loops/research/report.ts'

export interface DriveRunOptions {
  /** Whether a question may be asked on the terminal, when a person is looking. */
  readonly canAsk: boolean
  /** An answer to its question that takes effect together with the configuration, or not at all. */
  readonly answer?: Answer | undefined
  /** Start it in the background instead, and say how to watch it. */
  readonly detach?: boolean | undefined
  /** Told of every event, after it was shown. */
  readonly onEvent?: (event: SealedEvent) => void
}

/** Drives a run in the foreground: progress while it goes, one card or line when it stands, the exit code for scripts. */
export async function driveRun(
  context: CliContext,
  store: Store,
  run: string,
  config: RunConfig,
  { canAsk, answer, onEvent, detach: isDetaching = false }: DriveRunOptions,
): Promise<number> {
  const { terminal } = context
  const { storePath } = context.project
  await requireFolderFree(store, run, config)
  const before = await loadState(store, run, builtInFolds)
  const known = before && answer ? answeredRun(before, answer, systemClock.now()) : before
  const plain = await partsFrom(await withHistory(config, known, store, storePath), { store, storePath })
  if (known) requireOwnRun(known)
  if (known) requireUnbound(known)
  if (isDetaching) return detach(context, store, run)
  const parts = known && isOver(known) ? plain : await withProbe(plain, context)
  await warnOfMissing(parts, context)
  const view = liveProgress(terminal, before ? await store.read(run) : [], run, await redactJson(holding(known, parts.config)), {
    folder: folderWords(context.project, config),
  })
  const others = known ? undefined : await othersLine(context.project, config)
  if (others) terminal.say(terminal.paint('yellow', `  note             ${others}`))
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
    await report(context, store, result)
    return exitCodeOf(result.status)
  } finally {
    view.close()
    activity.close()
    interrupt.dispose()
  }
}

/** Finds an agent that can't write before the real work is paid for: once for each version, permission mode and isolation. */
async function withProbe(parts: Parts, { terminal, project }: CliContext): Promise<Parts> {
  const { agent, config } = parts
  const { permissionMode = 'edit' } = agent.spec.settings
  if (config.probe === false || permissionMode === 'read') return parts
  const version = await agent.version?.(project.root)
  if (version === undefined) return parts
  const name = agentName(agent.spec)
  const key = [agent.spec.name, version, permissionMode, config.isolation?.name ?? 'none'].join(' ')
  if (isProbed(key) || (await agent.ready?.(project.root))) return parts
  terminal.say(terminal.paint('dim', `  trying whether ${name} ${version} can write (once; --no-probe skips it)`))
  const interrupt = onInterrupt(() => undefined)
  try {
    const { probeWriting, withProbeUsage } = await import('../../registry/agent-tools.ts')
    const probe = await probeWriting(agent, interrupt.signal)
    if (probe.status === 'cannot') {
      const cost = probe.costUsd === undefined ? '' : ` The try cost $${probe.costUsd.toFixed(2)}.`
      const sentence = `${name} ${version} can't write a file here. ${probe.message}${cost} ${probe.fix} To go on without this check: --no-probe`
      throw new PawlError('agent.cannot-write', sentence, { value: name })
    }
    if (probe.status === 'writes') rememberProbe(key)
    return { ...parts, agent: withProbeUsage(agent, probe) }
  } finally {
    interrupt.dispose()
  }
}

/** Who is to go on when another cannot is not looked for before that: it is told now. */
async function warnOfMissing({ fallbacks = [] }: Parts, { terminal, project }: CliContext): Promise<void> {
  for (const agent of fallbacks) {
    const trouble = await agent.ready?.(project.root)
    if (trouble)
      terminal.warn(
        `${agentName(agent.spec)}, which is to go on when another cannot, is not ready: ${trouble.message} ${trouble.fix}`,
      )
  }
}

/**
 * What will hold: what a person's answer lifted, also where that is not recorded yet, stays until something new is given, and a run that
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
      exitCode: exitCodeOf(result.status),
    })
  }
  if (result.status === 'held') {
    const who = result.holder ? `process ${result.holder.pid} on ${result.holder.host}` : 'another process, which took it over'
    return terminal.say(`Run ${result.run} is driven by ${who}. Watch it with: pawl attach ${result.run}`)
  }
  if (result.status === 'completed') {
    const state = await loadState(store, result.run, builtInFolds)
    // The cost, or, where nobody knows that, the tokens.
    const used = [duration(result.activeMs), ...spentWords(result).slice(0, 1)].join(', ')
    terminal.say(
      terminal.paint('green', `Done after ${iterationNoun(result.iterations)} (${used}): ${closingWords(state, result.message)}`),
    )
    const where = state && whereLine(project, result.run, state.config)
    if (where) terminal.say(where)
    for (const line of await nextLines(store, runView(await store.read(result.run)), terminal)) terminal.say(line)
    return
  }
  const view = runView(await store.read(result.run))
  if (view.question && !view.question.answer && isReview(view.question))
    for (const line of await reviewedDiff({ terminal, isJson, project }, store, result.run)) terminal.say(line)
  for (const line of [...stopCardLines(stopCard(view), terminal), ...halfDoneLines(view, terminal)]) terminal.say(line)
}

/** What a run came to, as the process that drove it says it. */
export async function closingReport(context: CliContext, store: Store, run: string): Promise<void> {
  const state = await loadState(store, run, builtInFolds)
  if (state) await report(context, store, outcomeOf(state))
}

/** What to look at after a success, and what the agent said last. */
async function nextLines(
  store: Store,
  { run, iterations, start }: RunView,
  { columns, paint }: Screen,
): Promise<readonly string[]> {
  const said = iterations.findLast((iteration) => iteration.said !== undefined)?.said ?? (await lastLineSaid(store, run))
  const isChanged = start !== undefined && iterations.some(({ filesChanged = 0 }) => filesChanged > 0)
  return [
    ...(said === undefined ? [] : [`  Agent   ${fitted(oneLine(said), columns - 10)}`]),
    ...(isChanged ? [`  Review  ${paint('cyan', `pawl diff ${run} --total`)}`, `  Undo    pawl restore ${run} 0`] : []),
  ]
}

/** The last line of an agent that doesn't sum up its work. */
async function lastLineSaid(store: Store, run: string): Promise<string | undefined> {
  const work = (await store.read(run)).findLast((event) => event.type === 'work.finished')
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

/** The folder that a run works in, where that isn't the whole repository, or not the folder that you are in. */
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

/** Why the run is done. What a person accepted without proof is said so. */
function closingWords(state: State | undefined, message: string): string {
  const isOne = (state?.slices?.plan?.items.length ?? 1) === 1
  const proof = state && isOne ? proofView(state) : undefined
  return proof?.isAccepted ? proof.summary : message
}

/** Where the run stands, who worked last, the odds where they are known, and the proof where there is one. */
function outcomeDocument(state: State, events: readonly Event[]) {
  return { ...outcomeOf(state), ...lastWorker(state.config, events), ...oddsNow(state), ...defined({ proof: proofView(state) }) }
}

/**
 * Ctrl-C pauses; a second one leaves at once, as `kill` would, which loses nothing but the work under way. Repeats within a moment are the
 * same wish: supervisors signal the process and its group, launchers hand on what they got themselves. A terminal that is closed may say so
 * twice too (the system does, and the shell), and nobody is impatient there.
 */
function onInterrupt(tell: () => void): { readonly signal: AbortSignal; dispose(): void } {
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

/** Where the work of a completed run is, and how to bring it over; nothing where it is in the folder itself. */
function whereLine({ root }: Project, run: string, { workspace }: RunConfig): string | undefined {
  const { path = '.', worktree } = workspace.settings
  if (worktree !== true) return undefined
  const folder = resolve(root, String(path), '.pawl', 'worktrees', run)
  const bring = `bring it over with: pawl diff ${run} --total | git apply`
  // It may have been removed since.
  if (!existsSync(folder)) return `The work is kept as snapshots; ${bring}`
  return `The work is in ${relative(root, folder)} (pawl clean ${run} removes that folder afterwards); ${bring}`
}

/** The answers in short once a run of research stands, and where the whole is. Says nothing of other runs, and nothing as JSON. */
export async function tellResearch({ terminal, isJson }: CliContext, store: Store, run: string): Promise<void> {
  const state = isJson ? undefined : await loadState(store, run, builtInFolds)
  if (!state?.slices?.research || state.config.loop.name !== 'research') return
  const result = researchResult(state)
  for (const line of answerLines(result, terminal)) terminal.say(line)
  terminal.say(terminal.paint('dim', `All ${counted(result.findings.length, 'finding')}: pawl export ${run} --format report`))
}
