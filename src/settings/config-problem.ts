import type { z } from 'zod'
import { didYouMean } from '../core/nearest-name.ts'

/** One thing that is wrong in a file, and where: at the value under `path`, or at its key. */
export interface ConfigProblem {
  readonly path: readonly (string | number)[]
  readonly at?: 'key'
  /** A sentence or a part of one, without the place. */
  readonly message: string
}

/** What zod found in a file, as sentences. `keysUnder` says which keys may stand in the map at a place. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  file: unknown,
  keysUnder: (path: ConfigProblem['path']) => readonly string[],
): readonly ConfigProblem[] {
  return issues.flatMap((issue): readonly ConfigProblem[] => {
    const path = issue.path as (string | number)[]
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, keysUnder(path)))
    if (issue.code === 'invalid_key') return [badAgentName(path)]
    if (issue.code === 'custom') return [{ path, message: issue.message }]
    return [wrongValue(path, issue.message, valueAt(file, path))]
  })
}

function unknownKey(path: ConfigProblem['path'], key: string, keys: readonly string[]): ConfigProblem {
  return { path: [...path, key], at: 'key', message: `unknown key ${JSON.stringify(key)}${didYouMean(key, keys)}` }
}

function badAgentName(path: ConfigProblem['path']): ConfigProblem {
  const name = JSON.stringify(path.at(-1))
  return { path, at: 'key', message: `${name} cannot be the name of an agent: use letters, digits, ".", "_" and "-"` }
}

function wrongValue(path: ConfigProblem['path'], expected: string, value: unknown): ConfigProblem {
  if (value === undefined) return { path: path.slice(0, -1), message: `${named(path)} is missing: it must be ${expected}` }
  if (value === null) return { path, message: `nothing stands after ${named(path)}: write ${expected}, or take the key out` }
  return { path, message: `${named(path)} must be ${expected}, not ${shown(value)}` }
}

/** `"timeout"`, or `item 2 of "checks"`. */
function named(path: ConfigProblem['path']): string {
  const last = path.at(-1)
  return typeof last === 'number' ? `item ${last + 1} of ${named(path.slice(0, -1))}` : JSON.stringify(last)
}

function valueAt(file: unknown, path: ConfigProblem['path']): unknown {
  return path.reduce<unknown>((owner, key) => (owner as Record<string | number, unknown> | null | undefined)?.[key], file)
}

/** What stands there, in words for people. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'an empty text' : `the text ${JSON.stringify(shortened(value))}`
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return typeof value === 'object' ? 'a map' : String(value)
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text
}
