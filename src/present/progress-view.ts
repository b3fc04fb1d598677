import { agentName } from '../core/answered-config.ts'
import type { Event } from '../core/event.ts'
import { evolve } from '../core/evolve.ts'
import { agentNow } from '../core/fallback.ts'
import type { Odds } from '../guards/odds/odds.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/run-odds.ts'
import { attemptNumber, currentItem } from '../core/plan.ts'
import type { Question } from '../core/question.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import { type Spent, spentOf } from '../core/spent-of.ts'
import { isOpen, type State } from '../core/state.ts'
import { counted, duration, shortened, withFix } from '../core/wording.ts'
import type { Verdict } from '../core/verdict.ts'
import { filesWords } from '../core/files-words.ts'
import type { Progress } from '../engine/parts.ts'
import { partName } from './part-name.ts'
import type { Terminal } from './terminal.ts'
import { settingsWords } from './agent-settings.ts'
import { budgetWords } from './budget-words.ts'
import { goalIn } from './goal-in.ts'
import { iterationSpent } from './iteration-spent.ts'
import { newsIn } from './look-news.ts'
import { failingWords } from './iteration-table.ts'
import { groundLines } from './question-lines.ts'
import { decidingTrips, tripLines } from './reason-lines.ts'
import { researchLines } from './research-lines.ts'
import { whoOnlyLooks } from './run-view.ts'
import { spentWords } from './spent.ts'
import { switchWords } from './switch-words.ts'
import { fitted, folded, oneLine } from './text-layout.ts'
import { dateAndTime } from './times.ts'

/** Shows a run while it goes: one line for what has happened, and on a terminal one live line for what is happening. */
export interface ProgressView {
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
export function progressView(terminal: Terminal, known: State | undefined, run: string, config: RunConfig): ProgressView {
  let state = known
  let now = 'starting'
  let isResting = false
  /** Files that the checks are known to write. */
  const written = new Set<string>()
  let isAbstentionTold = false
  const openedAt = Date.now()
  // Where another program reads, a line is a line.
  const say = (line: string): void => {
    for (const each of terminal.isLive ? folded(line, terminal.columns) : [line]) terminal.say(each)
  }
  terminal.say(
    terminal.paint('bold', `${run}  ${shortened(oneLine(goalIn(config.loop) ?? ''), terminal.columns - run.length - 4)}`),
  )
  say(terminal.paint('dim', `  ${summaryOf(config)}`))

  let frame = 0
  const draw = (): void => {
    if (isResting) return
    const spinner = FRAMES[frame++ % FRAMES.length]
    const elapsed = duration((known?.totals.activeMs ?? 0) + Date.now() - openedAt)
    const head = `${spinner} ${iterationWords(state, config)}  ${elapsed} so far${state ? spentCell(spentOf(state.totals)) : ''}  `
    terminal.live(head + terminal.paint('dim', shortened(now, Math.max(10, terminal.columns - head.length - 1))))
  }
  const timer = terminal.isLive ? setInterval(draw, 120) : undefined
  timer?.unref()

  return {
    onEvent: (event) => {
      const before = state
      state = evolve(state, event)
      isResting = false
      now = nowWords(event, state) ?? now
      if (!isKnownWriting(event, written)) for (const line of eventLines(event, before, state, terminal)) say(line)
      const odds = event.type === 'iteration.ended' ? runOdds(state) : undefined
      // Said once where it is not known: a line that says nothing after every iteration would be noise.
      if (odds && !(odds.status === 'unknown' && isAbstentionTold)) say(oddsLine(odds, terminal.paint))
      isAbstentionTold ||= odds?.status === 'unknown'
    },
    onProgress: ({ line }) => {
      now = line
    },
    makeRoom: (question) => {
      isResting = true
      terminal.live(undefined)
      for (const line of askedLines(question, state, terminal)) terminal.say(line)
    },
    close: () => {
      clearInterval(timer)
      terminal.live(undefined)
    },
  }
}

/** The rules that ask, what was seen, what fails and what to do first, as the card has them. What an agent asks rests on no rule. */
function askedLines(question: Question, state: State | undefined, terminal: Terminal): readonly string[] {
  const screen = { columns: Math.min(terminal.columns, CARD_COLUMNS_MAX), paint: terminal.paint }
  const open = state?.question
  const tripped = open?.question.text === question.text ? open.trips.filter(({ severity }) => severity === 'trip') : []
  const trips = decidingTrips(tripped, state?.message ?? '', state?.current.ended?.verdict.passed === true)
  const lines = [...trips.flatMap((trip) => tripLines(trip, screen)), ...groundLines(question, screen)]
  return lines.length === 0 ? [] : ['', ...lines]
}

const CARD_COLUMNS_MAX = 80

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

function summaryOf({ loop, agent, fallbacks = [], checks, guards, workspace, codebase }: RunConfig): string {
  const next = fallbacks.length === 0 ? '' : `, then ${fallbacks.map(partName).join(', ')}`
  if (codebase)
    return [
      `${partName(agent)}${agent.name === 'explorer' ? ', without a model' : settingsWords(agent)}${next}`,
      ...budgetWords(guards),
      `in ${String(codebase.settings['path'])}`,
    ].join(' · ')
  const { tasks } = loop.settings
  const each = Array.isArray(tasks) ? ' each' : ''
  const parts = [
    ...(Array.isArray(tasks) ? [counted(tasks.length, 'task')] : []),
    `agent ${partName(agent)}${settingsWords(agent)}${next}`,
    `checks: ${checks.map(partName).join(', ')}`,
    `at most ${counted(maxOf(guards) ?? 0, 'iteration')}${each}`,
    ...budgetWords(guards),
    ...(workspace.settings['worktree'] === true ? ['in a worktree of its own'] : []),
  ]
  return parts.join(' · ')
}

function maxOf(guards: RunConfig['guards']): number | undefined {
  const max = guards.find((guard) => guard.name === 'maxIterations')?.settings['iterationsMax']
  return typeof max === 'number' ? max : undefined
}

function iterationWords(state: State | undefined, config: RunConfig): string {
  const number = state?.current.number ?? 0
  if (number === 0) return 'before the first iteration'
  const max = maxOf(state?.config.guards ?? config.guards)
  const words = `iteration ${attemptNumber(state?.plan, number)}${max === undefined ? '' : ` of ${max}`}`
  return state?.plan ? `task ${state.plan.index + 1} of ${state.plan.items.length}, ${words}` : words
}

/** What begins with this event, for the live line. */
function nowWords(event: Event, state: State): string | undefined {
  switch (event.type) {
    case 'work.started':
      return `${event.by.name ?? 'the agent'} is at work`
    case 'work.finished':
    case 'work.failed':
      return 'looking at what changed'
    case 'check.started':
      return event.data.isReview ? reviewingWords(event, state) : `checking: ${event.data.name}`
    case 'timer.set':
      return event.data.message
    default:
      return undefined
  }
}

/** The reviewer that works now: another agent may stand in for the one that was named. */
function reviewingWords({ data: { name } }: Event<'check.started'>, state: State): string {
  const reviewer = state.config.checks.find(({ settings }) => settings['name'] === name)?.settings['agent']
  const agent = reviewer === undefined ? '' : ` ${agentNow(state, agentName(reviewer as unknown as PartSpec))}`
  return `the reviewer${agent} is at work`
}

function eventLines(event: Event, before: State | undefined, state: State, terminal: Terminal): readonly string[] {
  const ofResearch = state.config.loop.name === 'research' ? researchLines(event, state, terminal) : undefined
  if (ofResearch) return ofResearch
  const { paint, isLive } = terminal
  switch (event.type) {
    case 'run.resumed':
      return [paint('dim', '  goes on where it stood')]
    case 'work.started':
      return isLive ? [] : [`  ${iterationWords(state, state.config)}: ${event.by.name ?? 'the agent'} is at work`]
    case 'check.started':
      // An answer that could not be read is asked for once more: that is the same review.
      return isLive || !event.data.isReview || (before && isOpen(before, event.data.key))
        ? []
        : [`  ${iterationWords(state, state.config)}: ${reviewingWords(event, state)}`]
    case 'iteration.started':
      return event.data.iteration === 1 && state.baseline
        ? [`  before${' '.repeat(11)}${verdictWords(state.baseline.verdict)}`]
        : []
    case 'plan.made':
      return state.config.loop.settings['items'] === undefined && state.review ? planLines(state, paint) : []
    case 'item.started':
      return [taskLine(state, paint)]
    case 'commit.created':
      return commitLines(event)
    case 'decision.made':
      return event.data.action === 'retry' && before?.current.problem ? [unendedLine(before, event.data.message, paint)] : []
    case 'item.finished':
      return [paint('green', `  task ${event.data.index + 1} done`)]
    case 'review.approved':
      return [`  ${event.data.name.padEnd(15)}  ${paint('green', 'approved')}${said(event.data.summary)}`]
    case 'review.rejected':
      return [`  ${event.data.name.padEnd(15)}  ${paint('red', 'rejected')}${said(event.data.failures[0]?.message)}`]
    case 'iteration.ended':
      return [iterationLine(event, before, state, paint)]
    case 'work.finished':
      return deniedLines(event.data, paint)
    case 'work.failed':
      return [
        paint('yellow', `  ${failedWords(event.data).padEnd(15)}  ${shortened(event.data.message, 200)}`),
        ...deniedLines(event.data, paint),
      ]
    case 'guard.nudged':
    case 'budget.warned':
      return [paint('yellow', `  note             ${shortened(event.data.message, 300)}`)]
    case 'workspace.observed':
      // What no look can show is said once, at the first.
      if (before?.tree === undefined) return noteLines(event.data.notes ?? [], paint)
      return [...noteLines(newsIn(event), paint), ...changedLines(event, paint)]
    case 'workspace.restored':
      return restoredLines(event)
    case 'promise.refuted':
      return [paint('yellow', `  promise          ${event.data.promise} does not hold: ${event.data.message}`)]
    case 'promise.verified':
      return [paint('green', `  promise          ${event.data.promise} holds`)]
    case 'agent.switched':
      return [paint('yellow', `  another agent    ${switchWords(event.data)}`)]
    case 'timer.set':
      return [paint('yellow', `  waiting          until ${dateAndTime(event.data.until)}: ${event.data.message}`)]
    case 'run.reconfigured':
      return [paint('dim', `  ${event.data.message}`)]
    default:
      return []
  }
}

function noteLines(notes: readonly string[], paint: Terminal['paint']): readonly string[] {
  return notes.slice(0, NOTES_SHOWN_MAX).map((note) => paint('yellow', `  note             ${note}`))
}

/** What others than the agent changed. */
function changedLines(event: Event<'workspace.observed'>, paint: Terminal['paint']): readonly string[] {
  if (event.by.role === 'check')
    return [paint('yellow', `  note             the checks wrote ${changedWords(event)}, which does not count as work`)]
  return event.by.role === 'person' ? [`  you changed      ${counted(event.data.filesChanged, 'file')} meanwhile; kept`] : []
}

function restoredLines({ data: { key, savedAs, files, filesChanged } }: Event<'workspace.restored'>): readonly string[] {
  if (savedAs === undefined) return []
  const where = files && files.length > 0 ? ` in ${filesWords(files, filesChanged)}` : ''
  const who = whoOnlyLooks(key)
  return [
    who
      ? `  put back         what the ${who} changed${where}, kept as ${savedAs}`
      : `  undone           half-done work${where}, kept as ${savedAs}`,
  ]
}

function deniedLines({ denied }: Event<'work.finished' | 'work.failed'>['data'], paint: Terminal['paint']): readonly string[] {
  return denied === undefined ? [] : [paint('yellow', `  note             ${shortened(withFix(denied), 400)}`)]
}

/** An agent that is out of time need not have hung: it may be the run whose time was over. */
function failedWords({ reason, fault }: Event<'work.failed'>['data']): string {
  if (fault === 'provider-limit') return 'provider'
  return reason === 'timed-out' ? 'out of time' : 'agent failed'
}

/** What checks write again with every run is said once. */
function isKnownWriting(event: Event, written: Set<string>): boolean {
  if (event.type !== 'workspace.observed' || event.by.role !== 'check') return false
  const unknown = event.data.files.filter(({ path }) => !written.has(path))
  for (const { path } of unknown) written.add(path)
  return unknown.length === 0
}

function changedWords({ data: { files, filesChanged } }: Event<'workspace.observed'>): string {
  const names = files.slice(0, NOTES_SHOWN_MAX).map(({ path }) => path)
  return `${counted(filesChanged, 'file')} (${[...names, ...(filesChanged > names.length ? ['…'] : [])].join(', ')})`
}

const NOTES_SHOWN_MAX = 3

/** What the planner made of the goal, before anybody works on it. */
function planLines({ plan }: State, paint: Terminal['paint']): readonly string[] {
  const items = plan?.items ?? []
  return [
    paint('bold', `  plan             ${counted(items.length, 'item')}`),
    ...items.map(({ goal, settings }, index) => {
      const type = typeof settings?.['type'] === 'string' ? ` (${settings['type']})` : ''
      return `  ${`${index + 1}.`.padStart(15)}  ${fitted(goal, WORDS_WIDTH_MAX)}${type}`
    }),
  ]
}

/** What was there uncommitted before the run is a commit of its own, and said so. */
function commitLines({ data: { item, branch, commit } }: Event<'commit.created'>): readonly string[] {
  if (commit === undefined) return item === '' ? [] : ['  commit           none: nothing was changed for this item']
  const what = item === '' ? ', with what was changed and not committed before the run' : ''
  return [`  commit           ${commit.slice(0, 12)} on ${branch}${what}`]
}

/** An iteration whose checks could not run has no verdict, but it took place. */
function unendedLine({ plan, current, config }: State, message: string, paint: Terminal['paint']): string {
  const max = maxOf(config.guards)
  const name = `iteration ${attemptNumber(plan, current.number)}${max === undefined ? '' : `/${max}`}`.padEnd(15)
  return `  ${name}  ${paint('yellow', fitted(message, WORDS_WIDTH_MAX))}`
}

function taskLine({ plan }: State, paint: Terminal['paint']): string {
  const name = `task ${(plan?.index ?? 0) + 1}/${plan?.items.length ?? 1}`.padEnd(15)
  return paint('bold', `  ${name}  ${fitted(currentItem(plan)?.goal ?? '', WORDS_WIDTH_MAX)}`)
}

const WORDS_WIDTH_MAX = 200

function said(words: string | undefined): string {
  return words === undefined ? '' : `: ${fitted(words, WORDS_WIDTH_MAX)}`
}

function iterationLine(
  event: Event<'iteration.ended'>,
  before: State | undefined,
  state: State,
  paint: Terminal['paint'],
): string {
  const { iteration, verdict, filesChanged, durationMs } = event.data
  const previous = before?.recent.at(-1)?.verdict ?? before?.baseline?.verdict
  const notRun = state.recent.at(-1)?.notRun
  const failing = failingWords(previous?.failing, verdict.failing, notRun)
  // Where tests did not run, the word before says what the numbers are.
  const change = previous ? `${failing}${notRun === undefined ? ' failing' : ''}` : verdictWords(verdict)
  const mark = verdict.passed ? paint('green', 'passed ') : paint('red', 'failing')
  const max = maxOf(state.config.guards)
  const name = `iteration ${attemptNumber(state.plan, iteration)}${max === undefined ? '' : `/${max}`}`.padEnd(15)
  return `  ${name}  ${mark}  ${change.padEnd(18)}  ${`${counted(filesChanged, 'file')} changed`.padEnd(16)}  ${duration(durationMs).padStart(7)}${spentCell(iterationSpent(event.data, state))}`
}

/** Many agents tell what they cost, others only how many tokens they took. */
function spentCell(spent: Omit<Spent, 'activeMs'>): string {
  const [words] = spentWords(spent)
  return words === undefined ? '' : `  ${words}`
}

function oddsLine(odds: Odds, paint: Terminal['paint']): string {
  return paint('dim', `  ${' '.repeat(15)}  ${oddsWords(odds)}`)
}

function verdictWords(verdict: Verdict): string {
  return verdict.passed ? 'everything passes' : `${verdict.failing} failing`
}
