import type { Question } from '../core/question.ts'

export interface Answer {
  /** An option's `choice`, or its number from 1 as text. */
  readonly choice: string
  /** Guidance for the agent, in the person's words. */
  readonly note?: string
}

/** Someone who may be asked right now. `undefined` means: not now, the question stays open. */
export interface Person {
  ask(run: string, question: Question, signal: AbortSignal): Promise<Answer | undefined>
}
