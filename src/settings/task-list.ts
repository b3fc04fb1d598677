import { keepSecretsOf } from '../secrets/known-values.ts'
import { redactJson } from '../secrets/filter.ts'
import type { Task } from '../loops/task/index.ts'
import { nameFromGoal } from './name-from-goal.ts'
import type { PawlConfig } from './pawl-config.ts'

/** Several tasks, to be done one after the other. */
export interface TaskList {
  readonly tasks: readonly ListedTask[]
  /** What the list itself sets; goes before `pawl.yaml`. */
  readonly control: TaskControl
}

/** A list as it was written: tasks may have no name. */
export type DraftList = Omit<TaskList, 'tasks'> & { readonly tasks: readonly DraftTask[] }

/** The settings that a list may have. */
export type TaskControl = Pick<
  PawlConfig,
  'maxIterations' | 'autoRetryOnTestFail' | 'autoRetryOnReviewReject' | 'escalationIncludesDiff' | 'feedbackMaxLength'
>

/** A task of a list; `type` is for reviews: coding, documentation, testing or ops. */
export type ListedTask = Task & { readonly type?: string }

/** A task whose name may still be missing. */
export type DraftTask = Omit<ListedTask, 'id'> & { readonly id?: string }

/** Gives every task without a name one that is made from its goal, without the secrets in it, and unlike the others. */
export async function withNames(drafts: readonly DraftTask[]): Promise<readonly ListedTask[]> {
  // A file of tasks is read before the store is opened, which is where they become known otherwise.
  keepSecretsOf(process.env)
  const taken = new Set(drafts.flatMap(({ id }) => id ?? []))
  const tasks: ListedTask[] = []
  for (const draft of drafts) {
    const [firstLine = ''] = (await redactJson(draft.goal)).split('\n')
    const id = draft.id ?? nameFromGoal(firstLine, taken)
    taken.add(id)
    tasks.push({ ...draft, id })
  }
  return tasks
}
