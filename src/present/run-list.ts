import { defined } from '../core/defined.ts'
import type { Seq } from '../core/event.ts'
import type { State } from '../core/state.ts'
import { attemptNumber, iterationsMaxIn } from '../core/unit.ts'
import { shortened } from '../core/wording.ts'
import { partName } from './config-view.ts'
import { damagedRow, runRow, type RunRow } from './run-table.ts'
import { questionInWords } from './words.ts'

/** One run in a list: what `pawl ls --json` has, and what a page draws beside it. */
export interface RunListRow extends RunRow {
  /** The last event of its journal. */
  readonly seq: Seq
  /** Who does the work. */
  readonly agent?: string
  readonly model?: string
  readonly iterationsMax?: number
  /** Failing tests before any work, if that was looked at, and after each of the last iterations. */
  readonly trend: readonly number[]
  /** Whether it waits for a person. */
  readonly isWaiting: boolean
  /** What it asks, shortened. */
  readonly question?: { readonly seq: Seq; readonly text: string }
}

/** The row of a run that nobody drives; `heldRow` says that somebody does. */
export function runListRow(state: State, updatedAt: number): RunListRow {
  const { seq, config, baseline, recent, question, unit, current } = state
  const row = runRow(state, false, updatedAt)
  const { model } = config.agent.settings
  const isWaiting = row.status === 'escalated' && state.answer === undefined
  return {
    ...row,
    seq,
    agent: partName(config.agent),
    ...(typeof model === 'string' ? { model } : {}),
    ...(row.tasks === undefined || row.tasks <= 1
      ? defined({ iterationsMax: iterationsMaxIn(config.guards, attemptNumber(unit, current.number)) })
      : {}),
    trend: [...(baseline ? [baseline.verdict.failing] : []), ...recent.map(({ verdict }) => verdict.failing)],
    isWaiting,
    ...(question && !state.answer
      ? { question: { seq: question.seq, text: shortened(questionInWords(question.question).text, QUESTION_LENGTH_MAX) } }
      : {}),
  }
}

const QUESTION_LENGTH_MAX = 200

/** The row of a run that a process drives now. */
export function heldRow(row: RunListRow): RunListRow {
  const { command, ...rest } = row
  const isForPerson = command?.startsWith('pawl answer') ?? false
  return { ...rest, isHeld: true, ...(isForPerson && command !== undefined ? { command } : {}) }
}

/** The row of a run whose journal can't be read. */
export function damagedListRow(run: string, seq: Seq, problem: string): RunListRow {
  return { ...damagedRow(run, problem, 0, 0), seq, trend: [], isWaiting: false }
}

/** What a search looks through. */
export function searchText({ run, goal = '', agent = '', problem = '' }: RunListRow): string {
  return `${run} ${goal} ${agent} ${problem}`.toLowerCase()
}
