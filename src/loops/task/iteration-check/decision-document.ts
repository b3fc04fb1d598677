import type { Event } from '../../../core/event.ts'
import { feedbackFrom } from '../../shared/feedback.ts'
import { PawlError } from '../../../core/pawl-error.ts'
import type { Question } from '../../../core/question.ts'
import type { State } from '../../../core/state.ts'
import type { IterationCheck } from './check-document.ts'

/** What follows from one iteration of a task, as it is in a file: what `pawl check` and `iterationCheck` give. */
export interface DecisionDocument {
  readonly decision:
    | { readonly action: 'proceed'; readonly task_id: string; readonly message: string }
    | {
        readonly action: 'retry'
        readonly task_id: string
        /** The number of the iteration to come. */
        readonly iteration: number
        readonly feedback: {
          readonly summary: string
          readonly actionable_items: readonly string[]
          readonly priority: 'high' | 'medium' | 'low'
        }
      }
    | {
        readonly action: 'escalate'
        readonly task_id: string
        readonly iteration: number
        readonly context: EscalationContext
        /** The question with its numbered options. */
        readonly question: string
      }
    | { readonly action: 'wait'; readonly task_id: string; readonly message: string; readonly waiting_for: 'review' }
}

export interface EscalationContext {
  /** A line for each attempt that is known. */
  readonly attempts_summary: string
  readonly pattern_detected: string
  /** What is in the way, consolidated over the attempts. */
  readonly feedback?: readonly string[]
  /** The last attempt's changes, where they are known and asked for. */
  readonly diff?: string
}

/** The decision that `events` lead to, for a caller. `state` is the state after them. */
export function decisionDocument(
  { task_id, current_iteration, diff }: IterationCheck,
  events: readonly Event[],
  state: State,
): DecisionDocument {
  const made = events.findLast((event) => event.type === 'decision.made')
  const question = state.question?.question
  // Also when a person took the work as it is, which no decision of the loop says.
  if (state.status === 'completed')
    return { decision: { action: 'proceed', task_id, message: 'Validation passed. Proceeding to next task.' } }
  switch (made?.data.action) {
    case 'retry':
      return { decision: { action: 'retry', task_id, iteration: current_iteration + 1, feedback: feedbackIn(state) } }
    case 'wait': {
      const message = 'Tests passed. Waiting for the review.'
      return { decision: { action: 'wait', task_id, message, waiting_for: 'review' } }
    }
    default: {
      if (!question) throw new PawlError('core.no-decision', `Task ${task_id} led to no decision; this is a defect of Pawl.`)
      const context = contextOf(question, diff)
      return { decision: { action: 'escalate', task_id, iteration: current_iteration, context, question: asked(question) } }
    }
  }
}

function feedbackIn(state: State): Extract<DecisionDocument['decision'], { action: 'retry' }>['feedback'] {
  const lengthMax = state.config.loop.settings['feedbackLengthMax']
  const { summary, items, priority } = feedbackFrom(state, typeof lengthMax === 'number' ? lengthMax : undefined)
  return { summary, actionable_items: items, priority }
}

function contextOf(question: Question, diff: string | null | undefined): EscalationContext {
  const { attempts, pattern, feedback = [] } = question
  return {
    attempts_summary: `${attempts.length === 0 ? 'No attempt has been completed.' : attempts.join('\n')}\n`,
    pattern_detected: pattern ?? 'No pattern is to be seen in the attempts known.',
    ...(feedback.length === 0 ? {} : { feedback }),
    ...(question.diff && diff ? { diff } : {}),
  }
}

function asked({ text, options }: Question): string {
  return `${[text, ...options.map(({ label }, index) => `${index + 1}. ${label}`)].join('\n')}\n`
}
