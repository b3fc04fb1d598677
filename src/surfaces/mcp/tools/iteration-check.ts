import { z } from 'zod'
import { PawlError } from '../../../core/pawl-error.ts'
import { textRef } from '../../../journal/text-ref.ts'
import type { CheckDocument } from '../../../loops/task/iteration-check/check-document.ts'
import { documentProblems } from '../../../loops/task/iteration-check/document-problems.ts'
import { passingAttempts } from '../../../loops/task/iteration-check/passing-attempts.ts'
import { readTestOutput } from '../../../registry/test-output.ts'
import { anyMap } from '../iteration-config.ts'
import { tool } from '../tool.ts'

const input = z.object({
  iteration_check: anyMap.describe(
    '{task_id, current_iteration, max_iterations?, test_result {status pass|fail|error, output?}, review_result? {status approve|reject|pending, feedback?}, diff?}',
  ),
  iteration_control: anyMap
    .optional()
    .describe(
      '{max_iterations?, auto_retry_on_test_fail?, auto_retry_on_review_reject?, escalation_includes_diff?, feedback_max_length?}',
    ),
  earlier: z
    .array(z.object({ iteration_check: anyMap, iteration_control: anyMap.optional() }))
    .max(100)
    .optional()
    .describe('The attempts before this one, in order, so that an escalation can tell of them.'),
})

/** Says what follows from an iteration that the caller ran and tested itself. Nothing is kept. */
export const iterationCheck = tool({
  name: 'iteration_check',
  title: 'Decide on one iteration',
  description:
    'For loops of your own: takes what the tests and the review of one iteration said and decides proceed, retry (with feedback), escalate (with a question) or wait. Keeps nothing.',
  isReadOnly: true,
  input,
  output: z.object({ decision: anyMap }),
  call: async ({ earlier = [], ...document }) => {
    const documents = [...earlier, document].map(requireDocument)
    const decide = passingAttempts(readTestOutput, textRef)
    const [last] = documents.map((each) => decide(each, Date.now())).slice(-1)
    return { decision: { ...last?.decision } }
  },
})

function requireDocument(given: unknown, index: number): CheckDocument {
  // What was left out is not there at all: a field without a value would be a problem.
  const document = JSON.parse(JSON.stringify(given)) as CheckDocument
  const problems = documentProblems(document)
  if (problems.length === 0) return document
  const told = problems.map(({ path, message }) => `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`)
  throw new PawlError('usage.document', `Document ${index + 1}: ${told.join('; ')}.`, { value: document })
}
