import { PROOF_LEVELS } from '../core/proof.ts'
import type { ProofConfig } from '../core/run-config.ts'
import { type EntriesOf, oneOf, optional, settingsSchema, TEXTS } from '../schema/kinds.ts'

/** How a success is proved, as a program may set it. */
export const PROOF_SETTINGS = settingsSchema({
  tests: optional(TEXTS, 'Globs of files on the test side, besides those that Pawl finds; `!` takes files out again.'),
  mayChange: optional(TEXTS, 'Globs of tests that the agent may change.'),
  require: optional(oneOf(PROOF_LEVELS), 'The weakest proof that counts as done.'),
} satisfies EntriesOf<ProofConfig>)
