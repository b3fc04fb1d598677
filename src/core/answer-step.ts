import { concluded, recordStep } from './conclude.ts'
import type { Effect } from './effect.ts'
import type { Fact } from './event.ts'
import { outcomeOf } from './outcome.ts'
import { finishFacts } from './judge.ts'
import type { Loop } from './loop.ts'
import type { State } from './state.ts'
import type { Step } from './step.ts'

/** What follows while a question stands: what a person's answer says, or more waiting. */
export function answerStep(loop: Loop, state: State, workspace: Effect | undefined): Step {
  const { answer } = state
  switch (answer?.kind) {
    case 'approve':
    case 'reject':
      return reviewStep(state, answer)
    case 'accept': {
      if (workspace) return { kind: 'perform', effects: [workspace] }
      return { kind: 'record', facts: finishFacts(loop, state, `Accepted by a person: ${answer.label}`, answer.seq) }
    }
    case 'abort':
      return recordStep(state, 'run.aborted', { reason: `Chosen by a person: ${answer.label}` }, answer.seq)
    default:
      return state.status === 'escalated' ? { kind: 'wait', for: 'person' } : { kind: 'end', outcome: outcomeOf(state) }
  }
}

/** The verdict is about the tree that was shown; what was changed since is looked at next, and checked again. */
function reviewStep(state: State, answer: NonNullable<State['answer']>): Step {
  const { key = '', name = 'review' } = state.question?.review ?? {}
  const note = answer.note ?? 'Rejected without a note.'
  const isApproved = answer.kind === 'approve'
  const data = {
    key,
    name,
    tree: state.tree?.tree ?? '',
    durationMs: 0,
    failures: isApproved ? [] : [{ id: name, kind: 'review', severity: 'major', message: note } as const],
    ...(answer.note === undefined ? {} : { summary: answer.note }),
  }
  const type = isApproved ? 'review.approved' : 'review.rejected'
  const fact: Fact = concluded(state, { role: 'person' }, type, data, answer.seq)
  return { kind: 'record', facts: [fact] }
}
