import type { Event } from '../../core/event.ts'
import type { Question } from '../../core/question.ts'
import type { RunConfig } from '../../core/run-config.ts'
import type { State } from '../../core/state.ts'
import type { Progress } from '../../engine/parts.ts'
import { headLines, liveLine, type LiveMoment, progressAfter, rulesAndGrounds, type RunProgress } from '../../present/progress.ts'
import { folded } from '../../present/layout.ts'
import type { Terminal } from './terminal.ts'

/** Shows a run while it goes: one line for what has happened, and on a terminal one live line for what is happening. */
export interface LiveProgress {
  readonly onEvent: (event: Event) => void
  readonly onProgress: (progress: Progress) => void
  /**
   * Makes room for a question that is asked on the spot: takes the live line away, until something happens again, and shows what the
   * question rests on, so that nobody has to leave it to learn that.
   */
  readonly makeRoom: (question: Question) => void
  readonly close: () => void
}

/** `known` is the state before this process took the run up. */
export function liveProgress(terminal: Terminal, known: State | undefined, run: string, config: RunConfig): LiveProgress {
  let progress: RunProgress = { state: known, now: 'starting', written: [], isAbstentionSaid: false }
  let isResting = false
  const openedAt = Date.now()
  // A line stays a line if another program reads it.
  const say = (line: string): void => {
    for (const each of terminal.isLive ? folded(line, terminal.columns) : [line]) terminal.say(each)
  }
  const [title, summary] = headLines(run, config, terminal)
  terminal.say(title)
  say(summary)

  let frame = 0
  const draw = (): void => {
    if (isResting) return
    const activeMs = (known?.totals.activeMs ?? 0) + Date.now() - openedAt
    const moment: LiveMoment = { frame: frame++, activeMs, config }
    terminal.live(liveLine(progress, moment, terminal))
  }
  const timer = terminal.isLive ? setInterval(draw, 120) : undefined
  timer?.unref()

  return {
    onEvent: (event) => {
      const { lines, ...after } = progressAfter(progress, event, terminal)
      progress = after
      isResting = false
      for (const line of lines) say(line)
    },
    onProgress: ({ line }) => {
      progress = { ...progress, now: line }
    },
    makeRoom: (question) => {
      isResting = true
      terminal.live(undefined)
      for (const line of rulesAndGrounds(question, progress, terminal)) terminal.say(line)
    },
    close: () => {
      clearInterval(timer)
      terminal.live(undefined)
    },
  }
}
