import { type BaseIssue, type GenericSchema, type InferOutput, safeParse } from 'valibot'
import { didYouMean } from '../core/names.ts'
import { PawlError } from '../core/pawl-error.ts'
import { isRecorded } from '../core/run-config.ts'
import { fileFormOf } from './file-kinds.ts'
import { dottedPath, isUnknownKey, keysOf, namesOf, type Path, pathOf, wantedBy } from './schema-at.ts'

/** The values that a schema lets through, with its defaults. */
export type { InferOutput }

/** What `settings(…)` makes: a schema of an object with its entries. */
export type SettingsSchema = GenericSchema & { readonly entries: Readonly<Record<string, GenericSchema>> }

/**
 * The options of a part, with its defaults for those left out. Refuses an option that the part doesn't have, one that is missing, and a
 * value of another kind: a misspelled limit would limit nothing. Settings that a run recorded are taken as they are. With a `place` such
 * as `agent.command`, a wrong value has a code of its own: `agent.command.timeout`.
 */
export function readOptions<Schema extends SettingsSchema>(
  owner: string,
  schema: Schema,
  options: unknown,
  place?: string,
): InferOutput<Schema> {
  return isRecorded(options) ? recordedOptions(schema, options as object) : readUnrecorded(owner, schema, options, place)
}

/** The same for a value that isn't recorded, of any schema for a map. */
export function readUnrecorded<Schema extends GenericSchema>(
  owner: string,
  schema: Schema,
  value: unknown,
  place?: string,
): InferOutput<Schema> {
  const { success, output, issues } = safeParse(schema, value)
  if (success) return output
  throw problem(owner, schema, issues.find(isUnknownKey) ?? issues[0], { place })
}

/** What a caller from outside this process gave, read like options. The error names up to three problems, a line each. */
export function readArguments<Schema extends SettingsSchema>(owner: string, schema: Schema, given: unknown): InferOutput<Schema> {
  const { success, output, issues } = safeParse(schema, given)
  if (success) return output
  const sorted = issues.toSorted((one, other) => Number(isUnknownKey(other)) - Number(isUnknownKey(one)))
  const problems = sorted.slice(0, PROBLEMS_MAX).map((issue) => problem(owner, schema, issue, { noun: 'argument' }).message)
  throw new PawlError('usage.arguments', problems.join('\n'), { value: given })
}

const PROBLEMS_MAX = 3

/** Refuses a value that is not of the kind, and one that is missing. */
export function requireKind(owner: string, name: string, value: unknown, kind: GenericSchema): void {
  if (value === undefined) throw missing(owner, name, wantedBy(kind))
  const { issues } = safeParse(kind, value)
  if (issues) throw wrong(owner, name, issues[0])
}

/** A run of another version of Pawl may have recorded settings that this one doesn't have. */
function recordedOptions<Schema extends SettingsSchema>({ entries }: Schema, options: object): InferOutput<Schema> {
  const given = options as Readonly<Record<string, unknown>>
  const values = Object.entries(entries).map(([name, entry]) => [
    name,
    given[name] ?? (entry as { readonly default?: unknown }).default,
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function problem(
  owner: string,
  schema: GenericSchema,
  issue: BaseIssue<unknown>,
  { noun = 'option', place }: { readonly noun?: string; readonly place?: string | undefined } = {},
): PawlError {
  const path = pathOf(issue)
  if (path.length === 0) {
    const names = keysOf(schema).join(', ')
    const sentence = `${owner} takes an object with its ${noun}s (${names}), not ${valueWords(issue.input)}.`
    return new PawlError('setting.invalid', sentence, { value: issue.input })
  }
  if (isUnknownKey(issue)) return unknown(owner, path, namesOf(issue), noun)
  if (issue.input === undefined) return missing(owner, dottedPath(path), issue.message)
  return wrong(owner, dottedPath(path), issue, place === undefined ? undefined : `${place}.${keyInFile(schema, String(path[0]))}`)
}

function keyInFile(schema: GenericSchema, name: string): string {
  const entry = (schema as Partial<SettingsSchema>).entries?.[name]
  return (entry && fileFormOf(entry).name) ?? name
}

function unknown(owner: string, path: Path, names: readonly string[], noun: string): PawlError {
  const [key, above] = [String(path.at(-1)), path.slice(0, -1)]
  const whose = above.length === 0 ? owner : `${owner}: ${dottedPath(above)}`
  const sentence = `${whose} has no ${noun} "${key}"${didYouMean(key, names)}`
  return new PawlError('setting.unknown', sentence.endsWith('?') ? sentence : `${sentence}.`, { value: key })
}

function missing(owner: string, name: string, wanted: string): PawlError {
  return new PawlError('setting.missing', `${owner} needs ${name}: ${wanted}.`)
}

function wrong(owner: string, name: string, { message, input }: BaseIssue<unknown>, code = 'setting.invalid'): PawlError {
  // A phrase says what is expected, a sentence what is wrong.
  const sentence = message.endsWith('.') ? `${name}: ${message}` : `${name} must be ${message}, not ${valueWords(input)}.`
  return new PawlError(code, `${owner}: ${sentence}`, { value: input })
}

function valueWords(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${[...new Set(value.map(valueWords))].join(', ')}`
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()}…` : text
}

const SHOWN_LENGTH_MAX = 80
