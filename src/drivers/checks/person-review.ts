import type { Check } from '../../ports/check.ts'

/** A person as the reviewer: the run waits for `pawl answer RUN approve` or `reject`. The loop asks; there is nothing to run. */
export function personReview({ name = 'review' }: { readonly name?: string } = {}): Check {
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
