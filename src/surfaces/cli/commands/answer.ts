import { FALSE_ALARM } from '../../../core/question.ts'
import { boundNow, sessionWords } from '../../../core/outcome.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { State } from '../../../core/state.ts'
import type { Store } from '../../../stores/store.ts'
import { knownState, nothingToAnswer } from '../../../engine/person-facts.ts'
import { loadConfig } from '../../../settings/load-config.ts'
import { reconfigured } from '../run-settings.ts'
import { type CliContext, withStore } from '../cli-context.ts'
import { driveRun } from '../drive-run.ts'
import { continueParent, openParent, resume } from './resume.ts'
import { falseAlarm, giveAnswer, isOnlyDoubt, openQuestion } from '../../../engine/answer-question.ts'
import { requireOutsideWork } from '../run-permissions.ts'
import { EXIT } from '../exit-codes.ts'
import { questionLines } from '../../../present/card.ts'
import { holderOf } from '../stored-run.ts'
import { settleAnswer } from '../../../registry/settle-answer.ts'
import { ceilingsOf } from '../../../settings/ceilings.ts'

export interface AnswerFlags {
  readonly note?: string
  readonly resume?: boolean
  /** With `resume`: takes what pawl.yaml says now. */
  readonly reload?: boolean
  /** With `false-alarm`: only this guard was wrong, also one that only warned. */
  readonly guard?: string
}

/** Answers a run's question; without a choice it only shows the question. */
export async function answer(context: CliContext, flags: AnswerFlags, run: string, choice?: string): Promise<number> {
  const { terminal } = context
  const isAlarm = choice?.trim() === FALSE_ALARM
  if (flags.guard !== undefined && !isAlarm)
    throw new PawlError(
      'usage.guard',
      `--guard says which guard was wrong: pawl answer ${run} ${FALSE_ALARM} --guard ${flags.guard}`,
    )
  if (choice === undefined && flags.note !== undefined)
    throw new PawlError(
      'usage.note',
      `--note goes with an answer: pawl answer ${run} 1 --note "…" (pawl answer ${run} shows the options).`,
    )
  if (flags.reload === true) {
    if (flags.resume !== true || choice === undefined || isAlarm)
      throw new PawlError('usage.reload', `--reload goes with an answer that resumes: pawl answer ${run} 1 --resume --reload`)
    return resume(context, { answer: choice, reload: true, ...(flags.note === undefined ? {} : { note: flags.note }) }, run)
  }
  // Without a choice the question is only shown.
  if (choice !== undefined) await requireOutsideWork(context, run, 'answered')
  return withStore(context, async (store) => {
    const state = await knownState(store, run)
    if (flags.guard !== undefined && !isOnlyDoubt(state, flags.guard)) return disputed(context, store, flags, run, flags.guard)
    if (!state.question) throw await nothingToAnswer(store, state)
    const question = openQuestion(state)
    if (choice === undefined) {
      if (context.isJson) terminal.json({ run, question })
      else for (const line of questionLines(run, question, terminal)) terminal.say(line)
      return EXIT.waiting
    }
    const isElsewhere = state.config.program !== undefined || boundNow(state) !== undefined
    const written = flags.resume === true && !isElsewhere ? await loadConfig(context.project.configPath) : undefined
    const { option, note } = await giveAnswer(store, state, choice, flags.note)
    const parent = await openParent(store, state)
    if (parent && flags.resume === true) return continueParent(context, store, parent, { canAsk: true })
    if (flags.resume === true && !isElsewhere) {
      const given = reconfigured(await knownState(store, run), {}, written)
      return driveRun(context, store, run, given, { canAsk: true })
    }
    const isEnding = option?.consequence.kind === 'abort'
    const settled =
      isElsewhere || isEnding
        ? await settleAnswer({ ...context.project, ceilings: ceilingsOf(context.project.storePath) }, store, run)
        : undefined
    const follows = settled ? `The run is ${settled.status}.` : await whatFollows(store, state, option?.consequence.kind)
    if (context.isJson) terminal.json({ run, choice: option?.choice, note: note ?? null })
    else terminal.say(`Answered ${run}: ${option?.label}. ${follows}`)
    return EXIT.done
  })
}

/** The run continues unless another guard objects. */
async function disputed(context: CliContext, store: Store, flags: AnswerFlags, run: string, guard: string): Promise<number> {
  const { terminal } = context
  const { standing } = await falseAlarm(store, run, guard, flags.note)
  const state = await knownState(store, run)
  const isAsking = state.question !== undefined
  if (flags.resume === true && !isAsking && state.config.program === undefined && !boundNow(state))
    return driveRun(context, store, run, state.given, { canAsk: true })
  if (context.isJson) terminal.json({ run, choice: FALSE_ALARM, guard, note: flags.note ?? null, standing })
  else {
    const rest = isAsking ? `Its question stays open${because(standing)}: pawl answer ${run}` : nextStep(state, 'continue')
    terminal.say(`Counted against ${guard}, which may be passed once. ${rest}`)
  }
  return isAsking ? EXIT.waiting : EXIT.done
}

function because(standing: readonly string[]): string {
  return standing.length === 0 ? '' : ` because of ${standing.join(' and ')}`
}

/** Whoever waits with the question takes the answer at once. */
async function whatFollows(store: Store, state: State, kind: string | undefined): Promise<string> {
  const holder = await holderOf(store, state.run)
  return holder ? `Process ${holder.pid}, which drives it, takes it up.` : nextStep(state, kind)
}

function nextStep(state: State, kind: string | undefined): string {
  const { run, config } = state
  const { program } = config
  const bound = boundNow(state)
  if (bound)
    return `It continues when ${sessionWords(bound)} ends its turn; to continue here instead: pawl resume ${run} --unbind`
  if (program !== undefined) return `It takes effect when ${program} continues it.`
  return kind === 'continue' ? `Continue with: pawl resume ${run}` : `It takes effect with: pawl resume ${run}`
}
