import type { FileChange } from './event-data.ts'
import { counted, thousands } from './wording.ts'

/** "3 files (a.js, b.js and 1 more)". `count` where more there were than are named here. */
export function filesWords(files: readonly FileChange[], count = files.length): string {
  return `${counted(count, 'file')} (${named(files, count, ({ path }) => path)})`
}

/** "3 files: a.js, b.js (removed) and 1 more". */
export function changesWords(files: readonly FileChange[]): string {
  return `${counted(files.length, 'file')}: ${named(files, files.length, markedName)}`
}

function markedName({ path, change }: FileChange): string {
  return change === 'deleted' ? `${path} (removed)` : path
}

function named(files: readonly FileChange[], count: number, name: (file: FileChange) => string): string {
  const names = files.slice(0, count > NAMES_MAX ? NAMES_MAX - 1 : NAMES_MAX).map(name)
  return `${names.join(', ')}${count > names.length ? ` and ${thousands(count - names.length)} more` : ''}`
}

const NAMES_MAX = 3
