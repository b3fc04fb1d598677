import { currentItem } from './plan.ts'
import type { Allowance, Option, Raise } from './question.ts'
import type { State } from './state.ts'

/** The option, with one sentence on what happens after it is chosen. */
export function followedBy(option: Option, then: string): Option {
  // oxlint-disable-next-line unicorn/no-thenable -- a sentence, which nobody can call
  return { ...option, then }
}

export interface GoOn {
  readonly choice?: string
  readonly label?: string
  /** What the person's choice tells the agent, from now on. */
  readonly guidance?: string
  /** What the choice lets the agent do: whoever asks for a change of a test is not asked about it again. */
  readonly allows?: readonly Allowance[]
  /** How the next attempt differs: "and is told that both must pass". */
  readonly how?: string | undefined
}

/** Go on: `guidance` is told to the agent, `raises` lift the limits that tripped. Recommended. */
export function goOn(raises: readonly Raise[], { choice = 'continue', label, guidance, allows, how }: GoOn = {}): Option {
  const limits = raises.map((raise) => raise.label).join(' and ')
  const option: Option = {
    choice,
    label: label ?? (limits === '' ? 'Go on' : `Go on, with ${limits}`),
    consequence: {
      kind: 'continue',
      raises,
      ...(allows === undefined ? {} : { allows }),
      ...(guidance === undefined ? {} : { guidance }),
    },
    recommended: true,
  }
  const words = ['The agent tries again', ...(limits === '' ? [] : [`with ${limits}`]), ...(how === undefined ? [] : [how])]
  return followedBy(option, `${words.join(', ')}.`)
}

/** The same, as one of several ways and not the recommended one. */
export function another(option: Option): Option {
  const { recommended: _first, ...rest } = option
  return rest
}

/** Take what is there. */
export function accept({ plan, current }: State, label = 'Accept the work as it is'): Option {
  const isLast = !plan || !currentItem(plan) || plan.index === plan.items.length - 1
  const then = isLast
    ? `The run is completed as it stands${current.ended?.verdict.passed ? '' : ', failing checks and all'}.`
    : 'This task counts as done as it stands, and the next task begins.'
  return followedBy({ choice: 'accept', label, consequence: { kind: 'accept' } }, then)
}

/** Give it up. */
export const ABORT: Option = followedBy(
  { choice: 'abort', label: 'End the run here', consequence: { kind: 'abort' } },
  'The run ends without success; the files stay as they are now.',
)
