import type { Failure } from './failure.ts'
import { counted, shortened } from './wording.ts'
import { plainMessage } from './measures/fingerprint.ts'
import { isUntouched } from './measures/last-iterations.ts'
import type { IterationSummary, State } from './state.ts'

/**
 * How a failure reads in one line, in the words of the output: `login > returns an id (src/login.test.ts:12): expected 42, received
 * "42", at login (src/login.ts:9)`. The frame is named if it isn't the place itself. At most about 370 characters, whatever was
 * printed.
 */
export function failureItem(failure: Failure, { withFrame = true }: { readonly withFrame?: boolean } = {}): string {
  const { frame } = failure
  const place = placeOf(failure)
  const where = place === undefined ? '' : ` (${shortenedInside(place, PLACE_LENGTH_MAX)})`
  const isElsewhere = withFrame && frame !== undefined && !(place !== undefined && isAt(frame, place))
  const at = isElsewhere ? `, at ${shortenedInside(frame, PLACE_LENGTH_MAX)}` : ''
  if (isNamedAfterMessage(failure)) return `${severityOf(failure)}${place === undefined ? '' : `${place}: `}${sayingOf(failure)}`
  if (isNamedAfterPlace(failure)) return `${shortenedInside(place ?? '', ID_LENGTH_MAX)}: ${sayingOf(failure)}${at}`
  return `${severityOf(failure)}${shortenedInside(failure.id, ID_LENGTH_MAX)}${where}: ${sayingOf(failure)}${at}`
}

/** What the output says of it: what was expected and received if known, else the message. */
function sayingOf(failure: Failure): string {
  const { expected, received } = failure
  const message = trimmed(failure.message)
  if (expected === undefined || received === undefined || expected === received) return shortened(message, MESSAGE_LENGTH_MAX)
  const [wanted, given] = shownPair(expected, received)
  const pair = `expected ${wanted}, received ${given}`
  const isToldByPair = SAYS_NOTHING.test(message) || (isIn(message, expected) && isIn(message, received))
  return isToldByPair ? pair : `${shortened(message, MESSAGE_WITH_PAIR_LENGTH_MAX)}: ${pair}`
}

/** How assertion libraries and runtimes begin when all they say is that two values are not alike. */
const SAYS_NOTHING =
  /^(?:Error: )?(?:node:|thread '|expected (?:values?|inputs?) to be|expected .{1,200} to (?:be|(?:deeply |strictly |strict )?equal)\b|expect\(|assert\b|(?:values? (?:are|is) )?not (?:deep-?)?equal|(?:this|the) (?:test|assertion) failed)/i

/** Two values of a test, each on one line and short; if that would hide how they differ, with quotes and with their space escaped. */
export function shownPair(expected: string, received: string): readonly [string, string] {
  const [wanted, given] = [shownValue(expected), shownValue(received)]
  if (wanted !== given || expected === received) return [wanted, given]
  const [one, other] = [visible(expected), visible(received)]
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return [around(one, same), around(other, same)]
}

/** Doesn't double quotes around the value; what is escaped in it stays. */
function visible(value: string): string {
  const text = /^(["'`])([^]*)\1$/.exec(value.trim())?.[2] ?? value
  return `"${text.replaceAll(/[^\S ]|[\u200B\uFEFF]/g, escaped)}"`
}

function escaped(character: string): string {
  const short = JSON.stringify(character).slice(1, -1)
  return short === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : short
}

/** Of a long text the piece in which it differs. */
function around(text: string, at: number): string {
  if (text.length <= VALUE_LENGTH_MAX) return text
  const start = Math.max(0, Math.min(at - Math.floor(VALUE_LENGTH_MAX / 2), text.length - VALUE_LENGTH_MAX))
  const end = start + VALUE_LENGTH_MAX
  return `${start > 0 ? '…' : ''}${text.slice(start, end).toWellFormed()}${end < text.length ? '…' : ''}`
}

function shownValue(value: string): string {
  // A value out of a difference may carry the comma that followed it there.
  return value.trim() === '' ? JSON.stringify(value) : shortened(value.replace(/,\s*$/, ''), VALUE_LENGTH_MAX)
}

/** `src/login.test.ts:12`, or `undefined` when it is not known. */
export function placeOf({ file, line }: Pick<Failure, 'file' | 'line'>): string | undefined {
  if (file === undefined) return undefined
  return line === undefined ? file : `${file}:${line}`
}

const ID_LENGTH_MAX = 90
const PLACE_LENGTH_MAX = 50
const MESSAGE_LENGTH_MAX = 160
const MESSAGE_WITH_PAIR_LENGTH_MAX = 40
const VALUE_LENGTH_MAX = 55

function severityOf({ kind, severity, message }: Failure): string {
  const isTold = severity === undefined || message.toLowerCase().includes(severity)
  return kind === 'review' && !isTold ? `${severity}: ` : ''
}

/** Error names and closing full stops say nothing that the line does not. */
function trimmed(message: string): string {
  const text = message.replace(/^(?:Uncaught )?AssertionError(?: \[\w+\])?:\s*/, '').trim()
  return text || message.trim() || 'It failed.'
}

/** Compilers and linters name what they find after file and message; said once is enough. */
function isNamedAfterPlace({ id, kind, file }: Failure): boolean {
  return (kind === 'compile' || kind === 'lint') && file !== undefined && id.startsWith(file)
}

/** A reviewer's note has no name but its own words. */
function isNamedAfterMessage({ id, kind, message }: Failure): boolean {
  const [words = ''] = message.split('\n')
  return kind === 'review' && words !== '' && id.endsWith(words.slice(0, 120))
}

/** `src/a.ts:1` is not where `src/a.ts:12` is. */
function isAt(frame: string, place: string): boolean {
  const next = frame.charAt(frame.indexOf(place) + place.length)
  return frame.includes(place) && !/\d/.test(next)
}

function isIn(message: string, value: string): boolean {
  return bare(message).includes(bare(value))
}

/** Quotes, signs of a difference and line breaks differ between a message and the values taken from it. */
function bare(text: string): string {
  return text.replaceAll(/^\s*[-+]/gm, '').replaceAll(/[\s"'`]+/g, '')
}

/** Names and paths tell most at both ends. */
function shortenedInside(text: string, lengthMax: number): string {
  const oneLine = shortened(text, Number.MAX_SAFE_INTEGER)
  if (oneLine.length <= lengthMax) return oneLine
  const end = Math.floor(lengthMax * 0.6)
  return `${oneLine.slice(0, lengthMax - end - 1)}…${oneLine.slice(-end)}`
}

/** Failures with one cause, as far as it shows: the first represents all. */
export interface FailureGroup {
  readonly first: Failure
  readonly others: readonly Failure[]
}

/**
 * Puts together what says the same (numbers that differ from run to run left out) and what fails at the same line of the user's
 * own code, and ranks: the most severe first, among equals in the order given.
 */
export function failureGroups(failures: readonly Failure[]): readonly FailureGroup[] {
  const [only] = failures
  if (only && failures.length === 1) return [{ first: only, others: [] }]
  const groups: Failure[][] = []
  const byKey = new Map<string, Failure[]>()
  for (const failure of failures.toSorted((one, other) => failureRank(one) - failureRank(other))) {
    const keys = keysOf(failure)
    const found = keys.map((key) => byKey.get(key)).find((group) => group !== undefined)
    const group = found ?? []
    group.push(failure)
    if (!found) groups.push(group)
    for (const key of keys) if (!byKey.has(key)) byKey.set(key, group)
  }
  return groups.flatMap(([first, ...others]) => (first ? [{ first, others }] : []))
}

/** What a failure is alike by. Two notes of a reviewer at one line are two notes. */
function keysOf(failure: Failure): readonly string[] {
  const kind = `${failure.kind} ${failure.severity ?? ''}`
  const same = `says ${kind} ${plainMessage(failure)} ${failure.expected ?? ''} ${failure.received ?? ''}`
  const place = failure.frame ?? (failure.line === undefined ? undefined : placeOf(failure))
  return failure.kind === 'review' || place === undefined ? [same] : [same, `at ${kind} ${place}`]
}

/** How urgent feedback is as a whole: what its most severe failure is. */
export type Priority = 'high' | 'medium' | 'low'

/**
 * What to act on first; a lower number comes first. What keeps other things from running at all, or must never be shipped, before what
 * crashes, before what gives a wrong result, before what is a matter of taste.
 */
export function failureRank({ kind, severity }: Failure): number {
  const index = ORDER.indexOf(kind === 'review' ? (severity ?? 'major') : kind)
  return index === -1 ? ORDER.length : index
}

/** `high` for all that breaks the work, `medium` for what a reviewer asked for, `low` for lint, minor notes and nothing at all. */
export function priorityOf(failures: readonly Failure[]): Priority {
  const rank = Math.min(...failures.map(failureRank), Number.POSITIVE_INFINITY)
  if (rank < ORDER.indexOf('major')) return 'high'
  return rank < ORDER.indexOf('lint') ? 'medium' : 'low'
}

/** Kinds of failures, and of a reviewer's notes the severities; a note without one counts as `major`. */
const ORDER: readonly (Failure['kind'] | NonNullable<Failure['severity']>)[] = [
  'compile',
  'security',
  'environment',
  'critical',
  'exception',
  'timeout',
  'assertion',
  'unknown',
  'major',
  'lint',
  'minor',
]

/** One line for each attempt, the newest last: "Iteration 2: Test failed - login: token missing userId (3 failing, 1 file changed)". */
export function attemptLines(state: State): readonly string[] {
  return state.recent.map((summary) => {
    const { iteration, verdict, filesChanged, notRun, checksNotRun = [] } = summary
    const unseen = notRun === undefined ? [] : [`${notRun} did not run`]
    const failing = verdict.passed ? [] : [`${verdict.failing} failing`]
    const changed = filesChanged > 0 ? [`${counted(filesChanged, 'file')} changed`] : []
    const later = checksNotRun.map((name) => `${name} not run`)
    const counts = [...failing, ...unseen, ...later, ...(isUntouched(state, summary) ? ['nothing changed'] : changed)]
    return `Iteration ${iteration}: ${shortened(endOf(summary), END_LENGTH_MAX)}${counts.length === 0 ? '' : ` (${counts.join(', ')})`}`
  })
}

const END_LENGTH_MAX = 200

function endOf({ verdict, failures, agentFailed, said, outputs }: IterationSummary): string {
  if (verdict.passed) return 'Passed'
  if (agentFailed) return `Agent failed - ${said ?? 'it did not say why'}`
  const first = failureGroups(failures)[0]?.first
  if (!first) return 'Check failed'
  const isTest = first.kind === 'unknown' && !outputs.some((output) => output.name === first.id)
  return `${isTest ? 'Test failed' : ENDS[first.kind]} - ${first.id}: ${sayingOf(first)}`
}

const ENDS: Readonly<Record<Failure['kind'], string>> = {
  compile: 'Compiling failed',
  environment: 'Environment failed',
  exception: 'Test failed',
  timeout: 'Test timed out',
  assertion: 'Test failed',
  lint: 'Lint failed',
  review: 'Review rejected',
  unknown: 'Check failed',
}
