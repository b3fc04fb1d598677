import type { Event } from '../../core/event.ts'
import type { Question } from '../../core/question.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { Progress } from '../../engine/parts.ts'
import { headLines, liveLine, type LiveMoment, rulesAndGrounds, runProgress } from '../../present/progress.ts'
import { shortened } from '../../core/wording.ts'
import { folded, oneLine, shortDuration } from '../../present/layout.ts'
import type { Terminal } from './terminal.ts'

/** Shows a run while it goes: one line for what has happened, and on a terminal one live line for what is happening. */
export interface LiveProgress {
  readonly onEvent: (event: Event) => void
  readonly onProgress: (progress: Progress) => void
  /** Shows one line of what the agent does, as it is read from another process. */
  readonly onActivity: (line: string) => void
  /**
   * Makes room for a question that is asked on the spot: takes the live line away, until something happens again, and shows what the
   * question rests on, so that nobody has to leave it to learn that.
   */
  readonly makeRoom: (question: Question) => void
  readonly close: () => void
}

export interface LiveProgressOptions {
  /** The folder to name in the header; absent if it is the obvious one. */
  readonly folder?: string | undefined
  /** How often a line says what the agent does if there is no live line, such as in a CI log. Default 30,000. */
  readonly activityMsMin?: number
}

/** `past` are the events before this process took the run up. */
export function liveProgress(
  terminal: Terminal,
  past: readonly Event[],
  run: string,
  config: RunConfig,
  { folder, activityMsMin = 30_000 }: LiveProgressOptions = {},
): LiveProgress {
  const progress = runProgress(past)
  const activeMsBefore = progress.run.state?.totals.activeMs ?? 0
  let isResting = false
  const openedAt = performance.now()
  // A line stays a line if another program reads it.
  const say = (line: string): void => {
    for (const each of terminal.isLive ? folded(line, terminal.columns) : [line]) terminal.say(each)
  }
  for (const line of headLines(run, config, terminal, folder)) say(line)

  let activitySaidAt = openedAt
  const sayActivity = (line: string): void => say(terminal.paint('dim', `    ${shortened(oneLine(line), ACTIVITY_LENGTH_MAX)}`))
  let frame = 0
  const draw = (): void => {
    if (isResting) return
    const activeMs = activeMsBefore + performance.now() - openedAt
    const moment: LiveMoment = { frame: frame++, activeMs, config, now: Date.now() }
    terminal.live(liveLine(progress, moment, terminal))
  }
  const timer = terminal.isLive ? setInterval(draw, 120) : undefined
  timer?.unref()

  return {
    onEvent: (event) => {
      isResting = false
      for (const line of progress.take(event, terminal)) say(line)
    },
    onProgress: ({ key, line, used }) => {
      if (line !== '') progress.now = line
      const now = performance.now()
      const isSaid = !terminal.isLive && line !== '' && now - activitySaidAt >= activityMsMin
      if (isSaid) activitySaidAt = now
      if (isSaid) sayActivity(`${shortDuration(activeMsBefore + now - openedAt)}  ${line}`)
      if (used) progress.inFlight.set(key, used)
    },
    onActivity: (line) => {
      progress.now = line
      sayActivity(line)
    },
    makeRoom: (question) => {
      isResting = true
      terminal.live(undefined)
      for (const line of rulesAndGrounds(question, progress.run, terminal)) terminal.say(line)
    },
    close: () => {
      clearInterval(timer)
      terminal.live(undefined)
    },
  }
}

const ACTIVITY_LENGTH_MAX = 160
