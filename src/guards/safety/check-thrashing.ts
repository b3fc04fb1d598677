import { wholeNumber } from '../../schema/kinds.ts'
import { requireKind } from '../../schema/read-options.ts'
import type { IterationHistoryEntry } from './iteration-history-entry.ts'

export interface ThrashingResult {
  readonly thrashing: boolean
  /** Files changed too often, in the order they first came up. */
  readonly affectedFiles: readonly string[]
  /** Only when there are some. */
  readonly message?: string
}

/** Holds when a file was changed in `threshold` iterations (default 5) or more. A file counts once an iteration. */
export function checkThrashing(iterationHistory: readonly IterationHistoryEntry[], threshold = 5): ThrashingResult {
  requireKind('checkThrashing', 'threshold', threshold, wholeNumber(1))
  const counts = new Map<string, number>()
  for (const path of iterationHistory.flatMap((entry) => [...filesOf(entry)])) counts.set(path, (counts.get(path) ?? 0) + 1)
  const affectedFiles = [...counts].filter(([, count]) => count >= threshold).map(([path]) => path)
  if (affectedFiles.length === 0) return { thrashing: false, affectedFiles }
  const message = `Thrashing detected: ${affectedFiles.length} file(s) modified ${threshold}+ times without progress: ${affectedFiles.join(', ')}`
  return { thrashing: true, affectedFiles, message }
}

/** What the workspace reports, and what messages name as `file: path`. */
function filesOf({ filesModified = [], validationResult: { flags = [] } = {} }: IterationHistoryEntry): ReadonlySet<string> {
  const named = flags.flatMap(({ message }) =>
    [...message.matchAll(FILE)].map((match) => (match[2] ?? match[3] ?? '').replace(AFTER, '')),
  )
  return new Set([...filesModified, ...named.filter((path) => path !== '')])
}

/** A name in quotes is taken whole, blanks and all. */
const FILE = /\bfile:\s*(?:(["'`])([^"'`\n]+)\1|["'`(]?([^\s"'`,;)]+))/gi

/** A place in the file (`:12:3`) and the end of a sentence are no part of a path. */
const AFTER = /(?::\d+)*[.:!?]*$/
