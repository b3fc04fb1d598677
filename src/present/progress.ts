import { agentName } from '../core/config-after-answer.ts'
import type { Event } from '../core/event.ts'
import { evolve } from '../loops/evolve.ts'
import { agentNow } from '../core/fallback.ts'
import type { Odds } from '../guards/odds/odds.ts'
import { oddsWords } from '../guards/odds/odds-words.ts'
import { runOdds } from '../guards/odds/own-odds.ts'
import { attemptNumber } from '../core/unit.ts'
import { currentItem } from '../loops/shared/plan.ts'
import type { Question } from '../core/question.ts'
import type { PartSpec, RunConfig } from '../core/run-config.ts'
import { type Spent, spentOf } from '../core/spending.ts'
import { isOpen, type State } from '../core/state.ts'
import { counted, duration, shortened, withFix } from '../core/wording.ts'
import type { Verdict } from '../core/verdict.ts'
import { filesWords } from '../core/files-words.ts'
import { questionInWords } from './words.ts'
import { budgetWords, goalIn, partName, settingsWords } from './config-view.ts'
import { dateAndTime, fitted, oneLine, type Screen } from './layout.ts'
import { iterationSpent, spentWords } from './spent.ts'
import { newsIn } from './hints.ts'
import { failingWords } from './run-lines.ts'
import { decidingTrips, groundLines, tripLines } from './card.ts'
import { whoOnlyLooks } from './run-view.ts'
import { switchWords } from './log-lines.ts'
import type { Convergence, CriterionResult } from '../loops/research/progress.ts'
import { roleTitle } from '../loops/research/index.ts'

/** How far a run has come, as far as its lines depend on it: a fold of its events. */
export interface RunProgress {
  readonly state: State | undefined
  /** What is happening, for the live line. */
  readonly now: string
  /** Files that the checks are known to write. */
  readonly written: readonly string[]
  /** The guards that the last decision rests on, where that is on record. */
  readonly decidedBy?: readonly string[]
  /** Whether it was said that the odds are unknown. */
  readonly isAbstentionSaid: boolean
}

/** Takes an event in, and says what there is to say about it. */
export function progressAfter(
  progress: RunProgress,
  event: Event,
  screen: ProgressScreen,
): RunProgress & { readonly lines: readonly string[] } {
  const { state: before } = progress
  const state = evolve(before, event)
  const written = newlyWritten(event, progress.written)
  const odds = event.type === 'iteration.ended' ? runOdds(state) : undefined
  // Said once if unknown: a line that says nothing after every iteration would be noise.
  const oddsLines = odds && !(odds.status === 'unknown' && progress.isAbstentionSaid) ? [oddsLine(odds, screen.paint)] : []
  return {
    state,
    now: nowWords(event, state) ?? progress.now,
    written: [...progress.written, ...(written ?? [])],
    ...decidedBy(progress, event),
    isAbstentionSaid: progress.isAbstentionSaid || odds?.status === 'unknown',
    lines: [...(written?.length === 0 ? [] : eventLines(event, before, state, screen)), ...oddsLines],
  }
}

function decidedBy({ decidedBy: known }: RunProgress, event: Event): Pick<RunProgress, 'decidedBy'> {
  const guards = event.type === 'decision.made' ? event.data.guards : known
  return guards ? { decidedBy: guards } : {}
}

/** A screen, and whether a person looks at it: then the live line says what is being done. */
export type ProgressScreen = Screen & { readonly isLive: boolean }

/** The run with its goal, and what it is made of. */
export function headLines(run: string, config: RunConfig, { columns, paint }: Screen): readonly [title: string, summary: string] {
  const goal = shortened(oneLine(goalIn(config.loop) ?? ''), columns - run.length - 4)
  return [paint('bold', `${run}  ${goal}`), paint('dim', `  ${summaryOf(config)}`)]
}

/** What the live line needs besides the progress. */
export interface LiveMoment {
  /** Which picture of the spinner. */
  readonly frame: number
  readonly activeMs: number
  readonly config: RunConfig
}

/** One line about what is happening now. */
export function liveLine(
  { state, now }: RunProgress,
  { frame, activeMs, config }: LiveMoment,
  { columns, paint }: Screen,
): string {
  const spinner = FRAMES[frame % FRAMES.length]
  const elapsed = duration(activeMs)
  const head = `${spinner} ${iterationWords(state, config)}  ${elapsed} so far${state ? spentCell(spentOf(state.totals)) : ''}  `
  return head + paint('dim', shortened(now, Math.max(10, columns - head.length - 1)))
}

/** The rules that ask, what was seen, what fails and what to do first, as the card has them. What an agent asks rests on no rule. */
export function rulesAndGrounds(
  question: Question,
  { state, decidedBy: guards }: Pick<RunProgress, 'state' | 'decidedBy'>,
  { columns, paint }: Screen,
): readonly string[] {
  const screen = { columns: Math.min(columns, CARD_COLUMNS_MAX), paint }
  const open = state?.question
  const tripped = open?.question.text === question.text ? open.trips.filter(({ severity }) => severity === 'trip') : []
  const trips = decidingTrips(tripped, guards, state?.current.ended?.verdict.passed === true)
  const lines = [...trips.flatMap((trip) => tripLines(trip, screen)), ...groundLines(questionInWords(question), screen)]
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
  const words = `iteration ${attemptNumber(state?.unit, number)}${max === undefined ? '' : ` of ${max}`}`
  return state?.slices?.plan ? `task ${state.slices?.plan.index + 1} of ${state.slices?.plan.items.length}, ${words}` : words
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

function eventLines(event: Event, before: State | undefined, state: State, terminal: ProgressScreen): readonly string[] {
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
      return state.config.loop.settings['items'] === undefined && state.slices?.review ? planLines(state, paint) : []
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

function noteLines(notes: readonly string[], paint: Screen['paint']): readonly string[] {
  return notes.slice(0, NOTES_SHOWN_MAX).map((each) => paint('yellow', note(each)))
}

/** What others than the agent changed. */
function changedLines(event: Event<'workspace.observed'>, paint: Screen['paint']): readonly string[] {
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

function deniedLines({ denied }: Event<'work.finished' | 'work.failed'>['data'], paint: Screen['paint']): readonly string[] {
  return denied === undefined ? [] : [paint('yellow', `  note             ${shortened(withFix(denied), 400)}`)]
}

/** An agent that is out of time need not have hung: it may be the run whose time was over. */
function failedWords({ reason, fault }: Event<'work.failed'>['data']): string {
  if (fault === 'provider-limit') return 'provider'
  return reason === 'timed-out' ? 'out of time' : 'agent failed'
}

/** Files that the checks wrote and were not known to write: what they write again with every run is said once. `undefined` for any other event. */
function newlyWritten(event: Event, written: readonly string[]): readonly string[] | undefined {
  if (event.type !== 'workspace.observed' || event.by.role !== 'check') return undefined
  return event.data.files.map(({ path }) => path).filter((path) => !written.includes(path))
}

function changedWords({ data: { files, filesChanged } }: Event<'workspace.observed'>): string {
  const names = files.slice(0, NOTES_SHOWN_MAX).map(({ path }) => path)
  return `${counted(filesChanged, 'file')} (${[...names, ...(filesChanged > names.length ? ['…'] : [])].join(', ')})`
}

const NOTES_SHOWN_MAX = 3

/** What the planner made of the goal, before anybody works on it. */
function planLines({ slices: { plan } = {} }: State, paint: Screen['paint']): readonly string[] {
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
function unendedLine({ unit, current, config }: State, message: string, paint: Screen['paint']): string {
  const max = maxOf(config.guards)
  const name = `iteration ${attemptNumber(unit, current.number)}${max === undefined ? '' : `/${max}`}`.padEnd(15)
  return `  ${name}  ${paint('yellow', fitted(message, WORDS_WIDTH_MAX))}`
}

function taskLine({ slices: { plan } = {} }: State, paint: Screen['paint']): string {
  const name = `task ${(plan?.index ?? 0) + 1}/${plan?.items.length ?? 1}`.padEnd(15)
  return paint('bold', `  ${name}  ${fitted(currentItem(plan)?.goal ?? '', WORDS_WIDTH_MAX)}`)
}

const WORDS_WIDTH_MAX = 200

function said(words: string | undefined): string {
  return words === undefined ? '' : `: ${fitted(words, WORDS_WIDTH_MAX)}`
}

function iterationLine(event: Event<'iteration.ended'>, before: State | undefined, state: State, paint: Screen['paint']): string {
  const { iteration, verdict, filesChanged, durationMs } = event.data
  const previous = before?.recent.at(-1)?.verdict ?? before?.baseline?.verdict
  const notRun = state.recent.at(-1)?.notRun
  const failing = failingWords(previous?.failing, verdict.failing, notRun)
  // Where tests did not run, the word before says what the numbers are.
  const change = previous ? `${failing}${notRun === undefined ? ' failing' : ''}` : verdictWords(verdict)
  const mark = verdict.passed ? paint('green', 'passed ') : paint('red', 'failing')
  const max = maxOf(state.config.guards)
  const name = `iteration ${attemptNumber(state.unit, iteration)}${max === undefined ? '' : `/${max}`}`.padEnd(15)
  return `  ${name}  ${mark}  ${change.padEnd(18)}  ${`${counted(filesChanged, 'file')} changed`.padEnd(16)}  ${duration(durationMs).padStart(7)}${spentCell(iterationSpent(event.data, state))}`
}

/** Many agents tell what they cost, others only how many tokens they took. */
function spentCell(spent: Omit<Spent, 'activeMs'>): string {
  const [words] = spentWords(spent)
  return words === undefined ? '' : `  ${words}`
}

function oddsLine(odds: Odds, paint: Screen['paint']): string {
  return paint('dim', `  ${' '.repeat(15)}  ${oddsWords(odds)}`)
}

function verdictWords(verdict: Verdict): string {
  return verdict.passed ? 'everything passes' : `${verdict.failing} failing`
}

/** What is said of an event of research while it goes; `undefined` for one that is told as in any other run. */
export function researchLines(event: Event, state: State, { paint }: Screen): readonly string[] | undefined {
  switch (event.type) {
    case 'strategy.chosen':
      return beginning(state, paint)
    case 'specialist.assigned':
      return sent(event, state, paint)
    case 'work.started':
    case 'iteration.ended':
      return []
    case 'work.finished':
      return [`  ${' '.repeat(15)}  ${whose(event.data.key, state)} answered after ${duration(event.data.durationMs)}`]
    case 'answer.refused':
      return [paint('yellow', note(`${whose(event.data.work, state)}: ${shortened(event.data.errors.join('; '), 200)}`))]
    case 'gap.unresolved':
      return [paint('yellow', note(`${event.data.gap} ${event.data.reason}: ${shortened(event.data.message, 200)}`))]
    case 'conflict.raised':
      return [paint('yellow', note(`conflict: ${event.data.conflict.topic}`))]
    case 'citation.refuted':
      return isToldAlready(event, state)
        ? []
        : [paint('yellow', note(`refuted: ${event.data.file}:${event.data.line}, ${shortened(event.data.note, 120)}`))]
    case 'workspace.restored':
      // Without one the files were as they should be, and nothing was put back.
      return event.data.savedAs === undefined ? [] : [paint('yellow', note('an agent changed files; they were put back'))]
    case 'convergence.measured':
      return convergenceLines(event.data, paint)
    default:
      return undefined
  }
}

/** The same place is refuted for every agent that cites it, and told once. */
function isToldAlready({ data: { file, line: place } }: Event<'citation.refuted'>, { slices }: State): boolean {
  const cited = (slices?.research?.answers ?? []).flatMap(({ citations }) => citations)
  return cited.filter((each) => each.status === 'refuted' && each.file === file && each.line === place).length > 1
}

type Paint = Screen['paint']

/** Shown before any work starts: what is asked, how wide it is looked, and where. */
function beginning({ slices }: State, paint: Paint): readonly string[] {
  const research = slices?.research
  if (!research) return []
  const { questions, strategy, estimate } = research
  const files = estimate?.files ?? []
  const more = files.length > FILES_SHOWN_MAX ? [`  ${' '.repeat(15)}  and ${files.length - FILES_SHOWN_MAX} more`] : []
  return [
    ...questions.map(({ text, kind, isCritical }, index) =>
      line(index === 0 ? 'questions' : '', `${text} ${paint('dim', `(${kind}${isCritical ? '' : ', not critical'})`)}`),
    ),
    ...(strategy
      ? [line('strategy', `${strategy.strategy}, at most ${counted(strategy.iterationsMax, 'iteration')}: ${strategy.reason}`)]
      : []),
    line('relevant', `${counted(files.length, 'file')} of ${estimate?.filesTotal ?? 0}`),
    ...files
      .slice(0, FILES_SHOWN_MAX)
      .map(({ path, reasons }) => line('', `${path} ${paint('dim', shortened(reasons.join('; '), 100))}`)),
    ...more,
  ]
}

const FILES_SHOWN_MAX = 5

function sent(event: Event<'specialist.assigned'>, state: State, paint: Paint): readonly string[] {
  const { iteration, index, role, description, gapKind, model } = event.data
  const gaps = state.slices?.research?.gaps.length ?? 0
  const head =
    index > 0
      ? []
      : [paint('bold', line(`iteration ${iteration}`, iteration === 1 ? 'first look' : `${counted(gaps, 'gap')} known`))]
  const what = gapKind === undefined ? '' : paint('dim', ` (${gapKind})`)
  return [...head, line('', `[${index + 1}] ${roleTitle(state, role)}, ${model}: ${shortened(description, 100)}${what}`)]
}

/** Every criterion, what it reached and what was wanted, and what follows from it. */
function convergenceLines(measured: Convergence, paint: Paint): readonly string[] {
  const { criteria, action, status, reason, early, needsReview, metrics, agentFailures } = measured
  const failing = criteria.filter(({ passed }) => !passed).length
  const overall =
    failing === 0
      ? paint('green', 'converged')
      : paint('yellow', `not converged (${counted(failing, 'criterion').replace('criterions', 'criteria')} failing)`)
  const end =
    action === 'CONTINUE' ? 'goes on' : `${status}${early ? `, ${counted(early.iterationsSkipped, 'iteration')} early` : ''}`
  return [
    line(
      'found',
      `${metrics.findingsNew} new, ${metrics.findingsMerged} confirmed, ${counted(metrics.citationsAdded, 'citation')} verified, ${metrics.citationsRefuted} refuted`,
    ),
    ...criteria.map((criterion, index) => line(index === 0 ? 'convergence' : '', criterionWords(criterion, paint))),
    ...(needsReview > 0 ? [line('', `${counted(needsReview, 'pair')} of findings may contradict each other: needs review`)] : []),
    ...(agentFailures.length === 0
      ? []
      : [line('', paint('yellow', `${counted(agentFailures.length, 'agent')} failed: ${agentFailures.join(', ')}`))]),
    line('', `${overall}: ${end}. ${shortened(reason, 300)}`),
  ]
}

function criterionWords({ criterion, value, threshold, passed }: CriterionResult, paint: Paint): string {
  const isCount = criterion === 'conflicts'
  const shown = (number: number): string => (isCount ? String(number) : `${Math.round(number * 100)}%`)
  const mark = passed ? paint('green', 'holds') : paint('red', 'does not hold')
  return `${criterion.padEnd(12)} ${shown(value).padStart(5)}  (${isCount ? 'at most' : 'at least'} ${shown(threshold)})  ${mark}`
}

function whose(key: string, state: State): string {
  const role = (key.split('/')[1] ?? '').replace(/\..*$/, '')
  return roleTitle(state, role)
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(15)}  ${text}`
}

function note(text: string): string {
  return line('note', text)
}
