import { type Action, isRepeated, LABEL_LENGTH_MAX } from '../core/action.ts'
import type { Spinning, Usage } from '../core/event-data.ts'
import type { Effect } from '../core/effect.ts'
import type { Guard, WorkSoFar } from '../core/guard.ts'
import { isDone } from '../core/state.ts'
import { type Trip, tripTopic } from '../core/trip.ts'
import { watchWork } from '../core/watch-work.ts'
import type { WorkResult } from '../agents/agent.ts'
import type { EffectContext, WorkReport } from '../process/effect-context.ts'
import { cleanText } from '../process/output.ts'
import { redactedLine } from '../secrets/filter.ts'
import type { FilesStamp } from '../workspaces/workspace.ts'
import type { Performance } from './performance.ts'
import { spinningBy } from './spinning-text.ts'

/** Limits and guards over one agent at work. */
export interface WorkWatch {
  /** The context that the driver gets: it reports through it, and its signal ends the work. */
  readonly context: EffectContext
  /** Stops watching. Resolves with why the work was ended, or why the agent stopped by itself at a limit. */
  end(result?: WorkResult): Promise<Trip | undefined>
  /** The actions, with the files' state if noted. */
  withFiles(actions: readonly Action[], cut: number): readonly Action[]
}

/** Asks the guards at every report of the driver, and at intervals between reports. */
export function watchedContext(plain: EffectContext, { key }: Pick<Effect, 'key'>, performance: Performance): WorkWatch {
  const { parts, state, cwd, post, signal, onProgress, inFlight = new Map<string, Usage>() } = performance
  const over = new AbortController()
  const passOn = (): void => over.abort(signal.reason)
  signal.addEventListener('abort', passOn)
  if (signal.aborted) passOn()
  const actions: Action[] = []
  /** By the number of the action, counted from the start of the work. */
  const stamps = new Map<number, string>()
  const warned = new Set<string>()
  let guards: readonly Guard[] | undefined
  let report: WorkReport = { used: {}, messages: 0, actions: [], actionsCut: 0, words: '' }
  let line = ''
  let spinning: Spinning | undefined
  let seenWords = ''
  let seenAt = parts.clock.now()
  let asks = 0
  let endedBy: Trip | undefined
  let takeWarning: ((warning: string) => void) | undefined
  /** What takes a moment is done in order, and done before the end of the work is recorded. */
  let pending: Promise<void> = Promise.resolve()
  const later = (task: () => Promise<void>): void => {
    pending = pending.then(task).catch(() => undefined)
  }

  const soFar = (used: Usage, quietMs: number): WorkSoFar => {
    const { messages } = report
    return { used, messages, actions, quietMs, ...(spinning ? { spinning } : {}) }
  }
  const watch = (work: WorkSoFar) => {
    guards ??= state.config.guards.map((spec) => parts.definition.guard(spec)).filter((guard) => guard.watch)
    const { end, warnings } = watchWork(guards, state, work)
    return { end, warnings: warnings.filter((trip) => !warned.has(tripTopic(trip))) }
  }
  const judge = (quietMs = 0): void => {
    if (signal.aborted || endedBy) return
    const { end, warnings } = watch(soFar(usedNow(), quietMs))
    for (const trip of warnings) warn(trip)
    if (!end) return
    endedBy = end
    over.abort()
  }
  /** What all agents at work have used that isn't in the totals of the state. */
  const usedNow = (): Usage => {
    const others = [...inFlight].filter(([each]) => each !== key && !isDone(state, each)).map(([, used]) => used)
    return [report.used, ...others].reduce(together)
  }
  const warn = (trip: Trip): void => {
    warned.add(tripTopic(trip))
    const type = guards?.find(({ spec }) => spec.name === trip.guard)?.warning ?? 'guard.nudged'
    later(() => post([{ type, at: parts.clock.now(), by: { role: 'guard', name: trip.guard }, data: trip }]))
    takeWarning?.(`${trip.message} ${trip.hint}`)
  }
  /** What isn't known changes nothing. */
  const stampNow = async (): Promise<FilesStamp | undefined> => parts.workspace.stamp?.(state.run).catch(() => undefined)
  const lookAtActions = async (fresh: readonly Action[]): Promise<void> => {
    let looked: Promise<FilesStamp | undefined> | undefined
    for (const action of fresh) {
      const before = [...state.measures.actions.last, ...actions]
      const isAgain = !action.isWaiting && before.some((each) => isRepeated(each, action))
      if (isAgain) looked ??= stampNow()
      const files = isAgain ? (await looked)?.stamp : undefined
      if (files !== undefined) stamps.set(actions.length, files)
      const clean = isAgain ? await withCleanLabel(action, cwd) : action
      // Only now: without the state of the files, it would equal any other.
      actions.push(files === undefined ? clean : { ...clean, files })
    }
    judge()
  }
  const lookAtWords = (): void => {
    const { words } = report
    if (words === seenWords) return
    seenWords = words
    later(async () => {
      spinning = (await spinningBy({ words })).spinning
      judge()
    })
  }
  const lookAtQuiet = async (): Promise<void> => {
    const quiet = (): number => parts.clock.now() - seenAt
    const { end, warnings } = watch(soFar(usedNow(), quiet()))
    if (asks > 0 || (!end && warnings.length === 0)) return
    // Looked at only when it matters.
    const changedAt = (await stampNow())?.changedAt ?? 0
    // Files have the machine's time, which may have been set since: how long ago that was is what counts.
    seenAt = Math.max(seenAt, parts.clock.now() - Math.max(0, Date.now() - changedAt))
    judge(quiet())
  }
  const timer = setInterval(() => {
    lookAtWords()
    later(lookAtQuiet)
  }, LOOK_MS)
  timer.unref()

  const { ask } = plain
  const context: EffectContext = {
    ...plain,
    signal: over.signal,
    progress: (told) => {
      line = told
      seenAt = parts.clock.now()
      plain.progress(told)
    },
    report: (next) => {
      const isSpending = next.used.costUsd !== report.used.costUsd || next.used.tokens !== report.used.tokens
      const known = report.actionsCut + report.actions.length
      report = next
      seenAt = parts.clock.now()
      inFlight.set(key, next.used)
      if (isSpending) onProgress?.({ key, line, used: next.used })
      const count = next.actionsCut + next.actions.length - known
      if (count > 0) later(() => lookAtActions(next.actions.slice(-count)))
      judge()
    },
    onWarning: (take) => {
      takeWarning = take
    },
    ...(ask
      ? {
          ask: async (...asked) => {
            asks++
            return ask(...asked).finally(() => {
              asks--
              seenAt = parts.clock.now()
            })
          },
        }
      : {}),
  }
  return {
    context,
    end: async (result) => {
      clearInterval(timer)
      signal.removeEventListener('abort', passOn)
      await pending
      const isAtLimit = result?.status === 'finished' && result.isAtLimit
      return endedBy ?? (isAtLimit ? watch(soFar(together(result, {}), 0)).end : undefined)
    },
    withFiles: (all, cut) =>
      all.map((action, index) => {
        const files = stamps.get(cut + index)
        return files === undefined ? action : { ...action, files }
      }),
  }
}

/** How often an agent that reports nothing is looked at. */
const LOOK_MS = 1000

/** For people, as after the work: without control characters and secrets, and short. */
async function withCleanLabel({ label, ...action }: Action, cwd: string): Promise<Action> {
  const short = label === undefined ? '' : await redactedLine(cleanText(label).replaceAll(`${cwd}/`, ''), LABEL_LENGTH_MAX)
  return { ...action, name: cleanText(action.name), ...(short === '' ? {} : { label: short }) }
}

function together(one: Usage, other: Usage): Usage {
  const costUsd = (one.costUsd ?? 0) + (other.costUsd ?? 0)
  const tokens = (one.tokens ?? 0) + (other.tokens ?? 0)
  return { ...(costUsd === 0 ? {} : { costUsd }), ...(tokens === 0 ? {} : { tokens }) }
}
