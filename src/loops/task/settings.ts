import { PawlError } from '../../core/pawl-error.ts'
import { currentItem, type PlanItem } from '../shared/plan.ts'
import type { State } from '../../core/state.ts'
import { inFiles, inPrograms } from '../../schema/file-kinds.ts'
import {
  byDefault,
  eitherOf,
  type EntriesOf,
  FLAG,
  listOf,
  needed,
  notBlank,
  optional,
  settingsSchema,
  TEXT,
  TEXTS,
  wholeNumber,
} from '../../schema/kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

/** What may be set for the whole loop, and otherwise for one of its tasks. */
export interface TaskOverrides {
  /** Whether tests are written, and seen to fail, before the work begins. Default false. */
  readonly testFirst?: boolean
  /** Whether failing checks lead to another try by themselves; a person is asked otherwise. Default true. */
  readonly autoRetryOnTestFail?: boolean
  /** The same for a reviewer's rejection. Default true. */
  readonly autoRetryOnReviewReject?: boolean
  /** Whether a question carries the last attempt's changes. Default true. */
  readonly escalationIncludesDiff?: boolean
  /** How many characters of feedback a brief carries. Default 500. */
  readonly feedbackLengthMax?: number
}

export interface TaskSettings extends TaskOverrides {
  /** What is to be true in the end, in the user's words; with `tasks`, what they are for. */
  readonly goal: string
  /** Several tasks, done one after the other, each with attempts and limits of its own. Default: the goal is the one task. */
  readonly tasks?: readonly Task[]
  /** Run the checks once before any work: the agent reads what fails beforehand. Default true. */
  readonly baseline?: boolean
  /** Guards whose trip ends the run instead of asking a person. Default: `budget`. */
  readonly stopOn?: readonly string[]
}

export interface Task extends TaskOverrides {
  /** Short name, unlike the others. */
  readonly id: string
  readonly goal: string
  /** Names of checks that are for this task, and for others only if they name them too. Default: none. */
  readonly checks?: readonly string[]
  /** Its own maximum in place of the guard's. */
  readonly iterationsMax?: number
}

/** Settings with every default filled in. */
export type WholeSettings = Required<TaskSettings>

/** Checks the settings and fills in the defaults. */
export function wholeSettings(settings: TaskSettings): WholeSettings {
  const whole = readOptions('taskLoop', TASK_LOOP, settings) as WholeSettings
  const ids = new Set<string>()
  for (const { id } of whole.tasks) {
    if (ids.has(id)) throw new PawlError('loop.task.same-id', `Two tasks are called "${id}": give each a name of its own.`)
    ids.add(id)
  }
  return whole
}

/** What may be set for the whole loop, and otherwise for one of its tasks. */
export const TASK_OVERRIDES = {
  testFirst: byDefault(FLAG, false, 'Whether tests are written, and seen to fail, before the work begins'),
  autoRetryOnTestFail: byDefault(
    inFiles(FLAG, { flag: '--no-auto-retry', flagAbout: 'ask before every further try' }),
    true,
    'Whether work that fails a check is tried again without asking you',
  ),
  autoRetryOnReviewReject: byDefault(
    inFiles(FLAG, { flag: '--no-auto-retry' }),
    true,
    'The same for work that the reviewer rejects',
  ),
  escalationIncludesDiff: byDefault(FLAG, true, 'Whether a question shows what the last iteration changed'),
  feedbackLengthMax: byDefault(
    inFiles(wholeNumber(1), { name: 'feedback_max_length' }),
    500,
    'How many characters of failures a brief carries',
  ),
} satisfies EntriesOf<TaskOverrides>

const GOAL = notBlank('a sentence that says what must be true in the end')

const TASK = settingsSchema(
  {
    id: needed(TEXT),
    goal: needed(GOAL),
    checks: optional(TEXTS),
    iterationsMax: optional(wholeNumber(1)),
    ...TASK_OVERRIDES,
  } satisfies EntriesOf<Task>,
  'a task such as { id: "login", goal: "Login returns a numeric userId" }',
)

/** The settings of the task loop, from which its keys in pawl.yaml and its flags come. */
export const TASK_LOOP = settingsSchema({
  goal: needed(inPrograms(GOAL)),
  tasks: byDefault(inPrograms(listOf('a list of tasks', TASK)), []),
  baseline: byDefault(FLAG, true, 'Whether the checks run once before any work, so that the agent knows what failed beforehand'),
  stopOn: byDefault(inPrograms(TEXTS), ['budget']),
  ...TASK_OVERRIDES,
  testFirst: byDefault(
    inFiles(FLAG, {
      kind: eitherOf('true, false or the name of an agent', FLAG, notBlank('the name of an agent')),
      flag: '--test-first',
      flagAbout: 'have tests written and see them fail before the work',
      flags: '`--test-first`; `--test-writer` names the agent',
      example: 'test_first: codex',
    }),
    false,
    'Whether tests are written, and seen to fail, before the work begins; or the agent that writes them',
  ),
} satisfies EntriesOf<TaskSettings>)

/** The tasks as items of a run's plan. */
export function planItems(tasks: readonly Task[]): readonly PlanItem[] {
  return tasks.map(({ id, goal, ...settings }) => ({ id, goal, ...(Object.keys(settings).length === 0 ? {} : { settings }) }))
}

/** What holds now: the loop's settings, with those of the task under way in their place. */
export function settingsNow(settings: WholeSettings, { slices: { plan } = {} }: State): WholeSettings {
  const item = currentItem(plan)
  return item ? { ...settings, ...(item.settings as TaskOverrides | undefined), goal: item.goal } : settings
}
