import { type BaseIssue, type GenericSchema, type InferOutput, safeParse, type UnionIssue } from 'valibot'
import { didYouMean, nearestName } from '../core/names.ts'
import { dottedPath, isUnknownKey, namesOf, type Path, pathOf } from './schema-at.ts'

/** One thing that is wrong in a file, and where: at the value under `path`, or at its key. */
export interface FileProblem {
  readonly path: Path
  readonly at?: 'key'
  /** Whether the schema has no such key. */
  readonly isUnknown?: true
  /** A sentence or a part of one, without the place. */
  readonly message: string
}

/** Reads what is in a file, whatever its format: all problems at once, and the output as far as the value is right. */
export function readValue<Schema extends GenericSchema>(
  schema: Schema,
  value: unknown,
  whole = 'the file',
): { readonly output: InferOutput<Schema>; readonly problems: readonly FileProblem[] } {
  const { output, issues = [] } = safeParse(schema, value)
  return { output: output as InferOutput<Schema>, problems: issues.flatMap((issue) => problemsOf(issue, whole)) }
}

/** Something in an agent's answer that differs from the schema: its place (`findings[0].line`), what is wanted there, what was given. */
export interface Mismatch {
  readonly place: string
  readonly wanted: string
  readonly value: unknown
}

/** Reads an agent's answer: the output as far as the value is right, and what is wrong in it. */
export function mismatchesIn<Schema extends GenericSchema>(
  schema: Schema,
  value: unknown,
): { readonly output: InferOutput<Schema>; readonly mismatches: readonly Mismatch[] } {
  const { output, issues = [] } = safeParse(schema, value)
  const mismatches = issues.map((issue) => ({ place: dottedPath(pathOf(issue)), wanted: issue.message, value: issue.input }))
  return { output: output as InferOutput<Schema>, mismatches }
}

/** What to tell the agent of it. */
export function mismatchWords({ place, wanted, value }: Mismatch): string {
  const given = value === undefined ? 'missing' : (JSON.stringify(value) ?? typeof value)
  return `${place || 'the answer'} must be ${wanted}, not ${shortened(given)}`
}

function problemsOf(issue: BaseIssue<unknown>, whole: string, above: Path = []): readonly FileProblem[] {
  const path = [...above, ...pathOf(issue)]
  const inside = issuesInside(issue)
  if (inside.length > 0) return inside.flatMap((each) => problemsOf(each, whole, path))
  if (isUnknownKey(issue)) return [unknownKey(path, namesOf(issue))]
  if (issue.path?.at(-1)?.origin === 'key' && issue.type !== 'strict_object' && issue.type !== 'object')
    return [{ path, at: 'key', message: `${JSON.stringify(path.at(-1))} ${issue.message}` }]
  // A phrase says what is expected, a sentence what is wrong.
  if (issue.message.endsWith('.')) return [{ path, message: issue.message }]
  if (path.length === 0) return [{ path, message: `${whole} must be ${issue.message}, not ${valueWords(issue.input)}` }]
  return [wrongValue(path, issue)]
}

/** Of a value that fits no variant of a union: what is wrong in it, if one of the variants is for values of its type. */
function issuesInside(issue: BaseIssue<unknown>): readonly BaseIssue<unknown>[] {
  if (issue.type !== 'union' || Array.isArray(issue.input)) return []
  const { issues = [] } = issue as UnionIssue<BaseIssue<unknown>>
  return issues.filter(({ path, kind }) => path !== undefined || kind !== 'schema')
}

function unknownKey(path: Path, keys: readonly string[]): FileProblem {
  const key = String(path.at(-1))
  return { path, at: 'key', isUnknown: true, message: `unknown key ${JSON.stringify(key)}${didYouMean(key, keys)}` }
}

function wrongValue(path: Path, issue: BaseIssue<unknown>): FileProblem {
  const { message: expected, input: value } = issue
  if (value === undefined) return { path: path.slice(0, -1), message: `${placeWords(path)} is missing: it must be ${expected}` }
  if (value === null) return { path, message: `nothing stands after ${placeWords(path)}: write ${expected}, or take the key out` }
  const nearest = typeof value === 'string' ? nearestName(value, namesOf(issue)) : undefined
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`
  return { path, message: `${placeWords(path)} must be ${expected}, not ${valueWords(value)}${hint}` }
}

/** `"timeout"`, or `item 2 of "checks"`. */
function placeWords(path: Path): string {
  const last = path.at(-1)
  if (typeof last !== 'number') return JSON.stringify(last)
  return path.length === 1 ? `item ${last + 1}` : `item ${last + 1} of ${placeWords(path.slice(0, -1))}`
}

/** The value, in words for people. */
function valueWords(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${JSON.stringify(shortened(value))}`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return typeof value === 'object' ? 'a map' : String(value)
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}
