import type { FileChange } from '../core/event-data.ts'
import { counted, thousands } from '../core/wording.ts'

/** "3 files (a.js, b.js and 1 more)". `count` where more there were than are named here. */
export function filesWords(files: readonly FileChange[], count = files.length): string {
  const names = files.slice(0, count > NAMES_MAX ? NAMES_MAX - 1 : NAMES_MAX).map(({ path }) => path)
  const more = count > names.length ? ` and ${thousands(count - names.length)} more` : ''
  return `${counted(count, 'file')} (${names.join(', ')}${more})`
}

const NAMES_MAX = 3
