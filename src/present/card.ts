import { defined } from '../core/defined.ts'
import type { Seq } from '../core/event.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Option, Question } from '../core/question.ts'
import type { Saying } from '../core/saying.ts'
import type { RunStatus } from '../core/state.ts'
import { counted, duration, iterationNoun } from '../core/wording.ts'
import { textOf } from './words.ts'
import { amountWords } from './config-view.ts'
import type { IterationView } from './iteration-view.ts'
import { fitted, folded, labelled, oneLine, padded, type Screen, shortDuration, textWidth, wrapped } from './layout.ts'
import type { DecisionView, TripView } from './run-fold.ts'
import { type BestView, goesOnIn, type OddsNow, oddsNowWords, type RunView } from './run-view.ts'
import { proofDetails, type ProofView } from './proof-view.ts'
import { spentWords } from './spent.ts'

/** Why a run that did not succeed ended or waits, and what you can do about it: plain data. */
export interface StopCard
  extends
    OddsNow,
    Pick<
      RunView,
      'run' | 'status' | 'message' | 'totals' | 'iterationsDone' | 'iterationsMax' | 'best' | 'hints' | 'question' | 'proof'
    > {
  /** What the guards that decided say. Without any the message says why. */
  readonly trips: readonly TripView[]
  /** Edits of those who were only asked to look; `command` restores the newest. */
  readonly putBack?: { readonly by: readonly string[]; readonly times: number; readonly command: string }
  /** Who continues the run, if no command does. */
  readonly elsewhere?: string
  /** The command that continues the run, if nothing is asked. */
  readonly command?: string
}

/** The card of a run that did not succeed. */
export function stopCard(view: RunView): StopCard {
  const { run, status, message, totals, iterationsDone, iterationsMax, decisions, saved } = view
  const { best, hints, question, proof, odds, oddsIfRaised } = view
  const decision = status === 'escalated' || status === 'stopped' ? decisions.at(-1) : undefined
  const written = saved.flatMap(({ by, command }) => (by === undefined ? [] : [{ by, command }]))
  const last = written.at(-1)
  return {
    run,
    status,
    message,
    totals,
    iterationsDone,
    ...defined({ iterationsMax, best, hints, question, proof, odds, oddsIfRaised }),
    trips: decision ? decidingTrips(decision, view.iterations.at(-1)) : [],
    ...(last ? { putBack: { by: [...new Set(written.map(({ by }) => by))], times: written.length, command: last.command } } : {}),
    ...defined({ elsewhere: goesOnIn(view), command: question ? undefined : nextCommand(run, status, false, false) }),
  }
}

/**
 * The card as a person reads it: what the run needs, why, and one command that does the whole job. At most `CARD_LINES_MAX` lines and 80
 * columns; `pawl show` has the rest.
 */
export function stopCardLines(card: StopCard, { columns: width, paint }: Screen): string[] {
  const columns = Math.min(width, CARD_COLUMNS_MAX)
  const screen: Screen = { columns, paint }
  const { question } = card
  const open = question && question.answer === undefined ? question : undefined
  const ask = open ? ['', ...askLines(open, screen)] : []
  const tail = ['', ...wayOnLines(card, screen)]
  const body = [...(open ? situation(open, card, screen) : reasons(card, screen)), ...standing(card, screen)]
  const room = Math.max(BODY_LINES_MIN, CARD_LINES_MAX - 1 - ask.length - tail.length)
  const shown = body.length > room ? [...body.slice(0, room - 1), paint('dim', '  …')] : body
  return [header(card, screen), ...shown, ...ask, ...tail]
}

/** Where the work of a completed run is, if not in the folder itself: the run's worktree. */
export interface WorkPlace {
  /** The worktree's folder, if it is still there. */
  readonly folder?: string
}

/** What a success shows that isn't in the view. */
export interface DoneMore {
  /** The agent's last words. */
  readonly said?: string | undefined
  readonly worktree?: WorkPlace | undefined
  /** What research came to. */
  readonly research?: { readonly status: string; readonly questions: readonly { readonly status: string }[] } | undefined
}

/** What a success says: why it is believed, what the agent said, and the commands to review, apply or undo the work. */
export function doneLines(
  view: RunView,
  { columns: width, paint }: Screen,
  { said, worktree, research }: DoneMore = {},
): readonly string[] {
  const columns = Math.min(width, CARD_COLUMNS_MAX)
  const { run, totals, proof, tasks = [], start, loop, iterations } = view
  const used = [iterationNoun(iterationsUsed(view)), shortDuration(totals.activeMs), ...spentWords(totals).slice(0, 1)]
  const isOne = tasks.length <= 1
  const title = doneTitle(view)
  const believed = isOne && proof && proof.summary !== title ? proofSentence(proof) : undefined
  const isChanged = start !== undefined && iterations.some(({ filesChanged = 0 }) => filesChanged > 0)
  const command = (label: string, text: string): string => `  ${padded(label, DONE_LABEL_WIDTH)}${paint('cyan', text)}`
  const row = (label: string, text: string): readonly string[] => labelled(`  ${label}`, text, columns, DONE_LABEL_WIDTH + 2)
  return [
    ...folded(
      `${paint('bold', research?.status === 'PARTIAL' ? paint('yellow', `■ ${partialTitle(view, research)}`) : paint('green', `✓ ${title}`))}${paint('dim', used.map((part) => ` · ${part}`).join(''))}`,
      width,
    ),
    ...(believed === undefined ? [] : row('Proof', believed)),
    // What an agent of research says last is the JSON that Pawl asked for; the answers come after this.
    ...(said === undefined || loop === 'research'
      ? []
      : [`  ${padded('Agent', DONE_LABEL_WIDTH)}${fitted(oneLine(said), columns - DONE_LABEL_WIDTH - 2)}`]),
    ...(loop === 'research' || !isChanged ? [] : [command('Review', `pawl diff ${run} --total`)]),
    ...(worktree ? [command('Apply', `pawl diff ${run} --total | git apply`)] : []),
    ...(worktree?.folder === undefined ? [] : row('Files', `${worktree.folder} (pawl clean ${run} removes it)`)),
    ...(loop === 'research' || !isChanged || worktree ? [] : [command('Undo', `pawl restore ${run} 0`)]),
  ]
}

const DONE_LABEL_WIDTH = 8

/** What was reached, in a few words. */
function doneTitle({ tasks = [], proof, loop, message, config, iterations }: RunView): string {
  const verdict = iterations.findLast((iteration) => iteration.verdict)?.verdict
  if (loop !== 'research' && verdict && !verdict.passed) return `Accepted by you, with ${verdict.failing} failing`
  if (tasks.length > 1) return `All ${tasks.length} tasks done`
  if (proof?.isAccepted) return 'Accepted by you'
  return loop === 'research' || config.checks.length === 0 ? message : 'All checks passed'
}

/** Research that left something open: "Partly answered: …". */
function partialTitle({ message }: RunView, { questions }: NonNullable<DoneMore['research']>): string {
  return `${questions.every(({ status }) => status === 'not') ? 'Not answered' : 'Partly answered'}: ${message.replace(/^PARTIAL CONVERGENCE: /, '')}`
}

/** "3 tests failed before and pass now; no test was changed". */
function proofSentence({ summary, changedTestsCount, isAccepted }: ProofView): string {
  const words = summary.replace(/\.$/, '')
  // What a second run or later tasks add comes after it.
  return changedTestsCount === 0 && !isAccepted ? words.replace(/(?=\. )|$/, '; no test was changed') : words
}

/** How wide and how long a card is at most. */
export const CARD_COLUMNS_MAX = 80
const CARD_LINES_MAX = 24
const BODY_LINES_MIN = 4
const CARD_LABEL_WIDTH = 11
const ODDS_LABEL_WIDTH = 7

/** A label and its text, two columns further in. */
function entry(label: string, text: string, columns: number): readonly string[] {
  return labelled(`  ${label}`, text, columns, CARD_LABEL_WIDTH)
}

/** "■ fix-login needs your answer · 3/3 iterations · 12s · $0.12". */
function header(card: StopCard, { columns, paint }: Screen): string {
  const { run, status, question, iterationsMax, totals } = card
  const done = iterationsUsed(card)
  const count = iterationsMax === undefined ? iterationNoun(done) : `${done}/${counted(iterationsMax, 'iteration')}`
  const all = [count, shortDuration(totals.activeMs), ...spentWords(totals)].map((part) => ` · ${part}`)
  const isAsking = question !== undefined && question.answer === undefined
  const state = isAsking ? 'needs your answer' : STATE_WORDS[status]
  const title = `■ ${fitted(run, columns - textWidth(state) - 3)} ${state}`
  // What has no room is left out, the last first.
  const fits = all.findLastIndex((_, index) => textWidth(title + all.slice(0, index + 1).join('')) <= columns)
  const rest = all.slice(0, fits + 1).join('')
  return `${paint('bold', paintedStatus(status, title, { paint }))}${paint('dim', rest)}`
}

const STATE_WORDS: Readonly<Record<RunStatus, string>> = {
  running: 'is running',
  waiting: 'is waiting',
  escalated: 'was answered',
  stopped: 'was answered',
  paused: 'is paused',
  completed: 'is done',
  aborted: 'was aborted',
}

/** Why a run that asks nothing is stopped. */
function reasons({ trips, message }: StopCard, { columns }: Screen): readonly string[] {
  const messages = trips.length > 0 ? trips.map((trip) => trip.message) : [message]
  return messages.flatMap((each) => wrapped(each, columns - 2).map((line) => `  ${line}`))
}

/** What led to the question: the limit or guard, what fails, and the pattern in the attempts. */
function situation(
  question: NonNullable<StopCard['question']>,
  { run, trips, message }: StopCard,
  screen: Screen,
): readonly string[] {
  const { columns } = screen
  const sayings = question.says?.text
  const indented = (text: string): readonly string[] => wrapped(text, columns - 2).map((line) => `  ${line}`)
  // The header says how many iterations of how many.
  const why = trips.filter(({ guard }) => guard !== 'maxIterations').map((trip) => trip.message)
  const said = question.text.split('\n')
  const told = sayings
    ? sayings.flatMap((saying, index) => {
        if (isAsk(saying) || saying.code === 'attempts.failing') return []
        return saying.code === 'attempts.failure' ? failureLines(saying, screen) : indented(said[index] ?? '')
      })
    : indented(question.text)
  const isTold = why.length > 0 || told.length > 0 || sayings?.some(isAsk)
  return [
    ...(isTold ? why.filter((each) => !said.includes(each)).flatMap(indented) : indented(message)),
    ...told,
    ...otherFailures(question).flatMap((line, index) => entry(index === 0 ? 'Also' : '', line, columns)),
    ...patternLines(question, screen),
    ...attemptLines(question.attempts, columns),
    ...changeLines(question, screen, run, '  '),
  ]
}

/** The sentence that asks, which comes right before the options. */
function isAsk({ code }: Saying): boolean {
  return /(?:^|\.)ask(?:\.|$)/.test(code)
}

/** "✗ name of the test  file:line", and what the test expects and the code returns. */
function failureLines({ values = {} }: Saying, { columns, paint }: Screen): readonly string[] {
  const { id, place, expected, received, text } = values
  if (expected === undefined || received === undefined)
    return wrapped(String(text), columns - 4).map((line, index) =>
      index === 0 ? `  ${paint('red', '✗')} ${line}` : `    ${line}`,
    )
  const where = place === undefined ? '' : `  ${String(place)}`
  const name = fitted(String(id), Math.max(NAME_WIDTH_MIN, columns - 4 - textWidth(where)))
  const [wanted, given] = [expected, received].map((value) => fitted(String(value), columns - PAIR_INDENT - PAIR_LABEL_WIDTH))
  const pair = [`test expects  ${wanted}`, `code returns  ${given}`]
  const beside = pair.join('      ')
  const lines = textWidth(beside) + PAIR_INDENT <= columns ? [beside] : pair
  return [`  ${paint('red', '✗')} ${name}${paint('dim', where)}`, ...lines.map((line) => `${' '.repeat(PAIR_INDENT)}${line}`)]
}

const PAIR_INDENT = 4
const PAIR_LABEL_WIDTH = 14

const NAME_WIDTH_MIN = 20

/** The failing tests besides the one that `failureLines` shows. */
function otherFailures(question: ShownQuestion): readonly string[] {
  const { id, expected, received, text } = shownFailure(question)
  const starts =
    expected === undefined || received === undefined
      ? text === undefined
        ? []
        : [String(text)]
      : [`${String(id)} (`, `${String(id)}:`]
  const isShown = (line: string): boolean => starts.some((start) => line.startsWith(start))
  return feedbackLines(question).filter((line) => !isShown(line))
}

function shownFailure({ says }: ShownQuestion): NonNullable<Saying['values']> {
  return says?.text.find(({ code }) => code === 'attempts.failure')?.values ?? {}
}

function patternLines(question: ShownQuestion, { columns }: Screen): readonly string[] {
  const { pattern, says } = question
  if (pattern === undefined) return []
  const { id } = shownFailure(question)
  const short = says?.pattern
    ?.map(({ code, values = {} }) => {
      const words = textOf('', { code: `${code}.short`, values })
      const { test } = values
      return words !== '' && typeof test === 'string' && id !== undefined && test !== id ? `${words} (${test})` : words
    })
    .filter((text) => text)
  return entry('Pattern', short && short.length > 0 ? short.join('; ') : pattern, columns)
}

/** The question, its options a line each, and what they raise. */
function askLines({ text, says, options }: NonNullable<StopCard['question']>, { columns, paint }: Screen): readonly string[] {
  const lines = text.split('\n')
  const asked = says?.text.flatMap((saying, index) => (isAsk(saying) ? [lines[index] ?? ''] : [])) ?? []
  const raised = new Map<string, number[]>()
  for (const { number, label, limits = [] } of options) {
    const words = limits.join(' and ')
    if (words !== '' && !label.includes(words)) raised.set(words, [...(raised.get(words) ?? []), number])
  }
  return [
    ...asked.flatMap((line) => wrapped(line, columns - 2)).map((line) => paint('bold', `  ${line}`)),
    ...options.flatMap(({ number, label, recommended }) =>
      labelled(`    ${number}`, `${label}${recommended ? RECOMMENDED : ''}`, columns, CARD_OPTION_WIDTH),
    ),
    ...[...raised].map(([words, numbers]) => paint('dim', `  ${rangeWords(numbers)}: ${words}.`)),
  ]
}

const CARD_OPTION_WIDTH = 7

/** "1–3", "1, 3". */
function rangeWords(numbers: readonly number[]): string {
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  return numbers.length > 1 && last - first === numbers.length - 1 ? `${first}–${last}` : numbers.join(', ')
}

/** How to learn more, and the one command that continues the run. */
function wayOnLines(card: StopCard, { columns, paint }: Screen): readonly string[] {
  const { run, question, command, elsewhere, best } = card
  const isOpen = question !== undefined && question.answer === undefined
  const restore = best && !best.isInReview && !best.isNow ? [restoreLine(best, paint)] : []
  const hint = isOpen ? '      Hint  add --note "…"' : ''
  const details = `  Details  ${paint('cyan', `pawl show ${run}`)}${hint}`
  if (isOpen) {
    const isElsewhere = elsewhere !== undefined
    const answer = `pawl answer ${run} ${numberToTake(question)}${isElsewhere ? '' : ' --resume'}`
    const then = isElsewhere ? entry('Then', `${elsewhere} continues the run`, columns) : []
    return [...restore, details, `  Answer   ${paint('cyan', answer)}`, ...then]
  }
  if (question?.answer && elsewhere !== undefined) return [...restore, details, ...entry('Resume', `by ${elsewhere}`, columns)]
  const resume = command ?? (question?.answer ? `pawl resume ${run}` : undefined)
  return [...restore, details, ...(resume === undefined ? [] : [`  Resume   ${paint('cyan', resume)}`])]
}

function restoreLine(best: BestView, paint: Screen['paint']): string {
  const command = paint('cyan', best.command)
  return best.iteration === 0 ? `  Undo     ${command}` : `  Best     ${command}  (${bestWords(best)})`
}

/** The answer to copy. If continuing as before is hopeless, Pawl recommends no option: only new information helps. */
function numberToTake({ options, code }: Pick<ShownQuestion, 'options' | 'code'>): string {
  const recommended = options.findIndex((option) => option.recommended === true)
  return recommended < 0 && code === 'attempts' ? '1 --note "…"' : String(Math.max(0, recommended) + 1)
}

/** What else is easily missed: the proof, notes, files that were put back, and the odds. */
function standing(card: StopCard, { columns, paint }: Screen): readonly string[] {
  const { hints = [], putBack, proof, question } = card
  // The question says what speaks against it.
  const details = proof ? proofDetails({ ...proof, findings: [] }, { withPlace: false }) : []
  const odds = question && addsInformation(question) ? undefined : oddsNowWords(card)
  return [
    ...details.flatMap((line, index) => entry(index === 0 ? 'Proof' : '', line, columns)),
    ...hints.flatMap((hint) => entry('Note', hint, columns)),
    ...(putBack ? [...entry('Undone', putBackWords(putBack), columns), `           ${paint('cyan', putBack.command)}`] : []),
    ...ownSteps(question, hints, columns),
    ...(odds === undefined ? [] : labelled('  odds', odds, columns, ODDS_LABEL_WIDTH).map((line) => paint('dim', line))),
  ]
}

/** Only of runs that fail and fail again is it worth knowing how such runs ended: any other answer tells the agent something new. */
function addsInformation({ code, says }: NonNullable<StopCard['question']>): boolean {
  return code !== 'attempts' || (says?.pattern ?? []).some((saying) => saying.code === 'pattern.format-mismatch')
}

/** What to do before answering that is about this question; the advice that belongs to each guard is in `pawl show`. */
function ownSteps(question: StopCard['question'], hints: readonly string[], columns: number): readonly string[] {
  if (!question || question.answer) return []
  const { steps = [], says } = question
  const isSaid = (step: string): boolean => hints.some((hint) => hint.includes(step))
  const own = steps.filter((step, index) => !GENERAL_STEP.test(says?.steps?.[index]?.code ?? '') && !isSaid(step))
  return own.flatMap((step, index) => entry(index === 0 ? 'Advice' : '', step, columns))
}

/** Going back to the best state has its own line, and names of guards are in camel case. */
const GENERAL_STEP = /^step\.(?:restore-\w+|[a-z]+[A-Z]\w*|budget|deadline|thrashing|oscillation|idle|tampering)$/

function putBackWords({ by, times }: NonNullable<StopCard['putBack']>): string {
  const who = by.map((each) => `the ${each}`).join(' and ')
  return `${who} changed files${times === 1 ? '' : ` ${times} times`}, although only asked to look. Get them back:`
}

/** What is shown of a question: one of the core, or one of a `RunView`, which also knows the answer. */
export type ShownQuestion = Pick<Question, 'text' | 'pattern' | 'feedback' | 'steps' | 'changes'> & {
  readonly options: readonly Pick<Option, 'label' | 'then' | 'recommended'>[]
  readonly code?: string
  readonly answer?: { readonly label: string }
  readonly says?: Question['says']
}

/** A question as a person reads it: the text, the pattern seen, what fails, the numbered options with what each leads to, and the exact command to answer. `elsewhere` is who continues the run after that, if no command does. */
export function questionLines(run: string, question: ShownQuestion, screen: Screen, elsewhere?: string): readonly string[] {
  const { columns } = screen
  const { text, options } = question
  return [
    ...wrapped(text, columns),
    ...seenLines(question, screen),
    ...changeLines(question, screen, run),
    '',
    ...options.flatMap((option, index) => optionLines(option, index + 1, screen)),
    '',
    ...(question.answer ? [] : stepLines(question, screen)),
    ...answerLines(run, question, screen, elsewhere),
  ]
}

/** What a question rests on, besides its text: the pattern seen and what fails. */
function seenLines(question: ShownQuestion, screen: Screen): readonly string[] {
  const { pattern } = question
  const seen = pattern === undefined ? [] : labelled('Pattern', pattern, screen.columns)
  const fails = feedbackLines(question)
  return [...seen, ...fails.flatMap((line, index) => labelled(index === 0 ? 'Fails' : '', line, screen.columns))]
}

/** What each attempt came to, the newest last. */
function attemptLines(attempts: readonly string[], columns: number): readonly string[] {
  if (attempts.length < 2) return []
  const all = idleAttemptsMerged(attempts)
  const shown = all.slice(-ATTEMPTS_SHOWN_MAX)
  const more = all.length - shown.length
  const lines = [...(more > 0 ? [counted(more, 'earlier attempt')] : []), ...shown]
  return lines.flatMap((line, index) => entry(index === 0 ? 'Attempts' : '', attemptWords(line, columns - LABEL_WIDTH), columns))
}

/** Attempts in a row that changed nothing and ended alike are one line: "Iterations 1–3: …". */
function idleAttemptsMerged(attempts: readonly string[]): readonly string[] {
  const merged: { first: string; last: string; rest: string }[] = []
  for (const line of attempts) {
    const [, number = '', rest = line] = /^Iteration (\d+)(: .*nothing changed\))$/s.exec(line) ?? []
    const previous = merged.at(-1)
    if (number !== '' && previous?.rest === rest) previous.last = number
    else merged.push({ first: number, last: number, rest })
  }
  return merged.map(({ first, last, rest }) => {
    if (first === '') return rest
    return first === last ? `Iteration ${first}${rest}` : `Iterations ${first}–${last}${rest}`
  })
}

/** In one line: its counts, at the end, say more than the last words of a message. */
function attemptWords(line: string, width: number): string {
  const [counts = ''] = / \([^()]*\)$/.exec(line) ?? []
  return `${fitted(line.slice(0, line.length - counts.length), Math.max(20, width - counts.length))}${counts}`
}

const ATTEMPTS_SHOWN_MAX = 3
const LABEL_WIDTH = 12

/** What the last attempt changed, and the command that shows all of it. */
export function changeLines(
  { changes = [] }: Pick<ShownQuestion, 'changes'>,
  { columns, paint }: Screen,
  run: string,
  indent = '',
): readonly string[] {
  if (changes.length === 0) return []
  const width = indent === '' ? LABEL_WIDTH : CARD_LABEL_WIDTH
  const lines = changes.flatMap(({ path, lines: signed }) => [
    path,
    ...signed.map((line) => paint(line.startsWith('+') ? 'green' : 'red', fitted(line, columns - width))),
  ])
  const shown = lines.map((line, index) => `${(index === 0 ? `${indent}Changed` : '').padEnd(width)}${line}`)
  return [...shown, `${' '.repeat(width)}${paint('cyan', `pawl diff ${run}`)}`]
}

/** What a person who is asked on the spot needs besides the text and the options: what was seen, what fails and what to do first. */
export function groundLines(question: ShownQuestion, screen: Screen): readonly string[] {
  return [...seenLines(question, screen), ...stepLines(question, screen)]
}

/** If all that ever failed is one failure, and the text quotes it, it isn't said again. */
function feedbackLines({ feedback = [], says }: ShownQuestion): readonly string[] {
  const isQuoted = says?.text.some(({ code }) => code === 'attempts.failing') ?? false
  return isQuoted && feedback.length === 1 ? [] : feedback
}

/** What to do before answering; the answer comes after them. One step alone is no list. */
function stepLines({ steps = [], says }: ShownQuestion, { columns, paint }: Screen): readonly string[] {
  return steps.flatMap((step, index) => {
    const label = index === 0 ? 'Advice' : ''
    const number = steps.length === 1 ? '' : `${index + 1}. `
    const { code, values = {} } = says?.steps?.[index] ?? { code: '' }
    const iteration = restoresTo({ code, values })
    if (iteration === undefined) return labelled(label, `${number}${step}`, columns)
    // A command to copy has its own line.
    const command = `pawl restore ${String(values['run'])} ${iteration}`
    const words = textOf(step, { code, values: { ...values, hasCommandApart: true } })
    return [
      ...labelled(label, `${number}${words}`, columns),
      ...labelled('', command, columns).map((line) => line.replace(command, () => paint('cyan', command))),
    ]
  })
}

/** The iteration that a step goes back to. */
function restoresTo({ code, values = {} }: Saying): number | undefined {
  if (code === 'step.restore-start') return 0
  return code === 'step.restore-best' ? Number(values['iteration']) : undefined
}

function optionLines(
  { label, then, recommended }: ShownQuestion['options'][number],
  number: number,
  { columns, paint }: Screen,
): readonly string[] {
  const [first = '', ...rest] = labelled(`  ${number}`, `${label}${recommended ? RECOMMENDED : ''}`, columns, OPTION_WIDTH)
  const after = then === undefined ? [] : labelled('', then, columns, OPTION_WIDTH).map((line) => paint('dim', line))
  return [paint('bold', padded(`  ${number}`, OPTION_WIDTH)) + first.slice(OPTION_WIDTH), ...rest, ...after]
}

/** The recommended option as a command to copy. */
function answerLines(
  run: string,
  { options, answer, code }: ShownQuestion,
  { paint, columns }: Screen,
  elsewhere: string | undefined,
): readonly string[] {
  if (answer) {
    const wayOn =
      elsewhere === undefined
        ? [`Resume      ${paint('cyan', `pawl resume ${run}`)}`]
        : labelled('Resume', `by ${elsewhere}`, columns)
    return [...labelled('Answered', answer.label, columns), ...wayOn]
  }
  const command = `pawl answer ${run} ${numberToTake({ options, ...defined({ code }) })}${elsewhere === undefined ? ' --resume' : ''}`
  return [`Answer      ${paint('cyan', command)}`, `            add --note "…" to tell the agent something`]
}

const OPTION_WIDTH = 5
const RECOMMENDED = ' (recommended)'

/** A guard's answer: which rule, on what evidence, and what would have let the run continue. */
export function tripLines(trip: TripView, { columns, paint }: Screen): readonly string[] {
  const measures = measureWords(trip.evidence.measures)
  const evidence = [measures, factsWords(trip.evidence.facts)].filter((words) => words !== '').join('; ')
  const [first = '', ...rest] = labelled('Guard', `${trip.guard}${tripKind(trip)}: ${trip.message}`, columns)
  return [
    first.replace(trip.guard, () => paint('bold', trip.guard)),
    ...rest,
    ...(evidence === '' ? [] : labelled('Evidence', evidence, columns)),
    ...labelled('To continue', trip.hint, columns),
  ]
}

/** The trips that a decision rests on. If that isn't on record: a pass outranks every limit, so only what disputes it counts. */
export function decidingTrips(
  { trips, guards }: Pick<DecisionView, 'trips' | 'guards'>,
  last: Pick<IterationView, 'verdict'> | undefined,
): readonly TripView[] {
  const tripped = trips.filter(({ severity, isWaived }) => severity === 'trip' && !isWaived)
  if (guards) return tripped.filter(({ guard }) => guards.includes(guard))
  return last?.verdict?.passed ? tripped.filter(({ disputesPass }) => disputesPass) : tripped
}

/** What became of a trip, in brackets; nothing for one that simply decided. */
export function tripKind({ severity, isWaived, isDisputed }: TripView): string {
  if (isDisputed) return ` (a person called ${severity === 'warn' ? 'this warning' : 'it'} a false alarm)`
  if (severity === 'warn') return ' (a warning)'
  return isWaived ? ' (passed: a person allowed it)' : ''
}

/** "event 41", "events 12, 25 and 41"; of many the last few: "events 12, 25, 41 and 6 earlier". */
export function factsWords(seqs: readonly Seq[]): string {
  if (seqs.length === 0) return ''
  if (seqs.length === 1) return `event ${seqs[0]}`
  const shown = seqs.toSorted((one, other) => one - other).slice(-FACTS_SHOWN_MAX)
  if (seqs.length > shown.length) return `events ${shown.join(', ')} and ${seqs.length - shown.length} earlier`
  return `events ${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** "iterations 3, iterationsMax 3". A guard made of others says the name of each part once. */
export function measureWords(measures: JsonObject): string {
  return Object.entries(measures)
    .filter((pair): pair is [string, Json] => pair[1] !== undefined && pair[0] !== 'fingerprint')
    .map(([name, value]) => {
      if (isListOfObjects(value)) return value.map(objectWords).join('; ')
      return isJsonObject(value) ? `${name}: ${measureWords(value)}` : `${name} ${amountWords(name, value)}`
    })
    .join(', ')
}

const FACTS_SHOWN_MAX = 8

/** What was found, one by one: "skipped a.test.ts:4 it.skip('adds')". */
function objectWords(item: JsonObject): string {
  const { file, line, ...rest } = item
  const place = file === undefined ? [] : [`${String(file)}${line === undefined ? '' : `:${String(line)}`}`]
  const [kind, ...others] = Object.values(rest).map(String)
  return [kind, ...place, ...others].filter((word) => word !== undefined).join(' ')
}

function isListOfObjects(value: Json): value is readonly JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isJsonObject)
}

/**
 * What a run used: "3 iterations, 2 min 4 s at work, $0.12, 34,120 tokens". Cost and tokens are left out if no agent reports them.
 */
export function usedWords({ totals, iterationsDone, best }: Pick<RunView, 'totals' | 'iterationsDone' | 'best'>): string {
  return [
    iterationNoun(iterationsUsed({ iterationsDone, ...defined({ best }) })),
    `${duration(totals.activeMs)} at work`,
    ...spentWords(totals),
  ].join(', ')
}

/** An iteration that only waits for its review is used. */
function iterationsUsed({ iterationsDone, best }: Pick<RunView, 'iterationsDone' | 'best'>): number {
  return iterationsDone + (best?.isInReview ? 1 : 0)
}

/** The best state of a run so far, in words. */
export function bestWords({ iteration, passed, failing, isInReview }: BestView): string {
  const which = iteration === 0 ? 'before any work' : `iteration ${iteration}`
  if (isInReview) return `${which}: every other check passed, waiting for the review`
  const verdict = passed ? 'all checks passed' : failing === undefined ? 'failing' : counted(failing, 'failure')
  return `${which}: ${verdict}`
}

/** What a person can type to get a run on; nothing when it is over, continues by itself, or someone else, `elsewhere`, continues it. */
export function nextCommand(
  run: string,
  status: RunStatus,
  isHeld: boolean,
  isAnswered: boolean,
  elsewhere?: string,
): string | undefined {
  const isAsking = (status === 'escalated' || status === 'stopped') && !isAnswered
  if (isAsking) return `pawl answer ${run}`
  const isOver = status === 'completed' || status === 'aborted'
  return isOver || isHeld || elsewhere !== undefined ? undefined : `pawl resume ${run}`
}

/** The colour of a status: green is done, yellow wants a person, red ended without success. */
export function paintedStatus(status: RunStatus, text: string, { paint }: Pick<Screen, 'paint'>): string {
  return paint(STATUS_STYLES[status], text)
}

/** The same for every status, and for a run that cannot be read. */
export const STATUS_STYLES = {
  running: 'cyan',
  waiting: 'cyan',
  escalated: 'yellow',
  paused: 'yellow',
  completed: 'green',
  stopped: 'red',
  aborted: 'red',
  damaged: 'red',
} as const satisfies Readonly<Record<RunStatus | 'damaged', string>>
