import { sessionWords } from '../core/bound-words.ts'
import { shortened } from '../core/wording.ts'
import { filesWords } from '../core/files-words.ts'
import { bestWords } from './best-words.ts'
import type { DecisionView } from './decision-view.ts'
import { iterationTable } from './iteration-table.ts'
import { oddsNowWords } from './odds-now.ts'
import type { PersonAct } from './people-view.ts'
import { questionLines } from './question-lines.ts'
import { factsWords, tripLines } from './reason-lines.ts'
import { goesOnIn, type RunView, type UnderWay } from './run-view.ts'
import type { Screen } from './screen.ts'
import { nextCommand, paintedStatus, statusWord } from './status-words.ts'
import { taskLines, tasksDoneWords } from './task-lines.ts'
import { labelled } from './text-layout.ts'
import { ago, dateAndTime, shortDuration } from './times.ts'
import { usedWords } from './used-words.ts'
import { stretchWords } from './worker-view.ts'

/** A run on one screen: what `pawl show` prints. `now` is for the times that are relative. */
export function runLines(view: RunView, screen: Screen, now: number): string[] {
  const best = view.best?.iteration
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['', headLines(view, screen, now)],
    ['Why', whyLines(view, screen)],
    ['Made of', configLines(view, screen)],
    ['Tasks', taskLines(view.tasks ?? [], screen)],
    ['Iterations', iterationTable(view.iterations, best, screen)],
    ['Best so far', bestLines(view, screen)],
    [view.holder ? 'Under way' : 'Cut short', view.underWay.map((each) => `  ${underWayWords(each, now)}`)],
    ['Question', view.question ? questionLines(view.run, view.question, screen, goesOnIn(view)) : []],
    ['People', view.people.flatMap((act) => actLines(act, screen, now))],
    [
      'Saved trees',
      view.saved.map(
        ({ seq, at, by, files = [], filesChanged, command }) =>
          `  ${ago(at, now)}, fact ${seq}${by ? `, what the ${by} changed` : ''}${files.length > 0 ? `, ${filesWords(files, filesChanged)}` : ''}: get it back with ${screen.paint('cyan', command)}`,
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
  return `${session}, and goes on when that ends its turn; to go on here instead: pawl resume ${run} --unbind`
}

/** Which one is under way, and how many are done. */
function taskWords({ tasks = [] }: RunView): string | undefined {
  if (tasks.length === 0) return undefined
  const current = tasks.find((task) => task.status === 'under way')
  const done = tasksDoneWords(tasks.filter((task) => task.status === 'done').length, tasks.length)
  return current ? `${current.number}, ${current.id} (${done})` : done
}

/** Who worked, where that is not simply the one agent of the run; the newest model and session, where they are known. */
function workerLines({ workers, config, standIns = [] }: RunView, columns: number): readonly string[] {
  const last = workers.at(-1)
  const isPlain = workers.length <= 1 && standIns.length === 0
  const instead = standIns.map(
    ({ agent, by, until }) =>
      `${by} for ${agent}${until === undefined ? ', which cannot work here' : ` until ${dateAndTime(until)}`}`,
  )
  return [
    ...(isPlain ? [] : labelled('Worked', stretchWords(workers), columns)),
    ...(instead.length === 0 ? [] : labelled('Stands in', instead.join('; '), columns)),
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
    ...labelled('Decision', `${action}, after iteration ${iteration} (fact ${seq}${rests})`, screen.columns),
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
    ...(config.protect ?? []).flatMap((glob, index) => labelled(index === 0 ? 'Protected' : '', glob, columns)),
    ...(config.roles ?? []).flatMap((role, index) => labelled(index === 0 ? 'Roles' : '', role, columns)),
    ...(config.fallbacks ? labelled('Fallback', fallbackWords(config), columns) : []),
    ...(config.experts ?? []).flatMap((expert, index) => labelled(index === 0 ? 'Experts' : '', expert, columns)),
    ...(config.questioner === undefined ? [] : labelled('Questioner', config.questioner, columns)),
    ...(config.program === undefined ? [] : labelled('Program', `${config.program} (only it can resume the run)`, columns)),
  ]
}

function bestLines({ best }: RunView, { paint }: Screen): readonly string[] {
  return best ? [`  ${bestWords(best)}; get it with ${paint('cyan', best.command)}`] : []
}

function underWayWords({ key, kind, since, process }: UnderWay, now: number): string {
  const pid = process ? `, process ${process.pid}` : ''
  return `${kind} ${key} for ${shortDuration(Math.max(0, now - since))}${pid}`
}

function actLines({ seq, at, by = 'someone', what, note }: PersonAct, { columns }: Screen, now: number): readonly string[] {
  const said = note === undefined ? '' : `: "${note}"`
  return labelled('  ', `${ago(at, now)}, ${by} ${what}${said} (fact ${seq})`, columns, 2)
}

const MESSAGE_LENGTH_MAX = 600

function fallbackWords({ fallbacks = [], onLimit }: RunView['config']): string {
  const how = onLimit === undefined ? '' : ` (at a provider's limit: ${onLimit})`
  return `${fallbacks.join(', ')}${how}`
}
