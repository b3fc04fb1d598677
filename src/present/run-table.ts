import { type Bound, boundNow, outcomeOf, sessionWords } from '../core/outcome.ts'
import type { ProofLevel } from '../core/proof.ts'
import type { RunStatus, State } from '../core/state.ts'
import { type Spent, spentOf, totalsSoFar } from '../core/spending.ts'
import { importedFrom } from '../evidence/transcripts/turn-facts.ts'
import type { Verdict } from '../core/verdict.ts'
import { goalOf } from './run-view.ts'
import { failingWords, statusWord } from './run-lines.ts'
import { nextCommand, STATUS_STYLES } from './card.ts'
import { runProof } from './proof-view.ts'
import { costCell, tokensCell } from './spent.ts'
import { ago, type Column, fitted, labelled, type Screen, shortDuration, tableOf } from './layout.ts'
import { counted } from '../core/wording.ts'
import { defined } from '../core/defined.ts'

/** One run in the list of `pawl ls`; its JSON is an array of these. */
export interface RunRow extends Spent {
  readonly run: string
  /** `damaged` when its journal cannot be read: `problem` says why. */
  readonly status: RunStatus | 'damaged'
  /** Whether a process drives it now. */
  readonly isHeld: boolean
  /** Set if a worker takes it when it is due. */
  readonly isQueued?: true
  /** Set for a record of an agent's session that Pawl did not run. */
  readonly isImported?: true
  /** The agent's session that continues it. */
  readonly bound?: Bound
  /** What a person can do about it. */
  readonly command?: string
  readonly loop?: string
  readonly goal?: string
  /** How many tasks it has, if several, and how many of them are done. */
  readonly tasks?: number
  readonly tasksDone?: number
  readonly iterations: number
  /** Failing tests at first (before any work, if that was looked at) and at last. */
  readonly failingFirst?: number
  readonly failingLast?: number
  /** How many of the tests that ran at first did not run at last; absent if all did. */
  readonly notRun?: number
  /** How far research has come, in place of what fails. */
  readonly research?: 'FULL' | 'PARTIAL' | 'not_converged'
  /** How far a run that is complete is proven: with several tasks, the weakest of their proofs. Absent if one has none. */
  readonly proof?: ProofLevel
  readonly startedAt: number
  readonly updatedAt: number
  readonly problem?: string
}

/** The row of a run as its state says. */
export function runRow(state: State, isHeld: boolean, updatedAt: number, isQueued = false): RunRow {
  const { run, config, slices: { plan, research } = {}, startedAt } = state
  const { status, iterations } = outcomeOf(state)
  const bound = boundNow(state)
  const elsewhere = bound ? sessionWords(bound) : config.program
  const isImported = importedFrom(config) !== undefined
  const isTaken = isQueued && status !== 'escalated' && status !== 'stopped'
  const command = isImported || isTaken ? undefined : nextCommand(run, status, isHeld, state.answer !== undefined, elsewhere)
  const tasks = plan?.items.length ?? 0
  return {
    run,
    status,
    isHeld,
    ...(isTaken ? { isQueued } : {}),
    ...(isImported ? { isImported } : {}),
    ...defined({ bound: bound && { agent: bound.agent, session: bound.session }, command }),
    loop: config.loop.name,
    ...defined({ goal: goalOf(state) }),
    ...(plan ? { tasks, tasksDone: status === 'completed' ? tasks : Math.max(0, plan.index) } : {}),
    iterations,
    ...(config.loop.name === 'research'
      ? { research: research?.convergences.at(-1)?.status ?? 'not_converged' }
      : failingOf(state)),
    ...spentOf(totalsSoFar(state)),
    ...defined({ proof: runProof(state) }),
    startedAt,
    updatedAt,
  }
}

/** The row of a run whose journal cannot be read: one bad run must not hide the others. */
export function damagedRow(run: string, problem: string, startedAt: number, updatedAt: number): RunRow {
  const nothing = { isHeld: false, iterations: 0, activeMs: 0 }
  return { run, status: 'damaged', ...nothing, command: `pawl verify ${run}`, startedAt, updatedAt, problem }
}

/** A state remembers its last iterations only, so without a look before any work the first figure may be unknown. */
function failingOf({ baseline, recent, config }: State): Pick<RunRow, 'failingFirst' | 'failingLast' | 'notRun'> {
  const verdicts = recent.map(({ verdict }) => verdict)
  const seen = importedFrom(config) ? verdicts.filter(isOfReport) : verdicts
  const first = baseline?.verdict ?? (recent[0]?.iteration === 1 ? seen[0] : undefined)
  return defined({
    failingFirst: first?.failing,
    failingLast: seen.at(-1)?.failing,
    notRun: recent.at(-1)?.notRun,
  })
}

/** In an imported session what was not checked is as it was; before the first report that is nothing at all. */
function isOfReport({ passed, failing, score }: Verdict): boolean {
  return passed || failing > 0 || score > 0
}

/**
 * One line a run. The status says what to type next; if that leaves no room for the goal, only its verb. On a narrow screen long names are
 * cut, and money and time are left to `pawl show`.
 */
export function runTable(rows: readonly RunRow[], screen: Screen, now: number): readonly string[] {
  const goal = { title: 'goal', cell: goalCell, wanted: GOAL_WIDTH_WANTED, widthMin: GOAL_WIDTH_MIN }
  const narrow = columnsOf(now, false)
  const [, ...rest] = narrow.filter(({ title }) => title !== 'cost' && title !== 'time')
  const narrowest = [{ title: 'run', cell: ({ run }: RunRow) => fitted(run, RUN_WIDTH_MAX) }, ...rest]
  return tableOf([columnsOf(now, true), narrow, narrowest], rows, screen, goal)
}

const RUN_WIDTH_MAX = 24

const GOAL_WIDTH_WANTED = 24
const GOAL_WIDTH_MIN = 10

/** What research shows where other runs show what fails. */
const RESEARCH = { FULL: 'full', PARTIAL: 'partial', not_converged: 'open' } as const

function columnsOf(now: number, isWide: boolean): readonly Column<RunRow>[] {
  return [
    { title: 'run', cell: ({ run }) => run },
    { title: 'status', cell: (row) => statusCell(row, isWide), style: ({ status }) => STATUS_STYLES[status] },
    { title: '#', side: 'right', cell: ({ iterations }) => String(iterations) },
    { title: 'failing', side: 'right', cell: failingCell },
    { title: 'cost', side: 'right', cell: spentCell },
    { title: 'time', side: 'right', cell: ({ activeMs }) => shortDuration(activeMs) },
    { title: 'touched', side: 'right', cell: ({ updatedAt }) => ago(updatedAt, now) },
  ]
}

/** Many agents tell only how many tokens they took. */
function spentCell(row: RunRow): string {
  return row.costUsd === undefined && row.tokens !== undefined ? `${tokensCell(row)} tokens` : costCell(row)
}

function failingCell({ research, isImported, failingFirst, failingLast, notRun }: RunRow): string {
  if (research !== undefined) return RESEARCH[research]
  return isImported && failingLast === undefined ? 'not checked' : failingWords(failingFirst, failingLast, notRun)
}

/** `escalated - pawl answer fix-login`, or `escalated (answer)`; `bound - session 5f0e of claude`, or `bound (claude)`. */
function statusCell({ status, isHeld, isQueued, isImported, bound, command }: RunRow, isWide: boolean): string {
  if (isImported) return 'imported'
  const word = status === 'damaged' ? status : statusWord(status, isHeld, bound !== undefined, isQueued)
  if (command === undefined && bound) return isWide ? `${word} - ${shortSession(bound)}` : `${word} (${bound.agent})`
  if (command === undefined) return word
  return isWide ? `${word} - ${command}` : `${word} (${command.split(' ')[1]})`
}

/** Names of sessions are long, and their first letters tell them apart. */
function shortSession({ agent, session }: NonNullable<RunRow['bound']>): string {
  return sessionWords({
    agent,
    session: session.length <= SESSION_WIDTH_MAX ? session : `${session.slice(0, SESSION_WIDTH_MAX - 1)}…`,
  })
}

const SESSION_WIDTH_MAX = 13

function goalCell({ goal, problem, tasks, tasksDone = 0 }: RunRow): string {
  const done = tasks === undefined ? '' : `[${tasksDone}/${tasks}] `
  return `${done}${goal ?? problem ?? ''}`
}

/** What checking a run came to, as far as it is shown. */
export interface Verified {
  readonly run: string
  readonly ok: boolean
  readonly events: number
  readonly texts: number
  readonly hash?: string
  readonly problems: readonly { readonly message: string }[]
}

/** "ok" with the counts and the head's hash, or what is wrong, the first few of many. */
export function verificationLines(
  { run, ok, events, texts, hash, problems }: Verified,
  { columns, paint }: Screen,
): readonly string[] {
  const counts = `${counted(events, 'event')}, ${counted(texts, 'text')}`
  if (ok) return [`${paint('green', 'ok')}   ${run}: ${counts}, head ${hash}`]
  const shown = problems.slice(0, PROBLEMS_SHOWN_MAX)
  const more = problems.length > shown.length ? [`     and ${problems.length - shown.length} more; --json has them all`] : []
  return [
    `${paint('red', 'BAD')}  ${run}: ${counts}`,
    ...shown.flatMap(({ message }) => labelled('', message, columns, 5)),
    ...more,
  ]
}

const PROBLEMS_SHOWN_MAX = 5
