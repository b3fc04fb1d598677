import type { IterationSummary, State } from './state.ts'

/**
 * Whether the agent left every file as it was in an attempt. Where nobody could look at its files, no file is known to be changed but
 * the tree is another one: that is not nothing.
 */
export function isUntouched({ isReadOnly }: State, summary: IterationSummary): boolean {
  return summary.isUntouched === true && !isReadOnly
}
