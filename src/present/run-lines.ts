import { bestWords, factsWords, nextCommand, paintedStatus, questionLines, tripLines, usedWords } from './card.ts'
import { sessionWords } from '../core/outcome.ts'
import { counted, filesWords, shortened } from '../core/wording.ts'
import { goesOnIn, oddsNowWords, type RunView, type UnderWay } from './run-view.ts'
import { type DecisionView, type PersonAct, type TaskView } from './run-fold.ts'
import {
  ago,
  type Column,
  dateAndTime,
  fitted,
  labelled,
  padded,
  type Screen,
  shortDuration,
  tableColumns,
  tableOf,
  textWidth,
} from './layout.ts'
import { type IterationView, stretchWords } from './iteration-view.ts'
import { proofDetails, proofLines } from './proof-view.ts'
import { costCell, tokensCell } from './spent.ts'
import type { RunStatus } from '../core/state.ts'

/** A run on one screen: what `pawl show` prints. `now` is for the times that are relative. */
export function runLines(view: RunView, screen: Screen, now: number): string[] {
  const best = view.best?.iteration
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['', headLines(view, screen, now)],
    ['Why', whyLines(view, screen)],
    ['Made of', configLines(view, screen)],
    ['Tasks', taskLines(view.tasks ?? [], screen)],
    ['Proof', proofSection(view, screen)],
    ['Iterations', iterationTable(view.iterations, best, screen)],
    ['Best so far', bestLines(view, screen)],
    [view.holder ? 'Under way' : 'Cut short', view.underWay.map((each) => `  ${underWayWords(each, now)}`)],
    ['Question', view.question ? questionLines(view.run, view.question, screen, goesOnIn(view)) : []],
    ['People', view.people.flatMap((act) => actLines(act, screen, now))],
    [
      'Saved trees',
      view.saved.map(
        ({ seq, at, by, files = [], filesChanged, command }) =>
          `  ${ago(at, now)}, event ${seq}${by ? `, what the ${by} changed` : ''}${files.length > 0 ? `, ${filesWords(files, filesChanged)}` : ''}: get it back with ${screen.paint('cyan', command)}`,
      ),
    ],
  ]
  return sections
    .filter(([, lines]) => lines.length > 0)
    .flatMap(([title, lines]) => (title === '' ? lines : ['', screen.paint('bold', title), ...lines]))
}

function headLines(view: RunView, screen: Screen, now: number): readonly string[] {
  const { columns, paint } = screen
  const isHeld = view.holder !== undefined
  const command = nextCommand(view.run, view.status, isHeld, view.question?.answer !== undefined, goesOnIn(view))
  const task = taskWords(view)
  const odds = oddsNowWords(view)
  const todo = command === undefined ? '' : ` - ${paint('cyan', command)}`
  const word = view.isImported ? 'imported' : statusWord(view.status, isHeld, view.bound !== undefined)
  return [
    `${paint('bold', view.run)}  ${paintedStatus(view.status, word, screen)}${todo}`,
    ...labelled('Goal', view.goal ?? `(the ${view.loop} loop has none)`, columns),
    ...(task === undefined ? [] : labelled('Task', task, columns)),
    ...labelled('Used', usedWords(view), columns),
    ...(odds === undefined ? [] : labelled('Odds', odds, columns)),
    ...workerLines(view, columns),
    ...labelled('Started', `${dateAndTime(view.startedAt)}, last touched ${ago(view.updatedAt, now)}`, columns),
    ...(view.isImported ? [] : labelled('Driven by', holderWords(view), columns)),
    ...(view.bound ? labelled('Belongs to', boundWords(view.run, sessionWords(view.bound)), columns) : []),
    ...(view.waitsUntil === undefined ? [] : labelled('Waits until', dateAndTime(view.waitsUntil), columns)),
  ]
}

function boundWords(run: string, session: string): string {
  return `${session}, which continues it at the end of its turn; to continue here instead: pawl resume ${run} --unbind`
}

/** Which one is under way, and how many are done. */
function taskWords({ tasks = [] }: RunView): string | undefined {
  if (tasks.length === 0) return undefined
  const current = tasks.find((task) => task.status === 'under way')
  const done = tasksDoneWords(tasks.filter((task) => task.status === 'done').length, tasks.length)
  return current ? `${current.number}, ${current.id} (${done})` : done
}

/** Who worked, if that is not simply the one agent of the run; the newest model and session, if they are known. */
function workerLines({ workers, config, standIns = [] }: RunView, columns: number): readonly string[] {
  const last = workers.at(-1)
  const isPlain = workers.length <= 1 && standIns.length === 0
  const instead = standIns.map(
    ({ agent, by, until }) =>
      `${by} for ${agent}${until === undefined ? ', which cannot work here' : ` until ${dateAndTime(until)}`}`,
  )
  return [
    ...(isPlain ? [] : labelled('Worked', stretchWords(workers), columns)),
    ...(instead.length === 0 ? [] : labelled('Fallback', instead.join('; '), columns)),
    ...(last?.model === undefined || last.model === config.model ? [] : labelled('Model', last.model, columns)),
    ...(last?.session === undefined ? [] : labelled('Session', `${last.session} of ${last.agent}`, columns)),
  ]
}

function holderWords({ holder }: RunView): string {
  if (!holder) return 'nobody now'
  return `process ${holder.pid} on ${holder.host}${holder.isSeen ? '' : ' (cannot be seen from here)'}`
}

/** The last decision with its reasons; where something came after it, the run's own message says that. */
function whyLines(view: RunView, screen: Screen): readonly string[] {
  const decision = view.decisions.at(-1)
  const message = labelled('Now', view.message, screen.columns)
  const hints = (view.hints ?? []).flatMap((hint) => labelled('Note', hint, screen.columns))
  if (!decision) return [...message, ...hints]
  return [...(view.message === decision.message ? [] : message), ...decisionLines(decision, screen), ...hints]
}

function decisionLines({ action, message, iteration, seq, basis, trips }: DecisionView, screen: Screen): readonly string[] {
  const rests = basis.length === 0 ? '' : `, on ${factsWords(basis)}`
  return [
    ...labelled('Decision', `${action}, after iteration ${iteration} (event ${seq}${rests})`, screen.columns),
    ...labelled('Because', shortened(message, MESSAGE_LENGTH_MAX), screen.columns),
    ...trips.flatMap((trip) => tripLines(trip, screen)),
  ]
}

function configLines({ config }: RunView, { columns }: Screen): readonly string[] {
  return [
    ...labelled('Agent', config.agent, columns),
    ...config.checks.flatMap((check, index) => labelled(index === 0 ? 'Checks' : '', check, columns)),
    ...config.guards.flatMap((guard, index) => labelled(index === 0 ? 'Guards' : '', guard, columns)),
    ...labelled('Workspace', config.workspace, columns),
    ...(config.isolation === undefined ? [] : labelled('Isolation', config.isolation, columns)),
    ...(config.protect ?? []).flatMap((glob, index) => labelled(index === 0 ? 'Protected' : '', glob, columns)),
    ...(config.roles ?? []).flatMap((role, index) => labelled(index === 0 ? 'Roles' : '', role, columns)),
    ...(config.fallbacks ? labelled('Fallback', fallbackWords(config), columns) : []),
    ...(config.experts ?? []).flatMap((expert, index) => labelled(index === 0 ? 'Experts' : '', expert, columns)),
    ...(config.questioner === undefined ? [] : labelled('Questioner', config.questioner, columns)),
    ...(config.program === undefined ? [] : labelled('Program', `${config.program} (only it can resume the run)`, columns)),
  ]
}

/** Why the work is believed to be done: task by task if there are several. */
function proofSection({ tasks = [], proof }: RunView, screen: Screen): readonly string[] {
  if (tasks.length <= 1) return proof ? proofLines(proof, screen) : []
  return tasks.flatMap((task) =>
    task.proof
      ? labelled(`  ${task.number}`, [task.proof.summary, ...proofDetails(task.proof)].join(' '), screen.columns, 5)
      : [],
  )
}

function bestLines({ best }: RunView, { paint }: Screen): readonly string[] {
  // The files are in that state already.
  return best && !best.isNow ? [`  ${bestWords(best)}; get it with ${paint('cyan', best.command)}`] : []
}

function underWayWords({ key, kind, since, process: started }: UnderWay, now: number): string {
  const pid = started ? `, process ${started.pid}` : ''
  return `${kind} ${key} for ${shortDuration(Math.max(0, now - since))}${pid}`
}

function actLines({ seq, at, by = 'someone', what, note }: PersonAct, { columns }: Screen, now: number): readonly string[] {
  const said = note === undefined ? '' : `: "${note}"`
  return labelled('  ', `${ago(at, now)}, ${by} ${what}${said} (event ${seq})`, columns, 2)
}

const MESSAGE_LENGTH_MAX = 600

function fallbackWords({ fallbacks = [], onLimit }: RunView['config']): string {
  const how = onLimit === undefined ? '' : ` (at a provider's limit: ${onLimit})`
  return `${fallbacks.join(', ')}${how}`
}

/** One line a task: whether it is done, how many attempts it took, its name and goal. Of many, those around the one under way. */
export function taskLines(tasks: readonly TaskView[], { columns, paint }: Screen): readonly string[] {
  const current = tasks.findIndex((task) => task.status === 'under way')
  const first = Math.max(0, Math.min(current === -1 ? tasks.length : current - BEFORE_COUNT, tasks.length - SHOWN_MAX))
  const shown = tasks.slice(first, first + SHOWN_MAX)
  const idWidth = Math.min(ID_WIDTH_MAX, Math.max(0, ...shown.map(({ id }) => textWidth(id))))
  const lines = shown.map((task) => {
    const head = `  ${padded(String(task.number), String(tasks.length).length, 'right')}  `
    const status = padded(task.status, STATUS_WIDTH)
    const tries = padded(task.attempts === 0 ? '' : counted(task.attempts, 'attempt'), TRIES_WIDTH)
    const rest = `${head}${status}  ${tries}  ${padded(fitted(task.id, idWidth), idWidth)}  `
    const text = rest + fitted(task.goal, Math.max(columns - textWidth(rest), GOAL_WIDTH_MIN))
    return text.trimEnd().replace(task.status, (word) => paint(COLOURS[task.status], word))
  })
  return [...tasksLeftOut(first, 'before'), ...lines, ...tasksLeftOut(tasks.length - first - shown.length, 'after')]
}

/** "2 of 5 done". */
function tasksDoneWords(done: number, count: number): string {
  return `${done} of ${counted(count, 'task')} done`
}

function tasksLeftOut(count: number, where: string): readonly string[] {
  return count === 0 ? [] : [`  … ${count} more ${where} these; --json has them all`]
}

const COLOURS = { open: 'dim', 'under way': 'cyan', done: 'green' } as const
const SHOWN_MAX = 20
const BEFORE_COUNT = 5
const STATUS_WIDTH = 'under way'.length
const TRIES_WIDTH = '10 attempts'.length
const ID_WIDTH_MAX = 24
const GOAL_WIDTH_MIN = 12

/**
 * What a status is called. A run nobody drives although it could continue is `bound` where a session of an agent continues it when it
 * ends its turn, else `idle`: interrupted, or answered and not taken up yet.
 */
export function statusWord(status: RunStatus, isHeld: boolean, isBound = false, isQueued = false): string {
  if (isQueued && !isHeld && (status === 'running' || status === 'paused')) return 'queued'
  if (status !== 'running' || isHeld) return status
  return isBound ? 'bound' : 'idle'
}

/**
 * One line an iteration, the best one marked. Of a long run the first few and the last 20, and how many were left out. The task, the
 * agent and tokens have a column if there are several, another one or any, and the screen has room; before these what the agent said is
 * left out, which says nothing in a few columns.
 */
function iterationTable(all: readonly IterationView[], best: number | undefined, screen: Screen): readonly string[] {
  if (all.length === 0) return []
  const leftOut = Math.max(0, all.length - FIRST_COUNT - LAST_COUNT)
  const shown = leftOut === 0 ? all : [...all.slice(0, FIRST_COUNT), ...all.slice(-LAST_COUNT)]
  const wanted = columnsOf(best).filter(({ isWanted }) => isWanted?.(all) ?? true)
  const narrower = ['tokens', 'agent'].filter((title) => wanted.some((column) => column.title === title))
  const sets = [
    wanted,
    ...narrower.map((_, count) => wanted.filter(({ title }) => !narrower.slice(0, count + 1).includes(title))),
  ]
  const inside = { ...screen, tableColumns: tableColumns(screen) - INDENT.length }
  const said = { title: 'the agent said', cell: (view: IterationView) => view.said ?? '', wanted: 0, widthMin: SAID_WIDTH_MIN }
  const lines = tableOf(sets, shown, inside, said).map((line) => `${INDENT}${line}`)
  const gap = `${INDENT}… ${counted(leftOut, 'iteration')} left out; --json has them all`
  return leftOut === 0 ? lines : lines.toSpliced(FIRST_COUNT + 1, 0, screen.paint('dim', gap))
}

/** "3 → 1"; "?" if it was not measured; "4 → 1, 3 not run" if tests did not run that ran at first. */
export function failingWords(before: number | undefined, after: number | undefined, notRun?: number): string {
  if (before === undefined && after === undefined) return ''
  return `${before ?? '?'} → ${after ?? '?'}${notRun === undefined ? '' : `, ${notRun} not run`}`
}

/** What an iteration came to, in a word or two. */
export function verdictWord({ verdict, isUnchecked }: Pick<IterationView, 'verdict' | 'isUnchecked'>): string {
  if (isUnchecked) return 'not checked'
  return verdict === undefined ? 'open' : verdict.passed ? 'passed' : 'failed'
}

/** What was failing before an iteration and after it; nothing if nobody looked. */
export function movementWords({ failingBefore, verdict, isUnchecked, notRun }: IterationView): string {
  return isUnchecked ? '' : failingWords(failingBefore, verdict?.failing, notRun)
}

const FIRST_COUNT = 3
const LAST_COUNT = 20
const NAME_WIDTH_MAX = 16
const SAID_WIDTH_MIN = 12
const INDENT = '  '

/** `isWanted`: whether a run has the column; default: every run. */
type IterationColumn = Column<IterationView> & { readonly isWanted?: (all: readonly IterationView[]) => boolean }

function columnsOf(best: number | undefined): readonly IterationColumn[] {
  return [
    {
      title: 'task',
      cell: ({ task, attempt }) => (task === undefined ? '' : `${fitted(task, NAME_WIDTH_MAX)} (${attempt})`),
      isWanted: (all) => all.some(({ task }) => task !== undefined),
    },
    { title: '#', side: 'right', cell: ({ iteration }) => `${iteration === best ? '*' : ''}${iteration}` },
    {
      title: 'agent',
      cell: ({ workers = [] }) => fitted(workers.map(({ agent }) => agent).join(', '), NAME_WIDTH_MAX),
      isWanted: (all) => new Set(all.flatMap(({ workers = [] }) => workers.map(({ agent }) => agent))).size > 1,
    },
    { title: 'verdict', cell: verdictWord, style: ({ verdict }) => verdict && (verdict.passed ? 'green' : 'red') },
    { title: 'failing', side: 'right', cell: movementWords },
    { title: 'files', side: 'right', cell: ({ filesChanged = '' }) => String(filesChanged) },
    { title: 'time', side: 'right', cell: ({ durationMs }) => (durationMs === undefined ? '' : shortDuration(durationMs)) },
    { title: 'cost', side: 'right', cell: (view) => (view.endedSeq === undefined ? '' : costCell(view)) },
    { title: 'tokens', side: 'right', cell: tokensCell, isWanted: (all) => all.some(({ tokens }) => tokens !== undefined) },
  ]
}
