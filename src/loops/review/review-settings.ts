import { PawlError } from '../../core/pawl-error.ts'
import type { PlanItem } from '../shared/plan.ts'
import { REWORK_LIMITS, type ReworkLimits } from './route-rework.ts'
import { withFullType } from './task-type.ts'
import { SHARE, wholeNumber } from '../../schema/kinds.ts'
import { requireKind } from '../../schema/read-options.ts'

export interface ReviewSettings extends Partial<ReworkLimits> {
  /**
   * The plan, done item by item in this order. What is wrong with it is refused before anybody works, not here. Default: the
   * agent of the role `planner` makes it from the goal.
   */
  readonly items?: readonly ReviewItem[]
  /** What the items are for, in the user's words. Default: nothing is said; a planner needs it. */
  readonly goal?: string
  /** Names of the coders, who take turns. Default `coder_a` and `coder_b`. */
  readonly coders?: readonly string[]
  /** Whether rework goes to the next coder too. Default false: only a new item does. */
  readonly alternatesOnRework?: boolean
  /** How two passes are compared: `characters` as Python's difflib does (default), or `lines`, changed lines without whitespace and places. */
  readonly by?: 'characters' | 'lines'
  /** How often the tests of one item may fail before a person is asked. Default 3. */
  readonly testFailuresMax?: number
  /** How often an environment in which the tests cannot run is repaired for one item. Default 2; 0 asks a person at once. */
  readonly environmentRepairsMax?: number
  /**
   * Whether passing tests end an item although a reviewing agent still finds something that concerns security or is critical.
   * Default false: a person is asked.
   */
  readonly testerOverrulesSecurity?: boolean
  /** Whether every finished item is committed, on the branch `pawl/RUN` of its own. Needs git. Default false. */
  readonly commits?: boolean
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
  /** How many characters of feedback a brief carries; the first item is always told. Default 2000. */
  readonly feedbackLengthMax?: number
  /** Names of contract rules that are functions of a program, as `contract:rule`. Written by `reviewLoop` itself. */
  readonly contractRules?: readonly string[]
}

export interface ReviewItem {
  /** Short name, unlike the others. */
  readonly id: string
  /** What is to be done. */
  readonly goal: string
  /** `coding` (default), `documentation`, `testing` or `ops`, or a short word for one such as `docs`. */
  readonly type?: string
  /** Its own maximum in place of the guard's. */
  readonly iterationsMax?: number
}

/** Settings with every default filled in. */
export type WholeReviewSettings = Required<Omit<ReviewSettings, 'items'>> & Pick<ReviewSettings, 'items'>

/** Checks the settings and fills in the defaults. */
export function wholeReviewSettings(settings: ReviewSettings): WholeReviewSettings {
  const whole: WholeReviewSettings = {
    goal: '',
    coders: ['coder_a', 'coder_b'],
    alternatesOnRework: false,
    by: 'characters',
    testFailuresMax: 3,
    environmentRepairsMax: 2,
    testerOverrulesSecurity: false,
    commits: false,
    stopOn: ['budget'],
    feedbackLengthMax: 2000,
    contractRules: [],
    ...REWORK_LIMITS,
    ...settings,
  }
  for (const setting of ['reworkCyclesMax', 'convergenceCyclesMin', 'testFailuresMax', 'feedbackLengthMax'] as const)
    requireKind('reviewLoop', setting, whole[setting], wholeNumber(1))
  requireKind('reviewLoop', 'environmentRepairsMax', whole.environmentRepairsMax, wholeNumber(0))
  requireKind('reviewLoop', 'similarityMin', whole.similarityMin, SHARE)
  if (whole.by !== 'characters' && whole.by !== 'lines')
    throw new PawlError('setting.invalid', `reviewLoop: by must be characters or lines, not ${String(whole.by)}.`, {
      value: whole.by,
    })
  requireCoders(whole.coders)
  if (whole.items === undefined) requireGoal(whole.goal)
  else requireItems(whole.items)
  return whole
}

/** The items as a run's plan. */
export function reviewPlan(items: readonly ReviewItem[] = []): readonly PlanItem[] {
  return items
    .map(({ id, goal, ...settings }) => ({ id, goal, ...(Object.keys(settings).length === 0 ? {} : { settings }) }))
    .map(withFullType)
}

/** A coder's name is part of the keys of its work. */
function requireCoders(names: readonly string[]): void {
  const wrong = names.find((name, index) => typeof name !== 'string' || !NAME.test(name) || names.indexOf(name) !== index)
  if (wrong !== undefined)
    throw new PawlError(
      'loop.review.coder',
      `The coder "${wrong}" cannot be called that: each needs a name of its own, of one line, without "/" and ":".`,
      { value: wrong },
    )
  if (names.length === 0) throw new PawlError('loop.review.coder', 'The review loop needs at least one coder.', { value: names })
}

const NAME = /^[^\s/:][^\n/:]{0,99}$/

/** Of nothing no plan can be made. */
function requireGoal(goal: string): void {
  if (goal.trim() === '')
    throw new PawlError('loop.review.goal', 'A review needs items, or a goal from which a planner makes them.', { value: goal })
}

function requireItems(items: readonly ReviewItem[]): void {
  const ids = items.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined)
    throw new PawlError('loop.review.item', `Two items are called "${twice}": give each a name of its own.`, { value: twice })
  for (const { id, iterationsMax } of items)
    if (iterationsMax !== undefined) requireKind(`item "${id}"`, 'iterationsMax', iterationsMax, wholeNumber(1))
}
