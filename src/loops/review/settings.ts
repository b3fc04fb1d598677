import type { PlanItem } from '../shared/plan.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { REWORK_LIMITS, type ReworkLimits } from './route-rework.ts'
import { inFiles, inPrograms } from '../../schema/file-kinds.ts'
import {
  byDefault,
  type EntriesOf,
  FLAG,
  type GenericSchema,
  LIST,
  listOf,
  needed,
  oneOf,
  optional,
  settingsSchema,
  SHARE,
  TEXT,
  TEXTS,
  wholeNumber,
  WORDS,
} from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

/** What an item may be about. */
export const TASK_TYPES: readonly string[] = ['coding', 'documentation', 'testing', 'ops']

/** The type that a word means, in whatever case: `docs` is `documentation`. Nothing where it means none. */
export function taskTypeOf(word: string): string | undefined {
  return TYPE_WORDS.get(word.trim().toLowerCase())
}

/** What an item is about, as the plan has it; `coding` where it says nothing. */
export function typeIn({ settings }: PlanItem): string {
  const { type = 'coding' } = settings ?? {}
  return typeof type === 'string' ? type : JSON.stringify(type)
}

/** The item with its type by its full name; a word that means none stays, for the contract to refuse. */
export function withFullType(item: PlanItem): PlanItem {
  const type = item.settings?.['type']
  const full = typeof type === 'string' ? taskTypeOf(type) : undefined
  return full === undefined ? item : { ...item, settings: { ...item.settings, type: full } }
}

const TYPE_WORDS: ReadonlyMap<string, string> = new Map([
  ...TASK_TYPES.map((type) => [type, type] as const),
  ['code', 'coding'],
  ['doc', 'documentation'],
  ['docs', 'documentation'],
  ['test', 'testing'],
  ['tests', 'testing'],
  ['operations', 'ops'],
])

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
   * Whether tests that prove an item end it although a reviewing agent still finds something that concerns security or is critical.
   * Default false: a person is asked.
   */
  readonly testerOverrulesSecurity?: boolean
  /** Whether every finished item is committed, on the branch `pawl/RUN` of its own. Needs git. Default false. */
  readonly commits?: boolean
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
  /** How many characters of feedback a brief carries; the first item is always shown. Default 2000. */
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
  /** Names of checks that are for this item, and for others only if they name them too. Default: none. */
  readonly checks?: readonly string[]
  /** Its own maximum in place of the guard's. */
  readonly iterationsMax?: number
}

/** Settings with every default filled in. */
export type WholeReviewSettings = Required<Omit<ReviewSettings, 'items'>> & Pick<ReviewSettings, 'items'>

/** Checks the settings and fills in the defaults. */
export function wholeReviewSettings(settings: ReviewSettings): WholeReviewSettings {
  const whole = readOptions('reviewLoop', REVIEW_LOOP, settings) as WholeReviewSettings
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
}

/** What else is wrong in an item is for its contract to say. */
const ITEM = settingsSchema(
  {
    id: needed(TEXT),
    goal: needed(WORDS),
    type: optional(WORDS),
    checks: optional(TEXTS),
    iterationsMax: optional(wholeNumber(1)),
  } satisfies EntriesOf<ReviewItem>,
  'an item such as { id: "login", goal: "Users can log in" }',
)

/** How many iterations an item may take unless something else is said: more than the loop's own limits let it. */
export const REVIEW_ITERATIONS_MAX = 10

/** The settings of the review loop, from which its keys in pawl.yaml and its flags come. */
export const REVIEW_LOOP = settingsSchema({
  items: optional(inPrograms(listOf('a list of items', ITEM))),
  goal: byDefault(inPrograms(WORDS), ''),
  coders: byDefault(inPrograms(LIST), ['coder_a', 'coder_b']),
  alternatesOnRework: byDefault(flagOnly(FLAG, '--alternate'), false, 'Give rework to the next coder too, not only a new item'),
  by: byDefault(inPrograms(oneOf(['characters', 'lines'])), 'characters'),
  commits: byDefault(
    flagOnly(FLAG, '--commit'),
    false,
    'Commit every finished item, on the branch pawl/RUN; yours stays as it is',
  ),
  reworkCyclesMax: byDefault(
    flagOnly(wholeNumber(1), '--max-rework <count>'),
    REWORK_LIMITS.reworkCyclesMax,
    'From this rework on the tests decide',
  ),
  similarityMin: byDefault(
    flagOnly(SHARE, '--similarity <share>'),
    REWORK_LIMITS.similarityMin,
    'How alike two passes are when the coder no longer makes progress',
  ),
  convergenceCyclesMin: byDefault(inPrograms(wholeNumber(1)), REWORK_LIMITS.convergenceCyclesMin),
  testFailuresMax: byDefault(
    flagOnly(wholeNumber(1), '--max-test-failures <count>'),
    3,
    "How often an item's tests may fail before Pawl asks you",
  ),
  testerOverrulesSecurity: byDefault(
    inFiles(FLAG, {
      flag: '--tester-overrules-security',
      flagAbout: 'let tests that prove an item end it although a reviewer finds it unsafe',
    }),
    false,
    'Whether tests that prove an item of [a review](../loops/review.md) end it although a reviewer still finds it unsafe, without asking you',
  ),
  environmentRepairsMax: byDefault(
    flagOnly(wholeNumber(0), '--max-repairs <count>'),
    2,
    'How often an environment that breaks the tests is repaired',
  ),
  stopOn: byDefault(inPrograms(TEXTS), ['budget']),
  feedbackLengthMax: byDefault(
    inFiles(wholeNumber(1), { name: 'feedback_max_length' }),
    2000,
    'How many characters of feedback a brief carries',
  ),
  contractRules: byDefault(inPrograms(TEXTS), []),
} satisfies EntriesOf<ReviewSettings>)

/** A setting that programs and the command line have, and files don't. */
function flagOnly<const Value extends GenericSchema>(kind: Value, flag: string) {
  return inFiles(kind, { isAbsent: true, flag })
}
