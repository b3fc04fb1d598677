import type { Check } from './check.ts'
import { byDefault, LINE, settingsSchema } from '../schema/kinds.ts'
import { readOptions } from '../schema/read-options.ts'

/**
 * A person as the reviewer: the run waits for `pawl answer RUN approve` or `reject`. The loop asks; there is nothing to run.
 *
 * @part person-review
 */
export function personReview(options: { readonly name?: string } = {}): Check {
  const { name } = readOptions('personReview', OPTIONS, options)
  return {
    name,
    isReview: true,
    spec: { name: 'person-review', v: 1, settings: { name, review: 'person' } },
    run: async () => ({
      status: 'errored',
      fault: 'config',
      message: `The check "${name}" is a person, and this loop does not ask people for reviews.`,
      fix: 'Use the task loop, or an agent as the reviewer.',
    }),
  }
}

const OPTIONS = settingsSchema({ name: byDefault(LINE, 'review', 'What people call the check') })
