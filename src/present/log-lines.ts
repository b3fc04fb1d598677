import { allowingLine, refusalWords } from '../core/refusal.ts'
import type { BuiltInEventType } from '../loops/events.ts'
import type { Event } from '../core/event.ts'
import { dateAndTime, fitted, oneLine, padded, type Screen } from './layout.ts'
import type { BoxRecord, CheckEnded, Denied, EventData, Fault } from '../core/event-data.ts'
import type { Trip } from '../core/trip.ts'
import type { Verdict } from '../core/verdict.ts'
import { counted, duration, filesWords, withFix } from '../core/wording.ts'
import { configView, goalIn } from './config-view.ts'
import type { IterationView } from './iteration-view.ts'
import { findingWords } from './proof-view.ts'
import type { RunFold } from './run-fold.ts'
import { listWords } from '../loops/shared/words.ts'
import { costWords } from './spent.ts'
import { newsIn } from './hints.ts'
import { parallelEventWords } from '../loops/parallel/words.ts'
import { researchEventWords } from '../loops/research/words.ts'

/** One line of `pawl log`: seq, time, type, by whom, and the telling part in words, cut at the width of the screen. `run` has taken it in. */
export function eventLine(event: Event, run: RunFold, { columns, paint }: Screen): string {
  const { role, name } = event.by
  const by = fitted(name === undefined || name === role ? role : `${role} ${name}`, BY_WIDTH)
  const time = dateAndTime(event.at).slice(columns < COLUMNS_FOR_DATE ? DATE_LENGTH : YEAR_LENGTH)
  const head = [padded(String(event.seq), SEQ_WIDTH, 'right'), time]
  const used = SEQ_WIDTH + time.length + TYPE_WIDTH + BY_WIDTH + 8
  const told = eventWords(event, run)
  const words = columns === Infinity ? oneLine(told) : fitted(told, Math.max(columns - used, WORDS_WIDTH_MIN))
  const type = padded(event.type, TYPE_WIDTH)
  const colour = colourOf(event)
  return [paint('dim', head.join('  ')), colour ? paint(colour, type) : type, padded(by, BY_WIDTH), words].join('  ').trimEnd()
}

const SEQ_WIDTH = 5
const TYPE_WIDTH = 19
const BY_WIDTH = 14
/** On a narrow screen the day is left out, for the words to have more room. */
const COLUMNS_FOR_DATE = 120
const YEAR_LENGTH = '2026-'.length
const DATE_LENGTH = '2026-11-03 '.length
const WORDS_WIDTH_MIN = 24

function colourOf({ type }: Event): 'green' | 'red' | 'yellow' | undefined {
  if (
    type === 'check.passed' ||
    type === 'review.approved' ||
    type === 'item.finished' ||
    type === 'child.merged' ||
    type === 'run.completed'
  )
    return 'green'
  if (
    type === 'check.failed' ||
    type === 'review.rejected' ||
    type === 'work.failed' ||
    type === 'check.errored' ||
    type === 'run.aborted' ||
    type === 'run.stopped'
  )
    return 'red'
  if (type.startsWith('guard.') || type === 'budget.warned' || type === 'escalation.raised') return 'yellow'
  return undefined
}

/** The telling part of an event in words: everything a person wants of it beyond its type and its author. `run` has taken it in. */
export function eventWords(event: Event, run: Pick<RunFold, 'iterations'>): string {
  const words = (handlers as Readonly<Record<string, unknown>>)[event.type] as
    | ((event: Event, last: IterationView | undefined) => string)
    | undefined
  return words ? words(event, run.iterations.at(-1)) : ''
}

type Handlers = { readonly [Type in BuiltInEventType]: (event: Event<Type>, last: IterationView | undefined) => string }

const handlers: Handlers = {
  ...researchEventWords,
  ...parallelEventWords,
  'run.started': ({ data: { config } }) => {
    const { agent, fallbacks = [], checks } = configView(config)
    const next = fallbacks.length === 0 ? '' : `, then ${fallbacks.join(', ')}`
    const goal = goalIn(config.loop)
    const checked = checks.length === 0 ? '' : `, checks ${checks.join(' and ')}`
    return `${goal === undefined ? '' : `${goal} - `}${config.loop.name} loop, agent ${agent}${next}${checked}`
  },
  'run.reconfigured': ({ data }) => data.message,
  'run.bound': ({ data: { agent, session } }) => `belongs to session ${session} of ${agent}`,
  'run.unbound': ({ data: { agent, session } }) => `no longer belongs to session ${session} of ${agent}`,
  'run.paused': ({ data }) => data.reason,
  'run.resumed': ({ data: { reason, holder } }) => `${reason} Process ${holder.pid} on ${holder.host}.`,
  'run.completed': ({ data }) => data.message,
  'run.stopped': ({ data }) => data.message,
  'run.imported': ({ data }) => data.message,
  'run.aborted': ({ data }) => data.reason,
  'plan.proposed': ({ data: { items = [], trouble } }) =>
    trouble ?? `${counted(items.length, 'item')}: ${items.map(({ id }) => id).join(', ')}`,
  'plan.made': ({ data: { items } }) => `${counted(items.length, 'task')}: ${items.map(({ id }) => id).join(', ')}`,
  'item.started': ({ data: { index, item } }) => `task ${index + 1}: ${item}`,
  'item.finished': ({ data: { item, iteration, message } }) => `${item}, in iteration ${iteration}: ${message}`,
  'role.assigned': ({ data: { role, trigger, from, to, reason } }) =>
    `${role} ${from === undefined || from === to ? to : `${from} -> ${to}`} (${trigger}): ${reason}`,
  'handoff.accepted': ({ data: { contract } }) => contract,
  'handoff.refused': ({ data: { contract, rule, message } }) => `${contract}, ${rule}: ${message}`,
  'pass.recorded': ({ data: { coder, item, failed, summary } }) =>
    `${coder} on ${item}${failed === undefined ? '' : ', failed'}: ${failed ?? (summary === '' ? 'without a word' : summary)}`,
  'pass.judged': ({ data: { verdict, route, reworkCycle, similarity, convergenceDetected } }) =>
    [
      verdict === route ? verdict : `${verdict}, to ${route}`,
      ...(verdict === 'APPROVE' ? [] : [`rework cycle ${reworkCycle}`]),
      ...(similarity === undefined ? [] : [`${Number(similarity.toFixed(3))} like the pass before`]),
      ...(convergenceDetected ? ['convergence_detected'] : []),
    ].join(', '),
  'tests.judged': ({ data: { item, outcome, trouble } }) => `${item}: ${outcome}${trouble === undefined ? '' : `: ${trouble}`}`,
  'commit.created': ({ data: { item, branch, commit } }) => {
    const what = item === '' ? 'the state before the run' : item
    return commit === undefined ? `${what}: nothing to commit` : `${what}: ${commit.slice(0, 12)} on ${branch}`
  },
  'lesson.learned': ({ data: { item, rule } }) => `${rule} (from ${item})`,
  'iteration.started': ({ data }) => `iteration ${data.iteration}`,
  'iteration.ended': (
    { data: { iteration, verdict, filesChanged, durationMs, checksNotRun = [] } },
    last = { iteration, seq: 0 },
  ) =>
    [
      `iteration ${iteration}: ${last.isUnchecked ? 'not checked' : verdictWords(verdict)}`,
      `${counted(filesChanged, 'file')} changed`,
      duration(durationMs),
      ...costWords(last),
      ...checksNotRun.map((name) => `${name} not run`),
    ].join(', '),
  'work.started': ({ data: { key, role, process: started, box } }) =>
    `${key}, ${role}${started ? `, process ${started.pid}` : ''}${boxWords(box)}`,
  'work.finished': ({ data: { key, durationMs, summary, endedBy, costUsd = 0, isUsagePartial, exitCode, denied } }) => {
    const exit = exitCode === undefined || exitCode === 0 ? [] : [`exit code ${exitCode}`]
    const cost = costUsd === 0 ? [] : costWords({ costUsd, ...(isUsagePartial ? { isCostPartial: isUsagePartial } : {}) })
    return `${[key, duration(durationMs), ...cost, ...exit].join(', ')}${saidAtEnd(endedBy, summary)}${afterwards(denied)}`
  },
  'work.failed': ({ data: { key, reason, fault, message, fix, denied } }) =>
    `${key}, ${reason === 'timed-out' ? outOfTime(fault) : `${reason} (${fault})`}: ${withFix({ message, fix })}${afterwards(denied)}`,
  'work.acted': ({ data: { key, actions } }) =>
    `${key}, ${counted(actions.length, 'action')}: ${[...new Set(actions.map(({ name }) => name))].join(', ')}`,
  'work.asked': ({ data: { key, ask } }) => `${key}, put aside until a person answers: ${ask.title}`,
  'work.answered': ({ data: { key, ask, option, how, note } }) => {
    const label = ask.options.find(({ id }) => id === option)?.label ?? option
    return `${key}, ${ask.title}: ${label} (${HOW[how]})${note === undefined ? '' : `: "${note}"`}`
  },
  'work.abandoned': ({ data }) => `${data.key}: ${data.reason}`,
  'agent.switched': ({ data }) => switchWords(data),
  'workspace.observed': (event) => {
    const { filesChanged, insertions, deletions, files, tree } = event.data
    const news = newsIn(event)
      .map((note) => `; ${note}`)
      .join('')
    if (filesChanged === 0) return `nothing changed, tree ${tree.slice(0, 12)}${news}`
    const names = files
      .slice(0, FILES_NAMED_MAX)
      .map(({ path, change }) => `${path}${change === 'modified' ? '' : ` (${change})`}`)
    const more = filesChanged > names.length ? ', …' : ''
    return `${counted(filesChanged, 'file')} changed, +${insertions} -${deletions}: ${names.join(', ')}${more}${news}`
  },
  'workspace.restored': ({ data: { savedAs, tree, files, filesChanged } }) => {
    if (savedAs === undefined) return `was at tree ${tree.slice(0, 12)} already`
    const what = files && files.length > 0 ? `, ${filesWords(files, filesChanged)} put back` : ''
    return `back to tree ${tree.slice(0, 12)}${what}; what was there is kept as ${savedAs}`
  },
  'check.started': ({ data: { key, name, cell, process: started, box } }) =>
    `${name} (${[key, ...(cell === undefined ? [] : [cell]), ...(started ? [`process ${started.pid}`] : [])].join(', ')}${boxWords(box)})`,
  'check.passed': ({ data }) => checkWords(data),
  'check.failed': ({ data }) => failedWords(data),
  'review.approved': ({ data: { name, summary } }) => `${name}${summary === undefined ? '' : `: ${summary}`}`,
  'review.rejected': ({ data }) => failedWords(data),
  'box.refused': ({ data }) => `${data.key}, ${refusalWords(data)}; ${allowingLine([data])}`,
  'prepare.started': ({ data: { command, cell } }) => `${command}${cell === undefined ? '' : ' in a fresh copy'}`,
  'prepare.finished': ({ data: { command, cell, durationMs } }) =>
    `${command}${cell === undefined ? '' : ' in a fresh copy'}, ${duration(durationMs)}`,
  'prepare.failed': ({ data: { fault, message, fix } }) => `(${fault}) ${withFix({ message, fix })}`,
  'proof.made': ({ data }) => proofWords(data),
  'tests.written': ({ data: { files, filesCount, others, othersCount } }) =>
    [
      filesCount === 0 ? 'no tests' : `tests: ${listWords(files, filesCount)}`,
      ...(othersCount === 0 ? [] : [`other files: ${listWords(others, othersCount)}`]),
    ].join('; '),
  'tests.accepted': ({ data: { failing, failingCount } }) =>
    failingCount === 0
      ? 'written for work that is there'
      : `${counted(failingCount, 'test')} failing before the work: ${listWords(failing, failingCount)}`,
  'review.abandoned': ({ data: { name, reason } }) => `${name}: ${reason}`,
  'check.errored': ({ data: { name, message, fix, fault } }) => `${name} could not run (${fault}): ${withFix({ message, fix })}`,
  'guard.tripped': ({ data }) => tripWords(data),
  'guard.nudged': ({ data }) => tripWords(data),
  'guard.waived': ({ data: { guard, note } }) => `${guard} may be passed once${note === undefined ? '' : `: "${note}"`}`,
  'guard.disputed': ({ data: { guard, note } }) =>
    `${guard} was a false alarm, a person says${note === undefined ? '' : `: "${note}"`}`,
  'budget.warned': ({ data }) => tripWords(data),
  'decision.made': ({ data: { action, message, basis } }) => `${action}: ${message} (on ${basis.join(', ')})`,
  'promise.declared': ({ data: { promises } }) => promises.join(', '),
  'promise.claimed': ({ data: { promise, reason } }) => `${promise}${reason === undefined ? '' : `: ${reason}`}`,
  'promise.verified': ({ data: { promise, tree } }) => `${promise} holds on tree ${tree.slice(0, 12)}`,
  'promise.refuted': ({ data: { promise, message } }) => `${promise}: ${message}`,
  'checkpoint.created': ({ data: { checkpoint, trigger, snapshot } }) => `${checkpoint} (${trigger}), tree kept as ${snapshot}`,
  'checkpoint.dropped': ({ data: { checkpoint, reason } }) => `${checkpoint}: ${reason}`,
  'timer.set': ({ data: { until, message } }) => `until ${dateAndTime(until)}: ${message}`,
  'timer.fired': ({ data }) => data.timer,
  'question.phrased': ({ data: { text, trouble } }) => text ?? `the question stays as it was: ${trouble ?? 'no reason given'}`,
  'escalation.raised': ({ data: { question } }) =>
    `${question.text} [${question.options.map(({ label }, index) => `${index + 1} ${label}`).join('; ')}]`,
  'escalation.answered': ({ data: { choice, note } }) => `${choice}${note === undefined ? '' : `: "${note}"`}`,
}

const FILES_NAMED_MAX = 3

const HOW = { person: 'a person', policy: 'the policy for unattended runs', earlier: 'as a person answered before' }

function saidAtEnd(endedBy: Trip | undefined, summary: string | undefined): string {
  if (endedBy) return `: ended: ${endedBy.message}`
  return summary === undefined ? '' : `: ${summary}`
}

function afterwards(denied: Denied | undefined): string {
  return denied === undefined ? '' : `; ${denied.message}`
}

/** Whether the agent hung or the time of the run was over, the message says; whose fault else it was, only this does. */
function outOfTime(fault: Fault): string {
  return fault === 'agent' ? 'out of time' : `out of time (${fault})`
}

function verdictWords({ passed, failing, score }: Verdict): string {
  return passed ? 'passed' : `${failing} failing, score ${Number(score.toFixed(3))}`
}

function checkWords({ name, durationMs, counts, firstRun, flaky = [] }: CheckEnded): string {
  const tests = counts ? `, ${counts.failed} of ${counted(counts.passed + counts.failed, 'test')} failing` : ''
  const again = firstRun ? ', run twice' : ''
  const differing = flaky.length === 0 ? '' : `, flaky: ${listWords(flaky)}`
  return `${name}, ${duration(durationMs)}${again}${tests}${differing}`
}

function proofWords({
  level,
  turned,
  changedTests,
  changedTestsCount,
  byExitCode = [],
  findings,
  flaky = [],
  durationMs,
}: EventData['proof.made']): string {
  const said =
    findings.length > 0
      ? `not proven, ${duration(durationMs)}: ${findings.map(findingWords).join(' ')}`
      : `${level}, ${duration(durationMs)}`
  const parts = [
    said,
    ...(turned.length > 0 ? [`${counted(turned.length, 'failure')} gone: ${listWords(turned)}`] : []),
    ...(changedTestsCount > 0 ? [`changed test files: ${listWords(changedTests, changedTestsCount)}`] : []),
    ...(flaky.length > 0 ? [`flaky: ${listWords(flaky.flatMap(({ tests }) => tests))}`] : []),
    ...(byExitCode.length > 0 ? [`by exit code only: ${listWords(byExitCode)}`] : []),
  ]
  return parts.join('; ')
}

function failedWords(data: CheckEnded): string {
  const [first, ...rest] = data.failures
  const named = first
    ? `: ${first.id === data.name ? '' : `${first.id}: `}${first.message}${rest.length > 0 ? ` (and ${rest.length} more)` : ''}`
    : ''
  return `${checkWords(data)}${named}`
}

/** The author of the event says which guard it was. */
function tripWords({ message, topic }: Trip): string {
  return topic === undefined ? message : `${topic}: ${message}`
}

/** Who continues for whom and why, and when the first is tried again: what its provider said of that may be cut. */
export function switchWords({ from, message, until }: EventData['agent.switched']): string {
  return until === undefined
    ? message
    : `${message.replace(/(?<![.!?…])$/, '.')} ${from} is tried again from ${dateAndTime(until)} on.`
}

/** What the box enforces. */
function boxWords(box: BoxRecord | undefined): string {
  if (!box) return ''
  const { isolation, by, network, hosts = [], writable = [] } = box
  const net = network === 'proxy' ? `only ${hosts.join(' ')}` : network
  const parts = [
    by,
    ...(net === undefined ? [] : [`network: ${net}`]),
    ...(writable.length > 0 ? [`writes ${writable.join(' ')}`] : []),
  ]
  return `, ${isolation} (${parts.join('; ')})`
}
