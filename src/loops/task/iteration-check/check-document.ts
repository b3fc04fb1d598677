import { PawlError } from '../../../core/pawl-error.ts'
import {
  FLAG,
  notBlank,
  oneOf,
  optional,
  optionalOrEmpty,
  settingsSchema,
  wholeNumber,
  wholeNumberBetween,
  WORDS,
} from '../../../schema/kinds.ts'
import { type FileProblem, readValue } from '../../../schema/read-value.ts'

/** What a caller says of one iteration of a task, as it is in a file: what `pawl check` and `iterationCheck` take. */
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

const TEXT_OR_EMPTY = optionalOrEmpty(WORDS)
const FROM_ONE = wholeNumber(1)

const CHECK_DOCUMENT = settingsSchema(
  {
    iteration_check: settingsSchema(
      {
        task_id: notBlank('a text that names the task'),
        current_iteration: wholeNumberBetween(
          1,
          Number.MAX_SAFE_INTEGER,
          'the number of iterations completed, a whole number from 1',
        ),
        max_iterations: optional(FROM_ONE),
        test_result: settingsSchema(
          { status: oneOf(['pass', 'fail', 'error']), output: TEXT_OR_EMPTY },
          'a map such as { status: pass }',
        ),
        review_result: optional(
          settingsSchema(
            { status: oneOf(['approve', 'reject', 'pending']), feedback: TEXT_OR_EMPTY },
            'a map such as { status: approve }',
          ),
        ),
        diff: TEXT_OR_EMPTY,
      },
      'a map with task_id, current_iteration and test_result',
    ),
    iteration_control: optional(
      settingsSchema(
        {
          max_iterations: optional(FROM_ONE),
          auto_retry_on_test_fail: optional(FLAG),
          auto_retry_on_review_reject: optional(FLAG),
          escalation_includes_diff: optional(FLAG),
          feedback_max_length: optional(FROM_ONE),
        },
        'a map of settings such as { max_iterations: 3 }',
      ),
    ),
  },
  'a map with "iteration_check"',
)

/** Everything that is wrong with a document; nothing if it is right. */
export function documentProblems(document: unknown): readonly FileProblem[] {
  return readValue(CHECK_DOCUMENT, document, 'a document').problems
}

/** Throws `usage.document` with everything that is wrong in a document; `index` counts from 0. */
export function requireDocument(document: unknown, index: number): asserts document is CheckDocument {
  const problems = documentProblems(document)
  if (problems.length === 0) return
  const lines = problems.map(
    ({ path, message }) => `document ${index + 1}${path.length === 0 ? '' : `, ${path.join('.')}`}: ${message}`,
  )
  throw new PawlError('usage.document', lines.join('\n'), { value: document })
}
