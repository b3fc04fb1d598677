import { counted } from '../core/wording.ts'
import type { Screen } from './screen.ts'
import type { TaskView } from './task-view.ts'
import { fitted, padded, textWidth } from './text-layout.ts'

/** One line a task: whether it is done, how many attempts it took, its name and goal. Of many, those around the one under way. */
export function taskLines(tasks: readonly TaskView[], { columns, paint }: Screen): readonly string[] {
  const current = tasks.findIndex((task) => task.status === 'under way')
  const first = Math.max(0, Math.min(current === -1 ? tasks.length : current - BEFORE_COUNT, tasks.length - SHOWN_MAX))
  const shown = tasks.slice(first, first + SHOWN_MAX)
  const idWidth = Math.min(ID_WIDTH_MAX, Math.max(0, ...shown.map(({ id }) => textWidth(id))))
  const lines = shown.map((task) => {
    const head = `  ${padded(String(task.number), String(tasks.length).length, 'right')}  `
    const status = padded(task.status, STATUS_WIDTH)
    const tries = padded(task.attempts === 0 ? '' : counted(task.attempts, 'attempt'), TRIES_WIDTH)
    const rest = `${head}${status}  ${tries}  ${padded(fitted(task.id, idWidth), idWidth)}  `
    const text = rest + fitted(task.goal, Math.max(columns - textWidth(rest), GOAL_WIDTH_MIN))
    return text.trimEnd().replace(task.status, (word) => paint(COLOURS[task.status], word))
  })
  return [...leftOut(first, 'before'), ...lines, ...leftOut(tasks.length - first - shown.length, 'after')]
}

/** "2 of 5 done". */
export function tasksDoneWords(done: number, count: number): string {
  return `${done} of ${counted(count, 'task')} done`
}

function leftOut(count: number, where: string): readonly string[] {
  return count === 0 ? [] : [`  … ${count} more ${where} these; --json has them all`]
}

const COLOURS = { open: 'dim', 'under way': 'cyan', done: 'green' } as const
const SHOWN_MAX = 20
const BEFORE_COUNT = 5
const STATUS_WIDTH = 'under way'.length
const TRIES_WIDTH = '10 attempts'.length
const ID_WIDTH_MAX = 24
const GOAL_WIDTH_MIN = 12
