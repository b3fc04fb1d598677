import { allowingLine, refusalWords } from '../core/refusal.ts'
import { agentName, type PartSpec, type RunConfig } from '../core/run-config.ts'
import type { Event } from '../core/event.ts'
import { agentNow } from '../core/fallback.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/own-odds.ts'
import { TEST_WRITER } from '../loops/task/fold.ts'
import { failureGroups, failureItem, placeOf } from '../core/failure-item.ts'
import { attemptNumber, iterationsMaxIn } from '../core/unit.ts'
import type { Question } from '../core/question.ts'
import { type Spent, spent, spentOf } from '../core/spending.ts'
import type { Usage } from '../core/event-data.ts'
import { isOpen, type State } from '../core/state.ts'
import { counted, filesWords, shortened, withFix } from '../core/wording.ts'
import type { Verdict } from '../core/verdict.ts'
import { questionInWords } from './words.ts'
import { budgetWords, goalIn, partName, settingsWords } from './config-view.ts'
import { dateAndTime, fitted, labelled, oneLine, type Screen, shortDuration, textWidth } from './layout.ts'
import type { IterationView } from './iteration-view.ts'
import { runFold, type RunFold, type SavedTree, type TaskView } from './run-fold.ts'
import { findingWords, type ProofView } from './proof-view.ts'
import { spentWords } from './spent.ts'
import { newsIn } from './hints.ts'
import { movementWords, verdictWord } from './run-lines.ts'
import { CARD_COLUMNS_MAX, changeLines, decidingTrips, groundLines } from './card.ts'
import { switchWords } from './log-lines.ts'
import { parallelLines, parallelSummary } from './parallel-lines.ts'
import { researchProgress } from '../loops/research/words.ts'

/** A run on a screen while it goes: what its events come to, and what the screen shows of it. */
export interface RunProgress {
  readonly run: RunFold
  /** What is happening, for the live line. */
  now: string
  /** What agents at work have used that isn't in the journal yet, by effect. */
  readonly inFlight: Map<string, Usage>
  /** Takes an event in, and says what there is to say about it. */
  take(event: Event, screen: ProgressScreen): readonly string[]
}

/** A run that a screen begins to show after these events. */
export function runProgress(past: readonly Event[]): RunProgress {
  const run = runFold(past)
  /** What checks write with every run is said once. */
  const written = new Set<string>()
  const isNews = ({ type, by, data }: Event): boolean => {
    if (type !== 'workspace.observed' || by.role !== 'check') return true
    const count = written.size
    for (const { path } of data.files) written.add(path)
    return written.size > count
  }
  /** Warnings of an iteration that has ended: if Pawl asks now, the card says the same. */
  let held: readonly string[] = []
  let isJudging = false
  return {
    run,
    now: 'starting',
    inFlight: new Map(),
    take(event, screen) {
      run.take(event)
      // What ended work used is in its event.
      if ('key' in event.data && !/^work\.answered$|\.started$/.test(event.type)) this.inFlight.delete(event.data.key)
      const { before, state } = run
      if (!state) return []
      this.now = nowWords(event, state) ?? this.now
      const lines = isNews(event) ? eventLines(event, run, before, state, screen) : []
      if (event.type === 'iteration.ended') isJudging = true
      if (isJudging && event.type === 'guard.nudged' && ON_THE_CARD.has(event.data.guard)) {
        held = [...held, ...lines]
        return []
      }
      if (event.type === 'decision.made') {
        const notes = event.data.action === 'escalate' ? [] : held
        held = []
        isJudging = false
        return [...notes, ...lines]
      }
      // Tests that fail before the work say nothing of how it will go.
      const isWork = !state.current.work.some(({ key }) => key.includes(`/${TEST_WRITER}/`))
      const odds = event.type === 'iteration.ended' && isWork ? runOdds(state) : undefined
      const words = odds && oddsWords(odds)
      return words === undefined ? lines : [...lines, screen.paint('dim', detail(`odds ${words}`))]
    },
  }
}

const ON_THE_CARD: ReadonlySet<string> = new Set(['sameFailure', 'emptyIterations', 'tampering'])

/** A screen, and whether a person looks at it: then the live line says what is being done. */
export type ProgressScreen = Screen & { readonly isLive: boolean }

/** The run with its goal and what it is made of: one line if that fits, else two. */
export function headLines(run: string, config: RunConfig, { columns, paint }: Screen, folder?: string): readonly string[] {
  const goal = shortened(oneLine(goalIn(config.loop) ?? ''), columns - run.length - 4)
  const title = `${run}  ${goal}`
  const summary = `${summaryOf(config)}${folder === undefined ? '' : ` · in ${folder}`}`
  const gap = columns - textWidth(title) - textWidth(summary)
  if (Number.isFinite(gap) && gap >= HEAD_GAP_MIN) return [`${paint('bold', title)}${' '.repeat(gap)}${paint('dim', summary)}`]
  return [paint('bold', title), paint('dim', `  ${summary}`)]
}

const HEAD_GAP_MIN = 4

/** What the live line needs besides the progress. */
export interface LiveMoment {
  /** Which picture of the spinner. */
  readonly frame: number
  readonly activeMs: number
  readonly config: RunConfig
  /** The time, for a wait that is counted down. */
  readonly now: number
}

/** One line about what is happening now. */
export function liveLine(
  { run: { state }, now, inFlight }: RunProgress,
  { frame, activeMs, config, now: at }: LiveMoment,
  { columns, paint }: Screen,
): string {
  const spinner = FRAMES[frame % FRAMES.length]
  const elapsed = shortDuration(activeMs)
  // Whole seconds: a line that changes more often is no easier to read.
  const leftMs = state?.timer ? Math.max(0, Math.ceil((state.timer.until - at) / 1000) * 1000) : undefined
  const left = leftMs === undefined ? '' : `${shortDuration(leftMs)} left  `
  const head = `${spinner} ${iterationWords(state, config)}  ${elapsed}${state ? spentCell(spentOf(withInFlight(state, inFlight).totals)) : ''}  ${left}`
  return head + paint('dim', shortened(now, Math.max(10, columns - head.length - 1)))
}

function withInFlight(state: State, inFlight: ReadonlyMap<string, Usage>): State {
  return [...inFlight.values()].reduce(spent, state)
}

/** The rules that ask, what was seen, what fails and what to do first, as the card has them. What an agent asks rests on no rule. */
export function rulesAndGrounds(
  question: Question,
  { state, decisions, iterations }: RunFold,
  { columns, paint }: Screen,
): readonly string[] {
  const screen = { columns: Math.min(columns, CARD_COLUMNS_MAX), paint }
  const decision = state?.question && question.code !== 'agent-asks' ? decisions.at(-1) : undefined
  const trips = decision ? decidingTrips(decision, iterations.at(-1)) : []
  const lines = [
    // `pawl show` has the evidence.
    ...trips.flatMap(({ guard, message }) => labelled('Guard', `${guard}: ${message}`, screen.columns)),
    ...groundLines(questionInWords(question), screen),
    ...(state ? changeLines(question, screen, state.run) : []),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

function summaryOf({ loop, agent, fallbacks = [], checks, guards, workspace, codebase }: RunConfig): string {
  const next = fallbacks.length === 0 ? '' : `, then ${fallbacks.map(partName).join(', ')}`
  if (codebase)
    return [
      `${partName(agent)}${agent.name === 'explorer' ? ', without a model' : settingsWords(agent)}${next}`,
      ...budgetWords(guards),
      `in ${String(codebase.settings['path'])}`,
    ].join(' · ')
  const ofParallel = parallelSummary(loop)
  if (ofParallel) return ofParallel.join(' · ')
  const { tasks } = loop.settings
  const each = Array.isArray(tasks) ? ' each' : ''
  const max = iterationsMaxIn(guards)
  const ceiling = Number(guards.find((guard) => guard.name === 'maxIterations')?.settings['extendWhileImproving'] ?? 0)
  const rises = ceiling > (max ?? ceiling) ? `, up to ${ceiling} while improving` : ''
  const parts = [
    ...(Array.isArray(tasks) ? [counted(tasks.length, 'task')] : []),
    `${partName(agent)}${settingsWords(agent)}${next}`,
    ...(checks.length === 0 ? [] : [checks.map(partName).join(', ')]),
    ...(max === undefined ? [] : [`max ${counted(max, 'iteration')}${each}${rises}`]),
    ...budgetWords(guards),
    ...(workspace.settings['worktree'] === true ? ['own worktree'] : []),
  ]
  return parts.join(' · ')
}

function iterationWords(state: State | undefined, config: RunConfig): string {
  const number = state?.current.number ?? 0
  if (number === 0) return 'start'
  const attempt = attemptNumber(state?.unit, number)
  const max = iterationsMaxIn((state?.config ?? config).guards, attempt)
  const words = `${attempt}${max === undefined ? '' : `/${max}`}`
  return state?.slices?.plan ? `task ${state.slices?.plan.index + 1}/${state.slices?.plan.items.length}  ${words}` : words
}

/** What begins with this event, for the live line. */
function nowWords(event: Event, state: State): string | undefined {
  switch (event.type) {
    case 'work.started':
      return `${event.by.name ?? 'the agent'} is working`
    case 'work.finished':
    case 'work.failed':
      return 'reading the changes'
    case 'check.started':
      // The runner itself says what is being proven.
      if (event.data.cell !== undefined) return undefined
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
  return `the reviewer${agent} is working`
}

function eventLines(
  event: Event,
  { iterations, tasks, saved }: RunFold,
  before: State | undefined,
  state: State,
  terminal: ProgressScreen,
): readonly string[] {
  const { paint, isLive } = terminal
  const ofResearch = state.config.loop.name === 'research' ? researchProgress(event, state, paint) : undefined
  if (ofResearch)
    return ofResearch.map(({ label, text, style }) => {
      const words = `  ${label.padEnd(15)}  ${text}`
      return style ? paint(style, words) : words
    })
  const ofParallel = parallelLines(event, state, terminal)
  if (ofParallel) return ofParallel
  switch (event.type) {
    case 'run.resumed':
      return [paint('dim', '  resumed')]
    case 'work.started':
      return isLive ? [] : [`  ${iterationName(state, state.current.number)}  ${event.by.name ?? 'the agent'} is working`]
    case 'check.started':
      // An answer that could not be read is asked for once more: that is the same review.
      return isLive || !event.data.isReview || (before && isOpen(before, event.data.key))
        ? []
        : [`  ${iterationName(state, state.current.number)}  ${reviewingWords(event, state)}`]
    case 'iteration.started':
      return event.data.iteration === 1 && state.baseline ? [`  start  ${verdictWords(state.baseline.verdict)}`] : []
    case 'plan.made':
      return state.config.loop.settings['items'] === undefined && state.slices?.review ? planLines(state, paint) : []
    case 'item.started':
      return [taskLine(tasks, event.data.index, paint)]
    case 'commit.created':
      return commitLines(event)
    case 'decision.made':
      if (event.data.action !== 'retry') return []
      return before?.current.problem ? [unendedLine(before, event.data.message, paint)] : retryLines(state, terminal)
    case 'item.finished':
      return [paint('green', `  ✓ task ${event.data.index + 1} done${proofSaid(tasks[event.data.index]?.proof)}`)]
    case 'proof.made':
      return event.data.findings
        .filter(({ code }) => code === 'fails-in-room' || code === 'held-out-fails')
        .map((finding) => paint('yellow', line('proof', findingWords(finding))))
    case 'tests.accepted':
      return [paint('green', line('tests', testsWords(event.data.failingCount)))]
    case 'review.approved':
      return [line(event.data.name, `${paint('green', 'approved')}${afterColon(event.data.summary)}`)]
    case 'review.rejected':
      return [line(event.data.name, `${paint('red', 'rejected')}${afterColon(event.data.failures[0]?.message)}`)]
    case 'iteration.ended':
      return iterations.slice(-1).map((view) => iterationLine(view, state, paint))
    case 'work.finished':
      return [...endedLines(event.data, paint), ...deniedLines(event.data, paint)]
    case 'work.failed':
      return [
        paint('yellow', line(failedWords(event.data), shortened(event.data.message, 200))),
        ...deniedLines(event.data, paint),
      ]
    case 'box.refused':
      return [paint('yellow', line('refused', `${refusalWords(event.data)}. ${allowingLine([event.data])}`))]
    case 'guard.nudged':
    case 'budget.warned':
      return [paint('yellow', note(shortened(event.data.message, NOTE_LENGTH_MAX)))]
    case 'workspace.observed':
      // What no look can show is said once, at the first.
      if (before?.tree === undefined) return noteLines(event.data.notes ?? [], paint)
      return [...noteLines(newsIn(event), paint), ...changedLines(event, paint)]
    case 'workspace.restored':
      return event.data.savedAs === undefined ? [] : saved.slice(-1).map(restoredLine)
    case 'promise.refuted':
      return [paint('yellow', line('promise', `${event.data.promise} doesn't hold: ${event.data.message}`))]
    case 'promise.verified':
      return [paint('green', line('promise', `${event.data.promise} holds`))]
    case 'agent.switched':
      return [paint('yellow', line('another agent', switchWords(event.data)))]
    case 'timer.set':
      return [paint('yellow', line('waiting', `until ${dateAndTime(event.data.until)}: ${event.data.message}`))]
    case 'run.reconfigured':
      return [paint('dim', `  ${event.data.message}`)]
    default:
      return []
  }
}

function proofSaid(proof: ProofView | undefined): string {
  return proof ? `: ${proof.summary}` : ''
}

function noteLines(notes: readonly string[], paint: Screen['paint']): readonly string[] {
  return notes.slice(0, NOTES_SHOWN_MAX).map((each) => paint('yellow', note(each)))
}

/** What others than the agent changed. */
function changedLines(event: Event<'workspace.observed'>, paint: Screen['paint']): readonly string[] {
  if (event.by.role === 'check' && event.data.files.every(({ path }) => CACHE.test(path))) return []
  if (event.by.role === 'check') return [paint('yellow', note(`the checks wrote ${changedWords(event)} (not counted as work)`))]
  return event.by.role === 'person' ? [note(`kept: ${counted(event.data.filesChanged, 'file')} that you changed meanwhile`)] : []
}

function restoredLine({ by, snapshot, files = [], filesChanged }: SavedTree): string {
  const where = files.length > 0 ? ` in ${filesWords(files, filesChanged)}` : ''
  return by
    ? line('undone', `the ${by}'s changes${where}, kept as ${snapshot}`)
    : line('undone', `half-done work${where}, kept as ${snapshot}`)
}

/** Pawl ended the agent's work, or the agent stopped at its limit. */
function endedLines({ endedBy }: Event<'work.finished'>['data'], paint: Screen['paint']): readonly string[] {
  return endedBy ? [paint('yellow', line('agent ended', shortened(endedBy.message, 300)))] : []
}

function deniedLines({ denied }: Event<'work.finished' | 'work.failed'>['data'], paint: Screen['paint']): readonly string[] {
  return denied === undefined ? [] : [paint('yellow', note(shortened(withFix(denied), 400)))]
}

/** An agent that is out of time need not have hung: it may be the run whose time was over. */
function failedWords({ reason, fault }: Event<'work.failed'>['data']): string {
  if (fault === 'provider-limit') return 'provider'
  return reason === 'timed-out' ? 'out of time' : 'agent failed'
}

function changedWords({ data: { files, filesChanged } }: Event<'workspace.observed'>): string {
  const names = files.slice(0, NOTES_SHOWN_MAX).map(({ path }) => path)
  return `${counted(filesChanged, 'file')} (${[...names, ...(filesChanged > names.length ? ['…'] : [])].join(', ')})`
}

/** Python writes these beside every module, and nobody needs to know. */
const CACHE = /(?:^|\/)(?:__pycache__|\.pytest_cache)\//
const NOTES_SHOWN_MAX = 3
const NOTE_LENGTH_MAX = 160

/** What the planner made of the goal, before anybody works on it. */
function planLines({ slices: { plan } = {} }: State, paint: Screen['paint']): readonly string[] {
  const items = plan?.items ?? []
  return [
    paint('bold', `  plan  ${counted(items.length, 'item')}`),
    ...items.map(({ goal, settings }, index) => {
      const type = typeof settings?.['type'] === 'string' ? ` (${settings['type']})` : ''
      return `    ${`${index + 1}.`.padStart(3)} ${fitted(goal, WORDS_WIDTH_MAX)}${type}`
    }),
  ]
}

/** What was there uncommitted before the run is its own commit, and said so. */
function commitLines({ data: { item, branch, commit } }: Event<'commit.created'>): readonly string[] {
  if (commit === undefined) return item === '' ? [] : [line('commit', 'none, because this item changed nothing')]
  const what = item === '' ? ', with your uncommitted changes from before the run' : ''
  return [line('commit', `${commit.slice(0, 12)} on ${branch}${what}`)]
}

/** An iteration whose checks could not run has no verdict, but it took place. */
function unendedLine(state: State, message: string, paint: Screen['paint']): string {
  return `  ${iterationName(state, state.current.number)}  ${paint('yellow', fitted(message, WORDS_WIDTH_MAX))}`
}

/** "2/3". */
function iterationName({ unit, config }: State, iteration: number): string {
  const attempt = attemptNumber(unit, iteration)
  const max = iterationsMaxIn(config.guards, attempt)
  return `${attempt}${max === undefined ? '' : `/${max}`}`
}

/** The first thing that the next attempt has to fix. */
function retryLines({ recent, config }: State, { columns }: Screen): readonly string[] {
  const first = failureGroups(recent.at(-1)?.failures ?? [])[0]?.first
  if (!first) return []
  // A check that named no test: its name alone says nothing.
  if (config.checks.some(({ settings }) => settings['name'] === first.id))
    return [line('retrying', fitted(failureItem(first), Math.min(RETRY_NAME_LENGTH_MAX, columns - RETRY_INDENT)))]
  const place = placeOf(first)
  const where = place === undefined ? '' : ` (${place})`
  const lengthMax = Math.max(RETRY_NAME_LENGTH_MIN, Math.min(RETRY_NAME_LENGTH_MAX, columns - RETRY_INDENT - where.length))
  return [line('retrying', `${shortened(first.id, lengthMax)}${where}`)]
}

const RETRY_NAME_LENGTH_MAX = 100
const RETRY_NAME_LENGTH_MIN = 20
/** Up to the name of the test. */
const RETRY_INDENT = 20

function taskLine(tasks: readonly TaskView[], index: number, paint: Screen['paint']): string {
  return paint('bold', `  task ${index + 1}/${tasks.length}  ${fitted(tasks[index]?.goal ?? '', WORDS_WIDTH_MAX)}`)
}

/** Of tests that come after the work nobody has seen yet how many fail without it: the proof tries that. */
function testsWords(failingCount: number): string {
  return failingCount === 0 ? 'written' : `written, and ${counted(failingCount, 'test')} failing before the work`
}

const WORDS_WIDTH_MAX = 200

function afterColon(words: string | undefined): string {
  return words === undefined ? '' : `: ${fitted(words, WORDS_WIDTH_MAX)}`
}

function iterationLine(view: IterationView, state: State, paint: Screen['paint']): string {
  const { iteration, failingBefore, verdict, notRun, checksNotRun = [], filesChanged = 0, durationMs = 0 } = view
  const name = `  ${iterationName(state, iteration)}  `
  if (!verdict) return `${name}${verdictWord(view)}`
  // Where tests did not run, the word before says what the numbers are.
  const moved = `${movementWords(view)}${notRun === undefined ? ' failing' : ''}`
  const change = failingBefore === undefined ? verdictWords(verdict) : moved
  const mark = verdict.passed ? paint('green', '✓') : paint('red', '✗')
  const unseen = checksNotRun.length === 0 ? [] : [paint('dim', `${checksNotRun.join(', ')} not run`)]
  const cells = [mark, change, counted(filesChanged, 'file'), shortDuration(durationMs) + spentCell(view), ...unseen]
  return `${name}${cells.join('  ')}`
}

/** Many agents report their cost, others only their tokens. */
function spentCell(used: Omit<Spent, 'activeMs'>): string {
  const [words] = spentWords(used)
  return words === undefined ? '' : `  ${words}`
}

function verdictWords(verdict: Verdict): string {
  return verdict.passed ? 'all checks pass' : `${verdict.failing} failing`
}

/** What belongs to an iteration is below its numbers. */
function detail(text: string): string {
  return `${DETAIL_INDENT}${text}`
}

const DETAIL_INDENT = ' '.repeat(10)

function line(name: string, text: string): string {
  return detail(`${name}: ${text}`)
}

function note(text: string): string {
  return line('note', text)
}
