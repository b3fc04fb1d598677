import { matchesGlob } from 'node:path'
import type { FileChange } from '../core/event-data.ts'
import type { Suspicion } from '../core/suspicion.ts'

/** Edits to files that the agent must not touch. */
export function protectedEdits(files: readonly FileChange[], globs: readonly string[], _diff: string): readonly Suspicion[] {
  const all = ['pawl.yaml', '.pawl/**', ...globs]
  return files
    .filter(({ path }) => all.some((glob) => matchesGlob(path, glob)))
    .map(({ path, change }) => ({ kind: 'protected', file: path, text: change }))
}
