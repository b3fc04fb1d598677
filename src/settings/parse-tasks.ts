import { camelCase, neededKey, optionalKey } from '../schema/file-kinds.ts'
import { eitherOf, fittingKind, LINE, listOf, notBlank, readAs, settingsSchema, wholeNumber } from '../schema/kinds.ts'
import { controlKeys } from './project-schema.ts'
import type { DraftList, DraftTask, TaskControl } from './task-list.ts'
import type { FileProblem } from '../schema/read-value.ts'
import { readYaml } from './yaml-file.ts'

const TASK_WORDS = 'a text, or a map such as { goal: "Login returns a numeric userId" }'

const GOAL = notBlank('a text that says what is to be true')

const COMMANDS = listOf('a list of commands such as [npm run e2e]', notBlank('a command such as npm run e2e'))

const task = readAs(
  eitherOf(
    TASK_WORDS,
    GOAL,
    settingsSchema(
      {
        id: optionalKey(LINE, 'Its name'),
        goal: neededKey(GOAL, 'What is to be true'),
        checks: optionalKey(COMMANDS, 'Commands that must succeed for this task, besides the checks of all'),
        needs: optionalKey(
          listOf('a list of tasks such as [login, 2]', eitherOf('the name or number of a task', LINE, wholeNumber(1))),
          'Tasks that must be done before it, by name or number',
        ),
        type: optionalKey(LINE, 'For reviews: coding, documentation, testing or ops'),
        ...controlKeys,
      },
      TASK_WORDS,
    ),
  ),
  // A text alone is a goal.
  (value) => (typeof value === 'string' ? { goal: value } : value),
)

const tasks = fittingKind('a list of tasks, with at least one in it', listOf('a list of tasks', task), (list) => list.length > 0)

const whole = settingsSchema(
  {
    tasks: neededKey(tasks, 'The tasks, in their order'),
    iteration_control: optionalKey(
      settingsSchema(controlKeys, 'a map of settings such as { max_iterations: 3 }'),
      'Settings for all of them; they go before `pawl.yaml`',
    ),
  },
  'a list of tasks, or a map with "tasks"',
)

/** A bare list is the tasks. */
const bare = readAs(tasks, (list) => ({ tasks: list }))

/** Reads the text of a YAML file of tasks: a list, or a map with `tasks` and `iteration_control`. Every problem is a line of one error. */
export function parseTasks(text: string, file: string): DraftList {
  const read = readYaml(text, file, {
    schema: (value) => (Array.isArray(value) ? bare : whole),
    code: 'config.tasks',
    emptyMessage: 'the file is empty: write a list of tasks, or a map with "tasks"',
    problems: sameIds,
  }) as { readonly tasks: readonly RawTask[]; readonly iteration_control?: object }
  const drafts = read.tasks.map(({ id, goal, checks, type, needs, ...own }): DraftTask => {
    const { maxIterations, feedbackMaxLength, ...rest } = controlOf(own)
    return {
      ...(id === undefined ? {} : { id }),
      goal: goal.trim(),
      ...(checks === undefined ? {} : { checks: checks.map((command) => command.trim()) }),
      ...(needs === undefined ? {} : { needs: needs.map(String) }),
      ...(type === undefined ? {} : { type }),
      ...rest,
      ...(maxIterations === undefined ? {} : { iterationsMax: maxIterations }),
      ...(feedbackMaxLength === undefined ? {} : { feedbackLengthMax: feedbackMaxLength }),
    }
  })
  return { tasks: drafts, control: controlOf(read.iteration_control ?? {}) }
}

interface RawTask {
  readonly id?: string
  readonly goal: string
  readonly checks?: readonly string[]
  readonly type?: string
  readonly needs?: readonly (string | number)[]
}

function sameIds(given: unknown): readonly FileProblem[] {
  const isList = Array.isArray(given)
  const list: unknown = isList ? given : (given as { readonly tasks?: unknown } | null)?.tasks
  if (!Array.isArray(list)) return []
  const ids = list.map((each) => (each as { readonly id?: unknown } | null)?.id)
  return ids.flatMap((id, index) => {
    if (typeof id !== 'string' || ids.indexOf(id) === index) return []
    const message = `another task is called ${JSON.stringify(id)} too; give each a name of its own`
    return [{ path: [...(isList ? [] : ['tasks']), index, 'id'], message }]
  })
}

function controlOf(raw: object): TaskControl {
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [camelCase(name), value]))
}
