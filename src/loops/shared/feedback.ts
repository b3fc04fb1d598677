import type { Denied } from '../../core/event-data.ts'
import type { Failure } from '../../core/failure.ts'
import { type FailureGroup, failureGroups, failureItem, failureRank, type Priority, priorityOf } from '../../core/failure-item.ts'
import { type LedgerMovement, standingOf } from '../../core/measures/ledger.ts'
import type { IterationSummary, State } from '../../core/state.ts'
import { counted, shortened, thousands } from '../../core/wording.ts'
import { filesIn } from './patterns.ts'
import { attemptNumber } from '../../core/unit.ts'

export interface Feedback {
  /** One line: what moved and how much fails, and the first of it. */
  readonly summary: string
  /** The beginning of the summary: "2 fixed, 1 new, 3 still failing". */
  readonly movement: string
  /** What to act on, the most severe first, each whole and at most about 400 characters. */
  readonly items: readonly string[]
  /** How many more there are. */
  readonly itemsLeftOut: number
  readonly priority: Priority
  /** What was tried before and fixed something, and what fixed nothing: a line for each of the last attempts, the newest last. */
  readonly helped: readonly string[]
  readonly tried: readonly string[]
}

/**
 * Turns failures into something worth reading. Items are ranked (`failureRank`), of one rank those that are new first, then those that
 * come and go; what has one cause is one item; they are cut at whole items to `lengthMax` characters (default 500), but the first is
 * always told. Found once for each end of an iteration: the decision and the brief after it ask for the same.
 */
export function feedbackFrom(state: State, lengthMax = 500): Feedback {
  const { recent, baseline, unit } = state
  const { ledger } = state.measures
  const known = remembered.get(recent)
  const isSame = known?.lengthMax === lengthMax && known.ledger === ledger && known.baseline === baseline && known.unit === unit
  if (isSame) return known.feedback
  const feedback = feedbackOf(state, lengthMax)
  remembered.set(recent, { lengthMax, ledger, baseline, unit, feedback })
  return feedback
}

/** All that feedback is made of, besides the iterations it is kept by. */
interface Remembered {
  readonly lengthMax: number
  readonly ledger: State['measures']['ledger']
  readonly baseline: State['baseline']
  readonly unit: State['unit']
  readonly feedback: Feedback
}

const remembered = new WeakMap<State['recent'], Remembered>()

function feedbackOf(state: State, lengthMax: number): Feedback {
  const failures = failuresNow(state)
  const all = failureGroups(byStanding(state, failures)).map((group) => itemOf(state, group))
  const items = all.slice(0, fitting(all, lengthMax))
  const unlisted = Math.max(0, (state.recent.at(-1) ?? state.baseline)?.verdict.failing ?? 0, failures.length) - failures.length
  const movement = movementIn(state)
  const [first] = all
  return {
    summary: first === undefined ? 'Nothing failed.' : `${movement}: ${shortened(first.replace(MARK, ''), FIRST_LENGTH_MAX)}`,
    movement,
    items,
    itemsLeftOut: all.length - items.length + unlisted,
    priority: priorityOf(failures),
    ...triedLines(state),
  }
}

/** What failed when the checks last ran. */
export function failuresNow({ recent, baseline }: State): readonly Failure[] {
  return recent.at(-1)?.failures ?? baseline?.failures ?? []
}

function movementIn(state: State): string {
  const last = state.recent.at(-1)
  const { failing } = (last ?? state.baseline)?.verdict ?? { failing: 0 }
  const moved = hasEarlier(state) ? movementWords(state.measures.ledger.movement, failing) : counted(failing, 'failure')
  return last?.notRun === undefined ? moved : `${moved}, ${counted(last.notRun, 'test')} did not run`
}

const FIRST_LENGTH_MAX = 160

/** The frame and the names of other tests are left out where they would make it too long. */
function itemOf(state: State, { first, others }: FailureGroup): string {
  const mark = MARKS[standing(state, first)]
  const whole = `${mark}${failureItem(first)}${othersOf(first, others)}`
  return whole.length <= ITEM_LENGTH_MAX
    ? whole
    : `${mark}${failureItem(first, { withFrame: false })}${othersOf(first, others, { isNaming: false })}`
}

const MARKS = { broken: '[new] ', flapping: '[comes and goes] ', persisting: '', flaky: '[flaky] ' } as const
const MARK = /^\[[^\]]+\] /
const ITEM_LENGTH_MAX = 400

/** "… and in 39 more tests: b, c, …". */
function othersOf({ id, kind }: Failure, others: readonly Failure[], { isNaming = true } = {}): string {
  if (others.length === 0) return ''
  const names = [...new Set(others.map((failure) => failure.id))].filter((name) => name !== id)
  const few = isNaming ? names.filter((name) => name.length <= NAME_LENGTH_MAX).slice(0, 3) : []
  const more = names.length > few.length ? ', …' : ''
  const noun = TESTS.has(kind) ? 'more test' : 'more place'
  return ` … and in ${counted(others.length, noun)}${few.length === 0 ? '' : `: ${few.join(', ')}${more}`}`
}

const NAME_LENGTH_MAX = 40
const TESTS: ReadonlySet<Failure['kind']> = new Set(['assertion', 'exception', 'timeout', 'unknown'])

function byStanding(state: State, failures: readonly Failure[]): readonly Failure[] {
  if (failures.length < 2) return failures
  const order = { broken: 0, flapping: 1, persisting: 2, flaky: 3 }
  const placed = failures.map((failure) => ({ failure, rank: failureRank(failure), stands: order[standing(state, failure)] }))
  return placed.toSorted((one, other) => one.rank - other.rank || one.stands - other.stands).map(({ failure }) => failure)
}

/** What is not a test, a reviewer's note for one, or has nothing to be compared with, is listed without a mark. */
function standing(state: State, { id, kind, isFlaky }: Failure): keyof typeof MARKS {
  if (isFlaky) return 'flaky'
  if (kind === 'review' || !hasEarlier(state)) return 'persisting'
  return standingOf(state.measures.ledger, id, state.recent.at(-1)?.iteration ?? 0) ?? 'persisting'
}

/** Whether the checks ran before the last time: otherwise everything would be new. */
function hasEarlier({ recent, baseline }: State): boolean {
  return recent.length > 1 || (recent.length === 1 && baseline !== undefined)
}

/** The first item is always shown; after it, as many as fit. */
function fitting(items: readonly string[], lengthMax: number): number {
  let length = 0
  const tooMany = items.findIndex((item, index) => (length += item.length) > lengthMax && index > 0)
  return tooMany === -1 ? items.length : tooMany
}

/** What was tried before, in two lists: attempts that fixed something, and those that did not. */
export interface TriedLines {
  readonly helped: readonly string[]
  readonly tried: readonly string[]
}

/**
 * What was tried and did not suffice: of each list one line for each of the last three attempts, the newest last, and one for all
 * before them: the files changed, what the agent said, and what came of it. What an attempt fixed and fails again is not called fixed.
 */
function triedLines(state: State): TriedLines {
  const failing = new Set(failuresNow(state).map(({ id }) => id))
  const helped: Tried[] = []
  const tried: Tried[] = []
  for (const summary of state.recent) {
    if (summary.verdict.passed) continue
    const attempt = sinceLost(summary, failing)
    const list = isHelp(attempt) ? helped : tried
    list.push(attempt)
  }
  return { helped: linesOf(helped, state), tried: linesOf(tried, state) }
}

/** An attempt, and what it fixed that fails again now. */
interface Tried {
  readonly summary: IterationSummary
  readonly lost: readonly string[]
}

function sinceLost(summary: IterationSummary, failing: ReadonlySet<string>): Tried {
  return { summary, lost: summary.ledger.fixed.filter((id) => failing.has(id)) }
}

function isHelp({ summary: { ledger }, lost }: Tried): boolean {
  return ledger.counts.fixed > lost.length
}

function linesOf(attempts: readonly Tried[], { unit, baseline }: State): readonly string[] {
  const told = attempts.slice(-TOLD_MAX)
  const before = attempts.slice(0, -TOLD_MAX).map(({ summary }) => summary)
  const number = (summary: IterationSummary): number => attemptNumber(unit, summary.iteration)
  // The first attempt is compared with what the checks said before any work, where they did.
  const isCompared = ({ iteration }: IterationSummary): boolean => iteration > 1 || baseline !== undefined
  return [
    ...earlier(before, number),
    ...told.map((attempt) => `Attempt ${number(attempt.summary)} ${triedIn(attempt, isCompared(attempt.summary))}`),
  ]
}

const TOLD_MAX = 3

function earlier(before: readonly IterationSummary[], number: (summary: IterationSummary) => number): readonly string[] {
  const [first] = before
  const last = before.at(-1)
  if (!first || !last) return []
  const isRow = number(last) - number(first) + 1 === before.length
  const some = isRow ? `${number(first)} to ${number(last)}` : shortened(before.map(number).join(', '), 60)
  const which = first === last ? `Attempt ${number(first)}` : `Attempts ${some}`
  const failing = before.map((summary) => summary.verdict.failing).join(', ')
  const files = filesIn(before)
  return [`${which} changed ${fileWords(files, files.length)} and left ${shortened(failing, 60)} failing`]
}

/** Found once for each attempt: several briefs describe it. */
function triedIn(attempt: Tried, isCompared: boolean): string {
  const known = attempt.lost.length === 0 ? rememberedTries.get(attempt.summary) : undefined
  if (known !== undefined) return known
  const words = triedWords(attempt, isCompared)
  if (attempt.lost.length === 0) rememberedTries.set(attempt.summary, words)
  return words
}

const rememberedTries = new WeakMap<IterationSummary, string>()

function triedWords(attempt: Tried, isCompared: boolean): string {
  const { files, filesChanged, said, denied, agentFailed, lines = [] } = attempt.summary
  const changed = `changed ${fileWords(files, filesChanged)}`
  const changes = lines.flatMap((file) => file.lines).slice(0, CHANGES_TOLD_MAX)
  const shown = changes.length === 0 ? [] : [changes.map((line) => `\`${line.replaceAll('`', "'")}\``).join(' ')]
  const words =
    said === undefined ? [] : [`${agentFailed ? 'the agent did not finish' : 'said'}: ${shortened(said, TRIED_SAID_LENGTH_MAX)}`]
  const details = [...shown, ...words]
  const refused = denied === undefined ? '' : `; ${deniedWords(denied)}`
  const result = isHelp(attempt) ? helpWords(attempt) : resultWords(attempt, isCompared)
  return `${changed}${details.length === 0 ? '' : ` (${details.join('; ')})`}: ${result}${refused}`
}

/** The box's line for pawl.yaml goes whole: the agent can name it to a person, and must not look for ways around it. */
function deniedWords({ message, fix, isBox }: Denied): string {
  return isBox ? `${message} Only a person can allow it. ${fix}` : shortened(message, TRIED_SAID_LENGTH_MAX)
}

/** "it fixed "a" and broke "b", 2 fail now". */
function helpWords({
  summary: {
    ledger,
    verdict: { failing },
  },
  lost,
}: Tried): string {
  const kept = ledger.fixed.filter((id) => !lost.includes(id))
  const [fixed = '', ...broke] = [...namesOf('fixed', kept), ...namesOf('broke', ledger.broken)]
  const left = failing === 1 ? '1 still fails' : `${thousands(failing)} still fail`
  const now = `${thousands(failing)} fail${failing === 1 ? 's' : ''} now`
  return `it ${[fixed, ...broke].join(' and ')}, ${broke.length === 0 ? left : now}${lostWords(lost)}`
}

/** "; "a" passed then and fails again". */
function lostWords(lost: readonly string[]): string {
  const [names = ''] = namesOf('', lost)
  return lost.length === 0 ? '' : `;${names} passed then and ${lost.length === 1 ? 'fails' : 'fail'} again`
}

function resultWords({ summary: { ledger, verdict }, lost }: Tried, isCompared: boolean): string {
  if (!isCompared) return counted(verdict.failing, 'failure')
  if (lost.length > 0) return `${counted(verdict.failing, 'failure')}${lostWords(lost)}`
  const broke = namesOf('broke', ledger.broken)
  return `${movementWords(ledger, verdict.failing)}${broke.length === 0 ? '' : `; it ${broke.join('')}`}`
}

const TRIED_SAID_LENGTH_MAX = 160
/** How many changed lines are quoted of an attempt. */
const CHANGES_TOLD_MAX = 4

function namesOf(what: string, ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return []
  const more = ids.length > 2 ? `, and ${ids.length - 2} more` : ''
  return [
    `${what} ${ids
      .slice(0, 2)
      .map((id) => `"${shortened(id, 60)}"`)
      .join(', ')}${more}`,
  ]
}

/** "nothing", "src/a.ts and src/b.ts", "src/a.ts, src/b.ts, src/c.ts and 4 more files". */
export function fileWords(files: readonly string[], count: number): string {
  if (count === 0) return 'nothing'
  const [only] = files
  if (only !== undefined && count === 1) return shortened(only, FILE_LENGTH_MAX)
  const named = files.slice(0, FILES_NAMED_MAX).map((file) => shortened(file, FILE_LENGTH_MAX))
  const more = count - named.length
  if (named.length === 0) return counted(count, 'file')
  if (more > 0) return `${named.join(', ')} and ${counted(more, 'more file')}`
  return [named.slice(0, -1).join(', '), named.at(-1)].filter((part) => part !== '').join(' and ')
}

const FILES_NAMED_MAX = 3
const FILE_LENGTH_MAX = 80

/** What one iteration moved, in words: "2 fixed, 1 new, 3 still failing"; `failing` is how much fails in all. */
function movementWords({ counts }: LedgerMovement, failing: number): string {
  const { fixed, broken, flapping, persisting } = counts
  const still = Math.min(persisting, Math.max(0, failing - broken - flapping))
  // What no test says, a reviewer's note for one.
  const more = Math.max(0, failing - broken - flapping - still)
  const parts: string[] = []
  if (fixed > 0) parts.push(`${thousands(fixed)} fixed`)
  if (broken > 0) parts.push(`${thousands(broken)} new`)
  if (flapping > 0) parts.push(`${thousands(flapping)} that ${flapping === 1 ? 'comes and goes' : 'come and go'}`)
  if (still > 0) parts.push(`${thousands(still)} still failing`)
  if (more > 0) parts.push(counted(more, 'failure'))
  return parts.length === 0 ? 'nothing fails' : parts.join(', ')
}
