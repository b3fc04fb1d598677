/**
 * What an iteration is. `attempts`: each tries the whole task. `turns`: each is one action and what came back. `steps`: the single calls
 * of a long session. `optimize`: each tries for a better number, and there is no success. Figures are never pooled over kinds.
 */
export type LoopKind = 'attempts' | 'turns' | 'steps' | 'optimize'

/** All kinds, in the order in which they are reported. */
export const LOOP_KINDS: readonly LoopKind[] = ['attempts', 'turns', 'steps', 'optimize']

/** A loop that somebody recorded: the signals of every iteration and how it ended. One line of a recordings file. */
export interface RecordedLoop {
  readonly dataset: string
  readonly id: string
  /** Loops at the same task are not independent of each other: intervals are drawn by task. */
  readonly task: string
  readonly config: string
  readonly model: string | null
  readonly agent: string
  readonly kind: LoopKind
  readonly max_iterations: number | null
  readonly outcome: 'solved' | 'failed' | null
  /** The iteration that brought the success: stopping before it loses it. */
  readonly solved_at: number | null
  readonly exit: string | null
  readonly iterations: readonly RecordedIteration[]
  readonly x?: Readonly<Record<string, unknown>>
}

/** What is known of one iteration; `null` was not recorded. The `_sha` are of the whole text, where the text itself may be cut. */
export interface RecordedIteration {
  readonly n: number
  readonly passed: boolean | null
  readonly score: number | null
  readonly error: string | null
  readonly action: string | null
  readonly solution: string | null
  readonly tokens: number | null
  readonly cost: number | null
  readonly error_sha?: string
  readonly action_sha?: string
  readonly solution_sha?: string
  readonly output_sha?: string
  readonly output?: string | null
  readonly x?: Readonly<Record<string, unknown>>
}
