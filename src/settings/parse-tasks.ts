import { LineCounter, parseDocument, type Document } from 'yaml'
import { z } from 'zod'
import { PawlError } from '../core/pawl-error.ts'
import { type ConfigProblem, problemsOf } from './config-problem.ts'
import { controlShape } from './config-schema.ts'
import { syntaxProblems } from './syntax-problems.ts'
import type { DraftList, DraftTask, TaskControl } from './task-list.ts'
import { textPlace } from './text-place.ts'
import { offsetOf } from './yaml-place.ts'

const line = z.string('one line of text').regex(/^\S(?:.*\S)?$/, 'one line of text')

const task = z.strictObject(
  {
    id: line.optional(),
    goal: z.string('a text that says what is to be true').regex(/\S/, 'a text that says what is to be true'),
    type: line.optional(),
    ...controlShape,
  },
  'a text, or a map such as { goal: "Login returns a numeric userId" }',
)

const control = z.strictObject(controlShape, 'a map of settings such as { max_iterations: 3 }')

/** A text alone is a goal. */
const asTask = (value: unknown): unknown => (typeof value === 'string' ? { goal: value } : value)

const schema = z.strictObject(
  {
    tasks: z.array(z.preprocess(asTask, task), 'a list of tasks').min(1, 'a list of tasks, with at least one in it'),
    iteration_control: control.optional(),
  },
  'a list of tasks, or a map with "tasks"',
)

type RawControl = z.output<typeof control>

/** Reads the text of a YAML file of tasks: a list, or a map with `tasks` and `iteration_control`. Every problem is a line of one error. */
export function parseTasks(text: string, file: string): DraftList {
  const document = parseDocument(text, { lineCounter: new LineCounter(), prettyErrors: false })
  const syntax = syntaxProblems(document, text)
  refuse(text, file, syntax)
  const { given, isList } = plainValue(document, text, file)
  const { data, error } = schema.safeParse(given)
  const problems = [...problemsOf(error?.issues ?? [], given, keysAt), ...sameIds(given)]
  const placed = problems.map((problem) => {
    // In a bare list the tasks stand at the top.
    const path = isList ? problem.path.slice(1) : problem.path
    return { offset: offsetOf(document, { ...problem, path }), message: problem.message }
  })
  refuse(text, file, placed)
  if (!data) throw new PawlError('config.tasks', `${file} holds no tasks.`, { value: file })
  const drafts = data.tasks.map(({ id, goal, type, ...own }): DraftTask => {
    const { maxIterations, feedbackMaxLength, ...rest } = controlOf(own)
    return {
      ...(id === undefined ? {} : { id }),
      goal: goal.trim(),
      ...(type === undefined ? {} : { type }),
      ...rest,
      ...(maxIterations === undefined ? {} : { iterationsMax: maxIterations }),
      ...(feedbackMaxLength === undefined ? {} : { feedbackLengthMax: feedbackMaxLength }),
    }
  })
  return { tasks: drafts, control: controlOf(data.iteration_control ?? {}) }
}

function plainValue(document: Document, text: string, file: string): { readonly given: unknown; readonly isList: boolean } {
  try {
    const value: unknown = document.toJS()
    return Array.isArray(value) ? { given: { tasks: value }, isList: true } : { given: value, isList: false }
  } catch (error) {
    // Aliases of aliases: a few lines that would fill the memory.
    return refuse(text, file, [{ offset: 0, message: `this cannot be read as YAML: ${(error as Error).message}` }]) as never
  }
}

function refuse(text: string, file: string, problems: readonly { readonly offset: number; readonly message: string }[]): void {
  if (problems.length === 0) return
  const lines = problems
    .toSorted((a, b) => a.offset - b.offset)
    .map(({ offset, message }) => `${file}:${textPlace(text, offset)}: ${message}`)
  throw new PawlError('config.tasks', lines.join('\n'), { value: file })
}

function keysAt([top, index]: readonly (string | number)[]): readonly string[] {
  if (top === undefined) return Object.keys(schema.shape)
  return Object.keys(top === 'tasks' && index !== undefined ? task.shape : control.shape)
}

function sameIds(given: unknown): readonly ConfigProblem[] {
  const tasks = (given as { readonly tasks?: unknown } | null)?.tasks
  if (!Array.isArray(tasks)) return []
  const ids = tasks.map((each) => (each as { readonly id?: unknown } | null)?.id)
  return ids.flatMap((id, index) => {
    if (typeof id !== 'string' || ids.indexOf(id) === index) return []
    const message = `another task is called ${JSON.stringify(id)} too; give each a name of its own`
    return [{ path: ['tasks', index, 'id'], message }]
  })
}

function controlOf(raw: RawControl): TaskControl {
  return {
    ...(raw.max_iterations === undefined ? {} : { maxIterations: raw.max_iterations }),
    ...(raw.auto_retry_on_test_fail === undefined ? {} : { autoRetryOnTestFail: raw.auto_retry_on_test_fail }),
    ...(raw.auto_retry_on_review_reject === undefined ? {} : { autoRetryOnReviewReject: raw.auto_retry_on_review_reject }),
    ...(raw.escalation_includes_diff === undefined ? {} : { escalationIncludesDiff: raw.escalation_includes_diff }),
    ...(raw.feedback_max_length === undefined ? {} : { feedbackMaxLength: raw.feedback_max_length }),
  }
}
