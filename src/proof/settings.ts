import { PROOF_LEVELS } from '../core/proof.ts'
import { FLAKY_POLICIES, type PrepareStep, type ProofConfig } from '../core/run-config.ts'
import { COMMAND_TEXT, FOLDER, timeoutKind, VARIABLES_PASSED_ON } from '../process/command-option-kinds.ts'
import { fileEntries, inFiles, settingsFromFile } from '../schema/file-kinds.ts'
import {
  eitherOf,
  type EntriesOf,
  listOf,
  needed,
  notBlank,
  oneOf,
  optional,
  readAs,
  settingsSchema,
  TEXT,
} from '../schema/kinds.ts'

const TEST_GLOBS = listOf('a list of globs such as [spec/**, "!spec/lib/**"]', notBlank('a glob such as spec/**'))
const GLOBS = listOf('a list of globs such as [test/login/**]', notBlank('a glob such as test/login/**'))

const STEP_WORDS = 'a command such as "npm ci", or { command: npm ci, unless: node_modules }'

/** A command of `prepare`. */
export const PREPARE_STEP = settingsSchema(
  {
    command: needed(COMMAND_TEXT, 'The command; a text is run by `/bin/sh`'),
    unless: optional(
      inFiles(FOLDER, { byDefault: 'it always runs' }),
      'What it makes: if that is already there, it does not run',
    ),
    cwd: optional(inFiles(FOLDER, { byDefault: 'the project' }), 'The folder it runs in; `unless` begins there too'),
    timeoutMs: optional(timeoutKind('10m'), 'How long it may take'),
    environment: optional(
      inFiles(VARIABLES_PASSED_ON, { byDefault: 'none' }),
      'Environment variables that it gets, by name; `MY_*` means all with that prefix',
    ),
  } satisfies EntriesOf<PrepareStep>,
  STEP_WORDS,
)

const STEPS_WORDS = 'a list of commands such as ["npm ci"]'

/** In files a text is enough. */
const STEPS_TEXT = listOf(
  STEPS_WORDS,
  readAs(eitherOf(STEP_WORDS, TEXT, settingsSchema(fileEntries(PREPARE_STEP.entries), STEP_WORDS)), (step): unknown =>
    typeof step === 'string' ? { command: step } : settingsFromFile(PREPARE_STEP.entries, step),
  ),
)

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
    flaky: optional(
      inFiles(oneOf(FLAKY_POLICIES), {
        byDefault: 'retry',
        flag: '--flaky <what>',
        flagAbout: 'a pass that needed a second run: ask, retry, ignore',
        example: 'flaky: ask',
      }),
      'Tests that pass and fail on the same files: `retry` wants one pass in two runs, `ask` asks you too, `ignore` stops counting them',
    ),
    prepare: optional(
      inFiles(listOf(STEPS_WORDS, PREPARE_STEP), {
        kind: STEPS_TEXT,
        byDefault: 'none',
        flag: '--prepare <command>',
        flagAbout: 'a command that makes a worktree or a fresh copy ready',
        flags: '`--prepare` replaces all of them',
        example: 'prepare:\n  - { command: "npm ci", unless: node_modules }',
      }),
      'Commands that install, generate or build, once in every worktree and fresh copy that Pawl makes; they are no checks',
    ),
    heldOut: optional(
      inFiles(TEXT, { byDefault: 'none', example: 'held_out: ../my-project-held-out' }),
      'A folder outside the project with [tests that the agent does not see](../proof.md#checks-that-the-agent-doesnt-see), and `check.sh`, which runs them',
    ),
  } satisfies EntriesOf<ProofConfig>,
  'a map such as { require: red-to-green }',
)
