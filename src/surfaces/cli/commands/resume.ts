import { type Bound, boundNow, isOver, outcomeOf, sessionWords } from '../../../core/outcome.ts'
import { builtInFolds } from '../../../loops/evolve.ts'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import type { Store } from '../../../stores/store.ts'
import { loadState } from '../../../engine/session.ts'
import { differenceOf } from '../../../engine/opening-facts.ts'
import { answeredRun, knownState, unbindRun, waiveGuard } from '../../../engine/person-facts.ts'
import { forgetSession } from '../../../engine/bound-sessions.ts'
import { systemClock } from '../../../process/clock.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { requireOutsideWork, requireOwnRun } from '../run-permissions.ts'
import { driveRun, tellResearch } from '../drive-run.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import { giveAnswer, parseAnswer } from '../../../engine/answer-question.ts'
import { type ChangeFlags, reconfigured } from '../run-settings.ts'
import type { RunConfig } from '../../../core/run-config.ts'
import { openRun } from '../../../engine/until-work.ts'
import { outsideAgent, partsFrom } from '../../../registry/parts-from.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'

export interface ResumeFlags extends ChangeFlags {
  readonly due?: boolean
  readonly waive?: string
  /** An answer to the open question: it and what is changed take effect together. */
  readonly answer?: string
  /** Goes with the answer. */
  readonly note?: string
  readonly ask?: boolean
  /** Run in the background. */
  readonly detach?: boolean
  /** Take the run away from the session that it belongs to. */
  readonly unbind?: boolean
  /** After a crash: undo also what another run or a person changed since. */
  readonly undoChanges?: boolean
}

/** Resumes a run, or every run whose wait is over. */
export async function resume(context: CliContext, flags: ResumeFlags, run?: string): Promise<number> {
  if (flags.due === true && run !== undefined)
    throw new PawlError('usage.due', `--due resumes every run whose wait is over: leave out "${run}", or leave out --due.`)
  if (flags.note !== undefined && flags.answer === undefined)
    throw new PawlError('usage.note', '--note goes with an answer: add --answer and the option, or leave it out.')
  if (flags.due === true && flags.answer !== undefined)
    throw new PawlError('usage.due', '--answer is for one run: name it, and leave out --due.')
  if (flags.waive !== undefined && flags.answer !== undefined)
    throw new PawlError('usage.waive', '--waive and --answer both continue the run: leave out one of them.')
  if (flags.detach && (flags.due || flags.waive !== undefined || flags.unbind))
    throw new PawlError('usage.detach', '--detach goes with one run, and without --waive or --unbind: give those first.')
  if (flags.queue === true && (flags.due === true || flags.waive !== undefined || flags.unbind || flags.answer !== undefined))
    throw new PawlError('usage.queue', '--queue goes without --due, --waive, --unbind and --answer: give those first.')
  if (flags.due === true) return withStore(context, (store) => resumeDue(context, store))
  if (run === undefined)
    throw new PawlError('usage.no-run', 'Which run? Give its name (pawl ls lists them), or --due for all whose wait is over.')
  await requireOutsideWork(context, run, 'resumed')
  return withStore(context, (store) => resumeOne(context, store, run, flags))
}

async function resumeOne(context: CliContext, store: Store, run: string, flags: ResumeFlags): Promise<number> {
  const known = await knownState(store, run)
  const parent = await openParent(store, known)
  if (parent) return resumeParent(context, store, known, parent, flags)
  requireOwnRun(known)
  const bound = flags.unbind === true ? undefined : boundNow(known)
  const { program } = known.config
  const elsewhere = bound ? sessionWords(bound) : program
  if (flags.answer !== undefined && elsewhere !== undefined)
    throw new PawlError('usage.answer', `Run ${run} continues in ${elsewhere}: answer it with pawl answer ${run}.`)
  if (program !== undefined && flags.waive === undefined && flags.unbind !== true)
    throw new PawlError('run.of-a-program', `Run ${run} has parts that are functions of ${program}: resume it with that program.`)
  if (elsewhere !== undefined && (program !== undefined || flags.waive !== undefined)) {
    if (flags.unbind === true) await unbind(context, store, known)
    return flags.waive === undefined ? EXIT.done : waiveOnly(context, store, known, flags.waive, elsewhere)
  }
  // Nothing is written before all that was wished for is known to make sense.
  const answer = flags.answer === undefined ? undefined : parseAnswer(known, flags.answer, flags.note)
  const answered = answer ? answeredRun(known, answer, systemClock.now()) : known
  const { root, configPath } = context.project
  if (flags.reload === true && !existsSync(configPath))
    throw new PawlError('usage.reload', `--reload takes the settings of pawl.yaml, and there is none in ${root}.`)
  const hash = flags.reload === true ? createHash('sha256').update(readFileSync(configPath)).digest('hex') : ''
  const config = reconfigured(answered, flags, await loadConfig(configPath), { root, hash })
  if (flags.unbind === true) await unbind(context, store, known)
  if (flags.waive !== undefined) await waive(store, run, flags.waive)
  if (bound && differenceOf(known.given, config) !== undefined) return changeBoundRun(context, store, run, { config, bound })
  const code = await driveRun(context, store, run, config, {
    canAsk: flags.ask !== false,
    answer,
    detach: flags.detach,
    queue: flags,
    mayUndo: flags.undoChanges === true,
  })
  if (code === EXIT.held && answer)
    context.terminal.warn(`Nothing was answered or changed. To answer all the same: pawl answer ${run}`)
  await tellResearch(context, store, run)
  return code
}

/** One of several parallel runs continues with the run that drives it. */
async function resumeParent(context: CliContext, store: Store, child: State, parent: State, flags: ResumeFlags): Promise<number> {
  const { answer, note, ask, detach, ...others } = flags
  if (Object.values(others).some((value) => value !== undefined))
    throw new PawlError(
      'usage.child',
      `Run ${child.run} is one of ${parent.run}, so settings can't be changed here: answer it with pawl answer ${child.run}.`,
    )
  if (answer !== undefined) await giveAnswer(store, child, answer, note)
  return continueParent(context, store, parent, { canAsk: ask !== false, detach })
}

/** Drives a parent, or says who does. */
export async function continueParent(
  context: CliContext,
  store: Store,
  { run, given }: State,
  options: { readonly canAsk: boolean; readonly detach?: boolean | undefined },
): Promise<number> {
  const holder = await store.holder(run)
  if (!holder) return driveRun(context, store, run, given, options)
  context.terminal.say(`Process ${holder.pid}, which drives ${run}, continues it.`)
  return EXIT.done
}

/** The run that drives this one, unless that is over. */
export async function openParent(store: Store, { config }: State): Promise<State | undefined> {
  const parent = config.parent === undefined ? undefined : await loadState(store, config.parent, builtInFolds)
  return parent && !isOver(parent) ? parent : undefined
}

/** Someone else continues the run: the permission is there when they do. */
async function waiveOnly(
  { terminal, isJson }: CliContext,
  store: Store,
  state: State,
  guard: string,
  elsewhere: string,
): Promise<number> {
  const { run, status } = state
  if (isOver(state)) throw new PawlError('run.over', `Run ${run} is ${status} already.`)
  await waive(store, run, guard)
  if (isJson) terminal.json({ run, waived: guard })
  else terminal.say(`${guard} may be passed once. It takes effect when ${elsewhere} continues ${run}.`)
  return EXIT.done
}

/** The session is let go at its next stop; it hears nothing before that. */
async function unbind({ project, terminal }: CliContext, store: Store, state: State): Promise<void> {
  const bound = boundNow(state)
  if (!bound) throw new PawlError('usage.unbind', `Run ${state.run} belongs to no session: leave out --unbind.`)
  await unbindRun(store, systemClock, state.run, bound)
  forgetSession(dirname(project.storePath), bound)
  terminal.say(`Run ${state.run} no longer belongs to ${sessionWords(bound)}, which is let go when it ends its turn.`)
}

async function waive(store: Store, run: string, guard: string): Promise<void> {
  const { config } = await knownState(store, run)
  const names = config.guards.map((spec) => spec.name)
  const isCombined = config.guards.some((spec) => spec.parts !== undefined)
  if (!names.includes(guard) && !isCombined)
    throw new PawlError('usage.unknown-guard', `Run ${run} has no guard "${guard}"; it has ${names.join(', ')}.`, {
      value: guard,
    })
  await waiveGuard(store, systemClock, run, guard)
}

/** One after another: each works in the same folder. The worst exit code counts. */
async function resumeDue(context: CliContext, store: Store): Promise<number> {
  let worst: number = EXIT.done
  let count = 0
  for (const { run } of await store.runs()) {
    const state = await loadState(store, run, builtInFolds)
    const isWaiting = state?.status === 'running' || state?.status === 'paused'
    if (!isWaiting || !state.timer || state.timer.until > Date.now()) continue
    if (state.config.program !== undefined || boundNow(state)) continue
    count++
    worst = Math.max(worst, await driveRun(context, store, run, state.given, { canAsk: false }))
  }
  if (count === 0) context.terminal.say('No run is due.')
  return worst
}

/**
 * Gives a run that belongs to a session another configuration: a check that was mistyped, a raised limit. No agent is started; what
 * the new checks say of the work is found out at once if that was the question.
 */
export async function changeBoundRun(
  { project, terminal, isJson }: CliContext,
  store: Store,
  run: string,
  { config, bound }: { readonly config: RunConfig; readonly bound: Bound },
): Promise<number> {
  const { storePath } = project
  const { state } = await openRun(
    await partsFrom(config, { store, storePath, agent: outsideAgent(config.agent), ceilings: ceilingsOf(storePath) }),
    run,
  )
  const outcome = outcomeOf(state)
  if (isJson) terminal.json({ ...outcome, bound: { agent: bound.agent, session: bound.session } })
  else {
    const { message, status } = state
    const goesOn = status === 'running' ? ` It continues when ${sessionWords(bound)} ends its turn.` : ''
    terminal.say(`Run ${run} is changed. ${message}${goesOn}`)
  }
  return state.status === 'running' ? EXIT.done : exitCodeOf(outcome)
}
