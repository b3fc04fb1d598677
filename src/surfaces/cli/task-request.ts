import { basename, extname } from 'node:path'
import { PawlError } from '../../core/pawl-error.ts'
import type { Task } from '../../loops/task/index.ts'
import { loadTasks } from '../../settings/load-tasks.ts'
import { type TaskControl, withNames } from '../../settings/task-list.ts'
import { shortPath } from '../../settings/text-file.ts'

/** What a person wants done. */
export interface TaskRequest {
  readonly goal: string
  /** What the run is named after. */
  readonly name: string
  /** Several tasks, if there is a list of them. */
  readonly tasks?: readonly (Task & { readonly needs?: readonly string[] })[]
  /** What the list sets. */
  readonly control: TaskControl
}

/** The one goal that was given, several as a list of tasks, or those of a file. */
export async function taskRequest(goals: readonly string[], file: string | undefined): Promise<TaskRequest> {
  const [goal, ...others] = goals
  if (file !== undefined) {
    if (goal !== undefined)
      throw new PawlError(
        'usage.goal-and-tasks',
        `Goals are given and --tasks ${file} too: put them into the file, or leave it out.`,
      )
    const { tasks, control } = await loadTasks(file)
    const typed = tasks.find(({ type }) => type !== undefined)
    if (typed)
      throw new PawlError(
        'usage.tasks',
        `Task "${typed.id}" of ${shortPath(file)} has a type, which only a review knows: use \`pawl review\`, or leave it out.`,
        { value: typed.type },
      )
    return { goal: `The tasks of ${shortPath(file)}`, name: basename(file, extname(file)), tasks, control }
  }
  if (goal === undefined)
    throw new PawlError(
      'usage.no-goal',
      'What is to be done? Give a goal in quotes, several, or a file of them with --tasks FILE.',
    )
  if (others.length === 0) return { goal, name: goal, control: {} }
  const drafts = goals.map((each) => ({ goal: each }))
  return { goal: goals.join('; '), name: goal, tasks: await withNames(drafts), control: {} }
}
