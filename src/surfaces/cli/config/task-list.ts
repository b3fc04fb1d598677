import type { Task } from '../../../loops/task/index.ts'
import { nameFromGoal } from '../name-from-goal.ts'
import type { PawlConfig } from './pawl-config.ts'

/** Several tasks, to be done one after the other. */
export interface TaskList {
  readonly tasks: readonly ListedTask[]
  /** What the list itself sets; goes before `pawl.yaml`. */
  readonly control: TaskControl
}

/** The settings that a list may have. */
export type TaskControl = Pick<
  PawlConfig,
  'maxIterations' | 'autoRetryOnTestFail' | 'autoRetryOnReviewReject' | 'escalationIncludesDiff' | 'feedbackMaxLength'
>

/** A task of a list; `type` is for reviews: coding, documentation, testing or ops. */
export type ListedTask = Task & { readonly type?: string }

/** A task whose name may still be missing. */
export type DraftTask = Omit<ListedTask, 'id'> & { readonly id?: string }

/** Gives every task without a name one that is made from its goal and unlike the others. */
export function withNames(drafts: readonly DraftTask[]): readonly ListedTask[] {
  const taken = new Set(drafts.flatMap(({ id }) => id ?? []))
  return drafts.map((draft) => {
    if (draft.id !== undefined) return { ...draft, id: draft.id }
    const [firstLine = ''] = draft.goal.split('\n')
    const id = nameFromGoal(firstLine, taken)
    taken.add(id)
    return { ...draft, id }
  })
}
