import type { TextRef } from '../../../core/event-data.ts'
import type { Instant } from '../../../core/event.ts'
import type { State } from '../../../core/state.ts'
import type { OutputReader } from './attempt-facts.ts'
import type { CheckDocument } from './check-document.ts'
import type { DecisionDocument } from './decision-document.ts'
import { judgeAttempt } from './judge-attempt.ts'

/**
 * Judges document after document and keeps nothing but the states: those with the same `task_id` are its attempts in order, and a
 * task that proceeded begins anew. `refTo` names a text by its hash.
 */
export function passingAttempts(
  read: OutputReader,
  refTo: (text: string) => TextRef,
): (document: CheckDocument, at: Instant) => DecisionDocument {
  const tasks = new Map<string, State>()
  return (document, at) => {
    const { task_id, test_result, diff } = document.iteration_check
    const known = tasks.get(task_id)
    const before = known?.status === 'completed' ? undefined : known
    const refs = {
      ...(test_result.output ? { output: refTo(test_result.output) } : {}),
      ...(diff ? { diff: refTo(diff) } : {}),
    }
    const { state, decision } = judgeAttempt('check', before, { document, at, ...refs }, read)
    tasks.set(task_id, state)
    return decision
  }
}
