import { keepSecretsOf } from '../secrets/known-values.ts'
import { redactJson } from '../secrets/filter.ts'
import type { Task } from '../loops/task/index.ts'
import type { PawlConfig } from './pawl-config.ts'
import { nameFrom } from '../core/names.ts'
import { PawlError } from '../core/pawl-error.ts'

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
> & { readonly testFirst?: boolean }

/** A task of a list; `type` is for reviews: coding, documentation, testing or ops. `needs` names tasks that must be done before it. */
export type ListedTask = Task & { readonly type?: string; readonly needs?: readonly string[] }

/** A task whose name may still be missing. */
export type DraftTask = Omit<ListedTask, 'id'> & { readonly id?: string }

/** Gives every task without a name one that is made from its goal, without the secrets in it, and unlike the others. */
export async function withNames(unnamed: readonly DraftTask[]): Promise<readonly ListedTask[]> {
  // A file of tasks is read before the store is opened, which is where they become known otherwise.
  keepSecretsOf(process.env)
  const taken = new Set(unnamed.flatMap(({ id }) => id ?? []))
  const tasks: ListedTask[] = []
  for (const draft of unnamed) {
    const [firstLine = ''] = (await redactJson(draft.goal)).split('\n')
    const id = draft.id ?? nameFromGoal(firstLine, taken)
    taken.add(id)
    tasks.push({ ...draft, id })
  }
  return tasks.map((task) =>
    task.needs === undefined ? task : { ...task, needs: task.needs.map((need) => neededTask(task, need, tasks)) },
  )
}

/** A task is needed by its name, or by its number in the list. */
function neededTask({ id }: ListedTask, need: string, tasks: readonly ListedTask[]): string {
  const found = tasks.find((task) => task.id === need) ?? (/^\d+$/.test(need) ? tasks[Number(need) - 1] : undefined)
  if (found && found.id !== id) return found.id
  const names = tasks.filter((task) => task.id !== id).map((task) => task.id)
  throw new PawlError(
    'config.needs',
    `Task "${id}" needs "${need}", ${found ? 'which is itself' : 'and there is no such open task'}: name one of ${names.join(', ')}, or its number.`,
    { value: need },
  )
}

/** Tasks that are done in their order, without what that makes needless. Throws if one needs a later one. */
export function inOrder<Each extends Pick<ListedTask, 'id' | 'needs'>>(tasks: readonly Each[]): readonly Omit<Each, 'needs'>[] {
  checkNeeds(tasks, true)
  return tasks.map(({ needs: _done, ...rest }) => rest)
}

/** Throws if tasks need each other in a circle, or, if they are done in order, one that comes later. */
export function checkNeeds(tasks: readonly Pick<ListedTask, 'id' | 'needs'>[], isOrdered: boolean): void {
  const done = new Set<string>()
  if (isOrdered) {
    for (const { id, needs = [] } of tasks) {
      const later = needs.find((need) => !done.has(need))
      if (later !== undefined)
        throw new PawlError(
          'config.needs',
          `Task "${id}" needs "${later}", which comes after it: move it down, or add --parallel 2.`,
          { value: later },
        )
      done.add(id)
    }
    return
  }
  for (let open = tasks; open.length > 0;) {
    const ready = open.filter(({ needs = [] }) => needs.every((need) => done.has(need)))
    if (ready.length === 0)
      throw new PawlError(
        'config.needs',
        `These tasks need each other, so none can begin: ${open.map(({ id }) => id).join(', ')}. Take one "needs" away.`,
      )
    for (const { id } of ready) done.add(id)
    open = open.filter(({ id }) => !done.has(id))
  }
}

/** A short name made from words: small letters, digits and hyphens, unlike those in `taken`. Without a letter in them it is `task`. */
export function nameFromGoal(goal: string, taken: ReadonlySet<string>): string {
  return nameFrom(goal, taken, 'task')
}

/**
 * The open items of a Markdown checklist (`- [ ] Do this`), in order. Lines that belong to an item, nested lists too, are part of its
 * goal; checked items, headings, other text and code blocks are passed over.
 */
export function parseChecklist(text: string, file: string): DraftList {
  const items: Item[] = []
  let item: Item | undefined
  let fence: string | undefined
  let isAfterBlank = false
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const indent = indentOf(line)
    const isBlank = line.trim() === ''
    const isOpenFence = fence !== undefined
    fence = fenceAfter(line, fence)
    const belongs = item !== undefined && (isBlank || indent > item.indent || (!isAfterBlank && isPlainText(line)))
    const box = isOpenFence || belongs ? null : BOX.exec(line)
    if (box) {
      item = { indent, line: index + 1, isDone: box[1] !== ' ', lines: [box[2] ?? ''] }
      items.push(item)
    } else if (item && belongs) item.lines.push(line)
    else item = undefined
    isAfterBlank = isBlank
  }
  return { tasks: drafts(items, file), control: {} }
}

interface Item {
  readonly indent: number
  readonly line: number
  readonly isDone: boolean
  readonly lines: string[]
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\](?:\s+(.*))?$/
const FENCE = /^\s*(`{3,}|~{3,})/

function drafts(items: readonly Item[], file: string): readonly DraftTask[] {
  const open = items.filter((item) => !item.isDone)
  const empty = open.filter((item) => goalOf(item) === '')
  if (empty.length > 0) {
    const lines = empty.map(
      ({ line, indent }) => `${file}:${line}:${indent + 1}: this task says nothing: write what is to be true`,
    )
    throw new PawlError('config.tasks', lines.join('\n'), { value: file })
  }
  if (open.length > 0) return open.map(draftOf)
  const sentence =
    items.length > 0
      ? `${file} has no open task: every item of its checklist is checked.`
      : `${file} has no task: write each as an item of a checklist, such as "- [ ] Login returns a numeric userId".`
  throw new PawlError('config.tasks', sentence, { value: file })
}

/** A line such as "Check: `npm run e2e`" or "Needs: 1, login" is about the task and no part of its goal. */
function draftOf(item: Item): DraftTask {
  const checks = item.lines.flatMap((line) => CHECK.exec(line)?.[1]?.trim() ?? [])
  const needs = item.lines
    .flatMap(
      (line) =>
        NEEDS.exec(line)?.[1]
          ?.split(',')
          .map((need) => need.trim()) ?? [],
    )
    .filter((need) => need !== '')
  const goal = goalOf({ ...item, lines: item.lines.filter((line) => !CHECK.test(line) && !NEEDS.test(line)) })
  return { goal, ...(checks.length === 0 ? {} : { checks }), ...(needs.length === 0 ? {} : { needs }) }
}

const NEEDS = /^\s*(?:[-*+]\s+)?Needs:\s*(\S.*)$/i
const CHECK = /^\s*(?:[-*+]\s+)?Check:\s*`([^`]*[^`\s][^`]*)`\s*$/i

/** The lines below an item, moved to the left as far as they go together. */
function goalOf({ lines: [first = '', ...rest] }: Item): string {
  const indents = rest.filter((line) => line.trim() !== '').map(indentOf)
  const indentMin = Math.min(...indents)
  return [first.trim(), ...rest.map((line) => line.slice(Math.min(indentMin, indentOf(line))).trimEnd())].join('\n').trim()
}

/** A line right below an item that begins nothing else continues its sentence, however it is indented. */
function isPlainText(line: string): boolean {
  return !/^\s*(?:[-*+]\s|\d+[.)]\s|#|>|```|~~~|\||(?:[-*_]\s*){3,}$)/.test(line)
}

function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const mark = FENCE.exec(line)?.[1]
  if (fence === undefined) return mark
  return mark !== undefined && mark.startsWith(fence) && line.trim() === mark ? undefined : fence
}

/** Tabs go to the next multiple of four, as Markdown has it. */
function indentOf(line: string): number {
  let width = 0
  for (const character of line) {
    if (character === ' ') width++
    else if (character === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}
