import type { Failure } from './failure.ts'
import { type FailureGroup, failureGroups } from './failure-groups.ts'
import { failureItem } from './failure-item.ts'
import { failureRank, type Priority, priorityOf } from './failure-rank.ts'
import { standingOf } from './measures/ledger.ts'
import { movementWords } from './movement-words.ts'
import type { State } from './state.ts'
import { triedLines } from './tried-lines.ts'
import { counted, shortened } from './wording.ts'

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
  const { recent, baseline, plan } = state
  const { ledger } = state.measures
  const known = remembered.get(recent)
  const isSame = known?.lengthMax === lengthMax && known.ledger === ledger && known.baseline === baseline && known.plan === plan
  if (isSame) return known.feedback
  const feedback = feedbackOf(state, lengthMax)
  remembered.set(recent, { lengthMax, ledger, baseline, plan, feedback })
  return feedback
}

/** All that feedback is made of, besides the iterations it is kept by. */
interface Remembered {
  readonly lengthMax: number
  readonly ledger: State['measures']['ledger']
  readonly baseline: State['baseline']
  readonly plan: State['plan']
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

const MARKS = { broken: '[new] ', flapping: '[comes and goes] ', persisting: '' } as const
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
  const order = { broken: 0, flapping: 1, persisting: 2 }
  const placed = failures.map((failure) => ({ failure, rank: failureRank(failure), stands: order[standing(state, failure)] }))
  return placed.toSorted((one, other) => one.rank - other.rank || one.stands - other.stands).map(({ failure }) => failure)
}

/** What is not a test, a reviewer's note for one, or has nothing to be compared with, is told without a mark. */
function standing(state: State, { id, kind }: Failure): 'broken' | 'flapping' | 'persisting' {
  if (kind === 'review' || !hasEarlier(state)) return 'persisting'
  return standingOf(state.measures.ledger, id, state.recent.at(-1)?.iteration ?? 0) ?? 'persisting'
}

/** Whether the checks ran before the last time: otherwise everything would be new. */
function hasEarlier({ recent, baseline }: State): boolean {
  return recent.length > 1 || (recent.length === 1 && baseline !== undefined)
}

/** The first item is always told; after it, as many as fit. */
function fitting(items: readonly string[], lengthMax: number): number {
  let length = 0
  const tooMany = items.findIndex((item, index) => (length += item.length) > lengthMax && index > 0)
  return tooMany === -1 ? items.length : tooMany
}
