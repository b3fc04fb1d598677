import type { Event, Seq } from '../core/event.ts'
import type { PlanItem } from '../core/plan.ts'

/** One of several tasks of a run. */
export interface TaskView {
  /** Counted from 1. */
  readonly number: number
  readonly id: string
  readonly goal: string
  readonly status: 'open' | 'under way' | 'done'
  /** How many iterations were measured for it. */
  readonly attempts: number
  /** Where it ended, and with what words. */
  readonly finishedSeq?: Seq
  readonly message?: string
}

/** Gathers the tasks of a plan from a journal, event by event. */
export interface TaskViews {
  take(event: Event): void
  /** Empty for a run without a plan. */
  readonly found: readonly TaskView[]
}

/** None yet. */
export function taskViews(): TaskViews {
  const found: TaskView[] = []
  let index = -1
  const learn = (place: number, more: Partial<TaskView>): void => {
    const task = found[place]
    if (task) found[place] = { ...task, ...more }
  }
  return {
    found,
    take(event) {
      if (event.type === 'plan.made') found.push(...event.data.items.map(openTask))
      else if (event.type === 'item.started') {
        ;({ index } = event.data)
        learn(index, { status: 'under way' })
      } else if (event.type === 'iteration.ended') learn(index, { attempts: (found[index]?.attempts ?? 0) + 1 })
      else if (event.type === 'item.finished')
        learn(event.data.index, { status: 'done', finishedSeq: event.seq, message: event.data.message })
    },
  }
}

function openTask({ id, goal }: PlanItem, index: number): TaskView {
  return { number: index + 1, id, goal, status: 'open', attempts: 0 }
}
