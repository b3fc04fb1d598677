import { PROOF_LEVELS } from '../core/proof.ts'
import type { ProofConfig } from '../core/run-config.ts'
import { inFiles } from '../schema/file-kinds.ts'
import { type EntriesOf, listOf, notBlank, oneOf, optional, settingsSchema } from '../schema/kinds.ts'

const TEST_GLOBS = listOf('a list of globs such as [spec/**, "!spec/lib/**"]', notBlank('a glob such as spec/**'))
const GLOBS = listOf('a list of globs such as [test/login/**]', notBlank('a glob such as test/login/**'))

/** How a success is proved: the keys of pawl.yaml, the flags and the library's option. */
export const PROOF_SETTINGS = settingsSchema(
  {
    tests: optional(
      inFiles(TEST_GLOBS, { byDefault: 'those that Pawl finds', example: 'tests: ["checks/**", "!test/tools/**"]' }),
      'Files on the test side, besides those that Pawl finds; `!` takes files out again. `pawl doctor` lists them',
    ),
    mayChange: optional(
      inFiles(GLOBS, {
        byDefault: 'none',
        flag: '--may-change <glob>',
        flagAbout: 'tests that the agent may change',
        flags: '`--may-change` replaces all of them',
        example: 'may_change: ["test/login/**"]',
      }),
      'Tests that the agent may change: their new version counts',
    ),
    require: optional(
      inFiles(oneOf(PROOF_LEVELS), {
        name: 'require_proof',
        byDefault: 'reviewed',
        flag: '--require-proof <level>',
        flags: '`--require-proof`; `--accept-unproven` is `require_proof: unproven`',
        example: 'require_proof: red-to-green',
      }),
      'The weakest proof that counts as done; Pawl asks you about any weaker one',
    ),
  } satisfies EntriesOf<ProofConfig>,
  'a map such as { require: red-to-green }',
)
