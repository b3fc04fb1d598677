/** What a caller says of one iteration of a task, as it stands in a file: what `pawl check` and `iterationCheck` take. */
export interface CheckDocument {
  readonly iteration_check: IterationCheck
  /** What it leaves out stays as the task's document before it had it, else as it is by default. */
  readonly iteration_control?: IterationControl
}

export interface IterationCheck {
  readonly task_id: string
  /** The number of iterations completed, counted from 1. */
  readonly current_iteration: number
  /** Goes before that of `iteration_control`. Default 3: three iterations. */
  readonly max_iterations?: number
  /** `error`: the tests could not be run, which says nothing about the work. */
  readonly test_result: { readonly status: 'pass' | 'fail' | 'error'; readonly output?: string | null }
  /** Without one nobody reviews, and passing tests suffice. */
  readonly review_result?: { readonly status: 'approve' | 'reject' | 'pending'; readonly feedback?: string | null }
  /** What the iteration changed, as a patch. */
  readonly diff?: string | null
}

export interface IterationControl {
  /** Default 3. */
  readonly max_iterations?: number
  /** Default true; a person is asked otherwise. */
  readonly auto_retry_on_test_fail?: boolean
  /** Default true; a person is asked otherwise. */
  readonly auto_retry_on_review_reject?: boolean
  /** Default true. */
  readonly escalation_includes_diff?: boolean
  /** How many characters of items feedback has. Default 500. */
  readonly feedback_max_length?: number
}
