import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The top of a folder, as far as finding out about it needs. What cannot be read counts as not there. */
export interface FolderView {
  has(...names: readonly string[]): boolean
  /** Whether a name of the folder, or of a folder in it, fits. */
  hasLike(pattern: RegExp, below?: string): boolean
  /** The names that fit, of the folder or of a folder in it. */
  namesLike(pattern: RegExp, below?: string): readonly string[]
  /** Empty when there is no such file. */
  text(name: string): string
  /** An empty map when the file is not there or no JSON map. */
  json(name: string): Readonly<Record<string, unknown>>
}

/** Looks at a folder without changing anything. */
export function viewFolder(folder: string): FolderView {
  const names = (below = '') => attempt(() => readdirSync(join(folder, below)), [])
  const top = new Set(names())
  const text = (name: string) =>
    attempt(() => (statSync(join(folder, name)).size <= BYTES_MAX ? readFileSync(join(folder, name), 'utf8') : ''), '')
  return {
    has: (...wanted) => wanted.some((name) => top.has(name)),
    hasLike: (pattern, below) => names(below).some((name) => pattern.test(name)),
    namesLike: (pattern, below) => names(below).filter((name) => pattern.test(name)),
    text,
    json: (name) => {
      const value: unknown = attempt(() => JSON.parse(text(name)), undefined)
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    },
  }
}

/** More than any file that says how a project is tested. */
const BYTES_MAX = 1024 * 1024

function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read()
  } catch {
    // A file that cannot be read says nothing; whoever needs it will say so.
    return otherwise
  }
}
