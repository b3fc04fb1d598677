import { textRef } from '../../journal/text-refs.ts'
import { type CheckDocument, requireDocument } from '../../loops/task/iteration-check/check-document.ts'
import type { DecisionDocument } from '../../loops/task/iteration-check/decision-document.ts'
import { passingAttempts } from '../../loops/task/iteration-check/judge-attempt.ts'
import { readTestOutput } from '../../registry/test-output.ts'

export type { CheckDocument, IterationCheck, IterationControl } from '../../loops/task/iteration-check/check-document.ts'
export type { DecisionDocument, EscalationContext } from '../../loops/task/iteration-check/decision-document.ts'

/**
 * Says what follows from an iteration of a task, `proceed`, `retry`, `escalate` or `wait`, by the same loop as every run. Several
 * documents with the same `task_id` are its attempts in order; a task that proceeded begins again with its next document. Throws
 * `usage.document` with everything that is wrong in a document.
 */
export function iterationCheck(document: CheckDocument): DecisionDocument
export function iterationCheck(documents: readonly CheckDocument[]): readonly DecisionDocument[]
export function iterationCheck(given: CheckDocument | readonly CheckDocument[]): DecisionDocument | readonly DecisionDocument[] {
  const decide = passingAttempts(readTestOutput, textRef)
  const decided = (document: CheckDocument, index: number): DecisionDocument => {
    requireDocument(document, index)
    return decide(document, Date.now())
  }
  return isSeveral(given) ? given.map(decided) : decided(given, 0)
}

function isSeveral(given: CheckDocument | readonly CheckDocument[]): given is readonly CheckDocument[] {
  return Array.isArray(given)
}
