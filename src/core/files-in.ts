import type { IterationSummary } from './state.ts'

/** The files that were changed in any of the iterations, each once, in the order in which they were first changed. */
export function filesIn(iterations: readonly IterationSummary[]): readonly string[] {
  const files = new Set<string>()
  for (const iteration of iterations) for (const file of iteration.files) files.add(file)
  return [...files]
}
