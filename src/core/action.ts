/** One call of a tool by an agent, as far as it matters whether it is the same again. */
export interface Action {
  readonly name: string
  /** Digest of its input; equal inputs have equal digests. */
  readonly input: string
  /** Digest of its result; absent while there is none, and then it equals no other. */
  readonly result?: string
  /** Set for tools that wait for something: to call them again is what they are for. */
  readonly isWaiting?: true
  /** The input in short, for people. */
  readonly label?: string
}

/** How many actions one event carries. */
export const ACTIONS_KEPT_MAX = 200
