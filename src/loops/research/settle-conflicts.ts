import type { AnswerResolution } from './agent-answer.ts'
import type { ConflictResolution } from './conflict.ts'
import { isVerified } from './finding.ts'
import type { PendingAnswer, ResearchProgress } from './research-progress.ts'

export interface Settled {
  readonly resolved: readonly (ConflictResolution & { readonly conflict: string })[]
  /** Resolutions that could not be used, and why. */
  readonly notes: readonly string[]
}

/** What agents say of conflicts they were to settle. A resolution counts only with a citation that was verified. */
export function settleConflicts(
  { conflicts }: Pick<ResearchProgress, 'conflicts'>,
  answers: readonly PendingAnswer[],
  iteration: number,
): Settled {
  const resolved: Settled['resolved'][number][] = []
  const notes: string[] = []
  for (const pending of answers.toSorted((one, other) => one.index - other.index)) {
    const { answer, agent } = pending
    for (const [index, resolution] of answer.resolutions.entries()) {
      const { conflict, keep, reason } = resolution
      const trouble = troubleWith(resolution, conflicts, resolved) ?? evidenceTrouble(pending, index)
      if (trouble === undefined) resolved.push({ conflict, keep, reason, agent, iteration })
      else notes.push(`The resolution of ${conflict} by ${agent} does not count: ${trouble}.`)
    }
  }
  return { resolved, notes }
}

function troubleWith(
  { conflict: id, keep }: AnswerResolution,
  conflicts: ResearchProgress['conflicts'],
  resolved: readonly { readonly conflict: string }[],
): string | undefined {
  const conflict = conflicts.find((each) => each.id === id)
  if (!conflict) return 'there is no such conflict'
  if (conflict.resolution || resolved.some((each) => each.conflict === id)) return 'it was settled before'
  const choices = ['both', 'neither', ...conflict.sides.map(({ finding }) => finding)]
  return choices.includes(keep) ? undefined : `"keep" must be one of ${choices.join(', ')}`
}

function evidenceTrouble({ answer, citations }: PendingAnswer, index: number): string | undefined {
  const of = answer.findings.length + index
  return citations.some((citation) => citation.of === of && isVerified(citation)) ? undefined : 'it has no verified citation'
}
