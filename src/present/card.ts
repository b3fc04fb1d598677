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
import { fitted, labelled, padded, type Screen, textWidth, wrapped } from './layout.ts'
import type { DecisionView, TripView } from './run-fold.ts'
import { type BestView, goesOnIn, type OddsNow, oddsNowWords, type RunView } from './run-view.ts'
import { proofDetails } from './proof-view.ts'
import { spentWords } from './spent.ts'

/** Why a run that did not succeed stands where it stands, and what can be done about it: plain data. */
export interface StopCard
  extends
    OddsNow,
    Pick<RunView, 'run' | 'status' | 'message' | 'totals' | 'iterationsDone' | 'best' | 'hints' | 'question' | 'proof'> {
  /** The rules that decided. Without any the message says why. */
  readonly trips: readonly TripView[]
  /** The facts that the decision rests on. */
  readonly basis: readonly Seq[]
  /** Edits of those who were only asked to look; `command` restores the newest. */
  readonly putBack?: { readonly by: readonly string[]; readonly times: number; readonly command: string }
  /** Who goes on with the run, if no command does. */
  readonly elsewhere?: string
  /** What gets the run on, if nothing is asked. */
  readonly command?: string
}

/** The card of a run that did not succeed. */
export function stopCard(view: RunView): StopCard {
  const { run, status, message, totals, iterationsDone, best, hints, question, proof, odds, oddsIfRaised, decisions, saved } =
    view
  const decision = status === 'escalated' || status === 'stopped' ? decisions.at(-1) : undefined
  const written = saved.flatMap(({ by, command }) => (by === undefined ? [] : [{ by, command }]))
  const last = written.at(-1)
  return {
    run,
    status,
    message,
    totals,
    iterationsDone,
    ...defined({ best, hints, question, proof, odds, oddsIfRaised }),
    trips: decision ? decidingTrips(decision, view.iterations.at(-1)) : [],
    basis: decision?.basis ?? [],
    ...(last ? { putBack: { by: [...new Set(written.map(({ by }) => by))], times: written.length, command: last.command } } : {}),
    ...defined({ elsewhere: goesOnIn(view), command: question ? undefined : nextCommand(run, status, false, false) }),
  }
}

/** The card as plain lines between two rules, at most 80 columns wide. */
export function stopCardLines(card: StopCard, { columns: width, paint }: Screen): string[] {
  const columns = Math.min(width, CARD_COLUMNS_MAX)
  const screen: Screen = { columns, paint }
  const { run, question, command, elsewhere } = card
  const resume = command === undefined ? [] : [`Go on       ${paint('cyan', command)}`]
  const wayOn = question ? questionLines(run, question, screen, elsewhere) : resume
  const sections = [reasons(card, screen), standing(card, screen), [...wayOn, `Look        pawl show ${run}`]]
  const body = sections.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
  return [header(card, screen), ...body, paint('dim', RULE.repeat(columns))]
}

/** How wide a card is at most. */
export const CARD_COLUMNS_MAX = 80
const RULE = '─'

function header({ run, status }: StopCard, { columns, paint }: Screen): string {
  const title = fitted(`${run}: ${status}`, columns - 8)
  const rest = Math.max(0, columns - textWidth(title) - 4)
  return `${paint('dim', RULE.repeat(2))} ${paintedStatus(status, title, { paint })} ${paint('dim', RULE.repeat(rest))}`
}

function reasons({ trips, message, basis }: StopCard, screen: Screen): readonly string[] {
  if (trips.length > 0)
    return trips.flatMap((trip, index) => (index === 0 ? tripLines(trip, screen) : ['', ...tripLines(trip, screen)]))
  const facts = factsWords(basis)
  return [...wrapped(message, screen.columns), ...(facts === '' ? [] : labelled('Evidence', facts, screen.columns))]
}

function standing(card: StopCard, { columns, paint }: Screen): readonly string[] {
  const { best, question, hints = [], putBack, proof } = card
  const odds = oddsNowWords(card)
  const isTold =
    question?.answer === undefined && (question?.says?.steps ?? []).some((step) => restoresTo(step) === best?.iteration)
  return [
    ...labelled('Used', usedWords(card), columns),
    ...attemptLines(question?.attempts ?? [], columns),
    // The question says what speaks against it.
    ...(proof ? proofDetails({ ...proof, findings: [] }) : []).flatMap((line, index) =>
      labelled(index === 0 ? 'Proof' : '', line, columns),
    ),
    ...hints.flatMap((hint) => labelled('Note', hint, columns)),
    ...(putBack
      ? [...labelled('Put back', putBackWords(putBack), columns), `            ${paint('cyan', putBack.command)}`]
      : []),
    ...(odds === undefined ? [] : labelled('Odds', odds, columns)),
    ...(best ? labelled('Best so far', bestWords(best), columns) : []),
    ...(!best || isTold || best.isInReview ? [] : [`            ${paint('cyan', best.command)}`]),
  ]
}

function putBackWords({ by, times }: NonNullable<StopCard['putBack']>): string {
  const who = by.map((each) => `the ${each}`).join(' and ')
  return `${who} changed files${times === 1 ? '' : ` ${times} times`}, although only asked to look; they were put back, and kept:`
}

/** What is shown of a question: one of the core, or one of a `RunView`, which also knows the answer. */
export type ShownQuestion = Pick<Question, 'text' | 'pattern' | 'feedback' | 'steps' | 'changes'> & {
  readonly options: readonly Pick<Option, 'label' | 'then' | 'recommended'>[]
  readonly code?: string
  readonly answer?: { readonly label: string }
  readonly says?: Question['says']
}

/** A question as a person reads it: the text, the pattern seen, what fails, the numbered options with what each leads to, and the exact command to answer. `elsewhere` is who goes on with the run after that, where no command does. */
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
  const seen = pattern === undefined ? [] : labelled('Seen', pattern, screen.columns)
  return [...seen, ...feedbackLines(question, screen)]
}

/** What each attempt came to, the newest last. */
function attemptLines(attempts: readonly string[], columns: number): readonly string[] {
  if (attempts.length < 2) return []
  const shown = attempts.slice(-ATTEMPTS_SHOWN_MAX)
  const more = attempts.length - shown.length
  const lines = [...(more > 0 ? [counted(more, 'earlier attempt')] : []), ...shown]
  return lines.flatMap((line, index) =>
    labelled(index === 0 ? 'Attempts' : '', attemptWords(line, columns - LABEL_WIDTH), columns),
  )
}

/** In one line: its counts, at the end, say more than the last words of a message. */
function attemptWords(line: string, width: number): string {
  const [counts = ''] = / \([^()]*\)$/.exec(line) ?? []
  return `${fitted(line.slice(0, line.length - counts.length), Math.max(20, width - counts.length))}${counts}`
}

const ATTEMPTS_SHOWN_MAX = 5
const LABEL_WIDTH = 12

/** What the last attempt changed, and the command that shows all of it. */
export function changeLines(
  { changes = [] }: Pick<ShownQuestion, 'changes'>,
  { columns, paint }: Screen,
  run: string,
): readonly string[] {
  if (changes.length === 0) return []
  const lines = changes.flatMap(({ path, lines: signed }) => [
    path,
    ...signed.map((line) => paint(line.startsWith('+') ? 'green' : 'red', fitted(line, columns - LABEL_WIDTH))),
  ])
  const shown = lines.map((line, index) => `${(index === 0 ? 'Changed' : '').padEnd(LABEL_WIDTH)}${line}`)
  return [...shown, `${' '.repeat(LABEL_WIDTH)}${paint('cyan', `pawl diff ${run}`)}`]
}

/** What a person who is asked on the spot needs besides the text and the options: what was seen, what fails and what to do first. */
export function groundLines(question: ShownQuestion, screen: Screen): readonly string[] {
  return [...seenLines(question, screen), ...stepLines(question, screen)]
}

/** If all that ever failed is one failure, and the text quotes it, it isn't said again. */
function feedbackLines({ feedback = [], says }: ShownQuestion, { columns }: Screen): readonly string[] {
  const isQuoted = says?.text.some(({ code }) => code === 'attempts.failing') ?? false
  if (isQuoted && feedback.length === 1) return []
  return feedback.flatMap((line, index) => labelled(index === 0 ? 'Fails' : '', line, columns))
}

/** What to do before answering; the answer comes after them. One step alone is no list. */
function stepLines({ steps = [], says }: ShownQuestion, { columns, paint }: Screen): readonly string[] {
  return steps.flatMap((step, index) => {
    const label = index === 0 ? 'First' : ''
    const number = steps.length === 1 ? '' : `${index + 1}. `
    const { code, values = {} } = says?.steps?.[index] ?? { code: '' }
    const iteration = restoresTo({ code, values })
    if (iteration === undefined) return labelled(label, `${number}${step}`, columns)
    // A command to copy has a line of its own.
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
        ? [`Go on       ${paint('cyan', `pawl resume ${run}`)}`]
        : labelled('Goes on', `with ${elsewhere}`, columns)
    return [...labelled('Answered', answer.label, columns), ...wayOn]
  }
  const recommended = options.findIndex((option) => option.recommended === true)
  // Where going on is hopeless, no option is put into a person's hands.
  const number = recommended < 0 && code === 'attempts' ? 'NUMBER' : Math.max(0, recommended) + 1
  const command = `pawl answer ${run} ${number}`
  return [
    `Answer      ${paint('cyan', command)}`,
    `            ${paint('cyan', `${command} --note "what the agent should know"`)}`,
  ]
}

const OPTION_WIDTH = 5
const RECOMMENDED = ' (recommended)'

/** A guard's answer: which rule, on what evidence, and what would have let the run go on. */
export function tripLines(trip: TripView, { columns, paint }: Screen): readonly string[] {
  const measures = measureWords(trip.evidence.measures)
  const evidence = [measures, factsWords(trip.evidence.facts)].filter((words) => words !== '').join('; ')
  const [first = '', ...rest] = labelled('Rule', `${trip.guard}${tripKind(trip)}: ${trip.message}`, columns)
  return [
    first.replace(trip.guard, () => paint('bold', trip.guard)),
    ...rest,
    ...(evidence === '' ? [] : labelled('Evidence', evidence, columns)),
    ...labelled('To go on', trip.hint, columns),
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

/** "fact 41", "facts 12, 25 and 41"; of many the last few: "facts 12, 25, 41 and 6 earlier". */
export function factsWords(seqs: readonly Seq[]): string {
  if (seqs.length === 0) return ''
  if (seqs.length === 1) return `fact ${seqs[0]}`
  const shown = seqs.toSorted((one, other) => one - other).slice(-FACTS_SHOWN_MAX)
  if (seqs.length > shown.length) return `facts ${shown.join(', ')} and ${seqs.length - shown.length} earlier`
  return `facts ${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

/** "iterations 3, iterationsMax 3". A guard made of others says the name of each part once. */
export function measureWords(measures: JsonObject): string {
  return Object.entries(measures)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined && entry[0] !== 'fingerprint')
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
 * What a run took: "3 iterations, 2 min 4 s at work, $0.12, 34,120 tokens". What nobody tells is not said, unless something was used that
 * would have been told. An iteration that only waits for its review is used.
 */
export function usedWords({ totals, iterationsDone, best }: Pick<RunView, 'totals' | 'iterationsDone' | 'best'>): string {
  return [
    iterationNoun(iterationsDone + (best?.isInReview ? 1 : 0)),
    `${duration(totals.activeMs)} at work`,
    ...spentWords(totals),
  ].join(', ')
}

/** The best state of a run so far, in words. */
export function bestWords({ iteration, passed, failing, score, isInReview }: BestView): string {
  const which = iteration === 0 ? 'the state before any work' : `iteration ${iteration}`
  if (isInReview) return `${which}: every other check passed, and it waits for the review`
  const verdict = passed
    ? 'every check passed'
    : `${failing === undefined ? 'failing' : counted(failing, 'failure')}, score ${Number(score.toFixed(3))}`
  return `${which}: ${verdict}`
}

/** What a person can type to get a run on; nothing when it is over, goes on by itself, or someone else, `elsewhere`, goes on with it. */
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
