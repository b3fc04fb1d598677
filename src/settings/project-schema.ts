import { check, type GenericSchema, type InferOutput, literal, pipe, regex, string, transform, union, url } from 'valibot'
import { type GuardName, GUARD_NAMES, settingsOf } from '../guards/default-guards.ts'
import { LADDER_SETTINGS } from '../guards/ladder.ts'
import { isVariableName } from '../process/command-options.ts'
import { durationText, fileEntries, neededKey, optionalKey, notesOf, snakeCase } from '../schema/file-kinds.ts'
import {
  AMOUNT,
  ANYTHING,
  FLAG,
  listOf,
  mapOf,
  mapOfNamed,
  notBlank,
  oneOf,
  settingsSchema,
  someOf,
  wholeNumber,
  WORDS,
} from '../schema/kinds.ts'
import { wantedBy } from '../schema/schema-at.ts'
import { agentNames, driverNames } from './agent-presets.ts'
import { reportWish } from './report-wish.ts'

/*
 * The schema of pawl.yaml, with the keys as they are in the file. From it come: what is wrong in a file and where, the JSON Schema for
 * editors, the reference tables, and the file that `pawl init` writes. Rules between keys are in config-rules.ts.
 */

const agentName = string('the name of an agent')
const aName = pipe(
  string(),
  regex(/^[A-Za-z0-9][\w.-]*$/, 'cannot be the name of an agent: use letters, digits, ".", "_" and "-"'),
)
const word = pipe(string('one word'), regex(/^[^\s-]\S*$/, 'one word'))
const line = pipe(string('one line of text'), regex(/^\S(?:.*\S)?$/, 'one line of text'))

const COMMAND_WORDS = 'one text such as "npm test", or a list of texts (numbers in quotes)'
const command = union([string(), someOf(COMMAND_WORDS, string())], COMMAND_WORDS)

const variable = pipe(
  string('the name of a variable, such as MY_KEY'),
  check(
    (name) => isVariableName(name.replace(/\*$/, '')),
    'Only names of variables can stand here, such as MY_KEY or MY_*; never values.',
  ),
)
const environment = listOf('a list of names of variables, such as [MY_KEY]', variable)

const REPORT_WORDS = 'a format such as junit, a file such as report.xml, or { format: junit, file: report.xml }'
const report = pipe(
  union(
    [
      string(),
      settingsSchema(
        {
          format: optionalKey(string('the name of a format, such as junit'), 'The format; nothing else is taken for a report'),
          file: optionalKey(string('the path of one file'), 'The file that the command writes its report to'),
        },
        REPORT_WORDS,
      ),
    ],
    REPORT_WORDS,
  ),
  transform((value) => (typeof value === 'string' ? reportWish(value) : value)),
)

const aCheck = settingsSchema(
  {
    name: neededKey(line, 'Its name, different for each check'),
    command: neededKey(command, 'The command. A text with `|`, `&&`, `$` and the like is run by `/bin/sh`'),
    timeout: optionalKey(durationText(1), 'How long it may take; a check that takes longer fails', { byDefault: '10m' }),
    environment: optionalKey(environment, 'Variables that it gets, by name', { byDefault: 'none' }),
    report: optionalKey(report, 'Where its report is, or in which format', { byDefault: 'found in the output' }),
  },
  'a check such as { name: tests, command: "npm test" }',
)

/** The settings in `config` depend on the type, and are checked where the rule is made. */
const rule = settingsSchema(
  {
    type: neededKey(oneOf(['command', 'content_pattern', 'coverage', 'file_existence', 'custom']), 'The kind of rule'),
    name: neededKey(line, 'Its name'),
    config: optionalKey(mapOf('a map of settings', ANYTHING), 'Its settings, which depend on the type'),
  },
  'a rule such as { type: command, name: tests, config: { command: "npm test" } }',
)

const policy = oneOf(['ask', 'allow', 'deny'])
const PERMISSIONS_WORDS = 'ask, allow or deny, or one of them for each kind of tool such as { edit: allow, execute: ask }'

const prices = settingsSchema(
  {
    input: neededKey(AMOUNT, 'Dollars for a million tokens that the model reads'),
    output: neededKey(AMOUNT, 'Dollars for a million tokens that it writes'),
    cached_input: optionalKey(AMOUNT, 'Dollars for a million tokens that it reads from its cache'),
  },
  'what a million tokens cost in dollars, such as { input: 3, output: 15 }',
)

const DRIVERS = driverNames()
  .map((name) => `\`${name}\``)
  .join(', ')
const asSetUp = 'as the agent is set up'

const agent = settingsSchema(
  {
    command: optionalKey(command, 'Any program. Without `command`, `acp`, `module` or `base_url` the entry is a known agent'),
    shell: optionalKey(FLAG, 'Whether `/bin/sh` runs the command; without it a text that needs a shell is refused', {
      byDefault: 'false',
    }),
    brief: optionalKey(
      oneOf(['stdin', 'argument']),
      'How the program gets its brief. `argument`: in place of `{brief}`, else as the last argument; in a shell line as `"$1"`',
      { byDefault: 'stdin' },
    ),
    driver: optionalKey(word, `The known agent: one of ${DRIVERS}`, { byDefault: "the one of the entry's name" }),
    model: optionalKey(word, 'The model, as the agent calls it', { byDefault: asSetUp }),
    session: optionalKey(oneOf(['fresh', 'continue']), 'Whether an iteration continues the session of the one before', {
      byDefault: 'fresh',
    }),
    permission_mode: optionalKey(oneOf(['read', 'edit', 'full']), 'What it may do without asking', { byDefault: 'edit' }),
    program: optionalKey(notBlank('the name or the path of a program'), 'Its program', {
      byDefault: "the driver's name, on the PATH",
    }),
    arguments: optionalKey(
      listOf('a list of texts, such as ["--max-turns", "20"]', string('text (numbers in quotes)')),
      'Further arguments for it',
      { byDefault: 'none' },
    ),
    acp: optionalKey(command, 'A command: the entry is [an agent that speaks ACP](../drivers/acp.md)'),
    mode: optionalKey(word, "For `acp`: one of the agent's own modes", { byDefault: asSetUp }),
    auth_method: optionalKey(word, "For `acp`: the agent's way to log in", { byDefault: asSetUp }),
    permissions: optionalKey(
      union([policy, mapOf(PERMISSIONS_WORDS, policy)], PERMISSIONS_WORDS),
      'For `acp`: what becomes of what it asks',
      { byDefault: 'ask' },
    ),
    module: optionalKey(
      notBlank('the path of a file that exports a model'),
      'A file that exports a model: the entry is [a model of the AI SDK](../drivers/ai-sdk.md)',
    ),
    base_url: optionalKey(
      pipe(string('an address such as http://127.0.0.1:11434/v1'), url('an address such as http://127.0.0.1:11434/v1')),
      'An address that speaks Chat Completions, with `model`: the same',
    ),
    key: optionalKey(variable, 'For `base_url`: the variable that holds the key', { byDefault: 'no key' }),
    instructions: optionalKey(WORDS, 'For models: instructions that the model gets in addition to the brief', {
      byDefault: 'nothing',
    }),
    steps_max: optionalKey(wholeNumber(1), 'For models: how often the model is asked in one iteration', { byDefault: '60' }),
    prices: optionalKey(prices, 'For models: what tokens cost', { byDefault: 'cost is not counted' }),
    timeout: optionalKey(durationText(1), 'How long it may take for one iteration; goes before `agent_timeout`', {
      byDefault: '30m',
    }),
    environment: optionalKey(environment, 'Environment variables that it gets, by name; `MY_*` means all with that prefix', {
      byDefault: 'none; a known agent gets its own',
    }),
  },
  'an agent such as { command: "my-agent --fast" }, or the settings of a known one such as { model: opus }',
)

/** The keys that a file of tasks may have too. */
export const controlKeys = {
  max_iterations: optionalKey(wholeNumber(1), 'How many iterations a run, or each of its tasks, may take', {
    byDefault: '3; 20 for `pawl ralph`',
    flags: '`--max-iterations`',
    example: 'max_iterations: 3',
  }),
  auto_retry_on_test_fail: optionalKey(FLAG, 'Whether work that fails a check is tried again without asking you', {
    byDefault: 'true',
    flags: '`--no-auto-retry`',
    example: 'auto_retry_on_test_fail: true',
  }),
  auto_retry_on_review_reject: optionalKey(FLAG, 'The same for work that the reviewer rejects', {
    byDefault: 'true',
    flags: '`--no-auto-retry`',
    example: 'auto_retry_on_review_reject: true',
  }),
  escalation_includes_diff: optionalKey(FLAG, 'Whether a question shows what the last iteration changed', {
    byDefault: 'true',
    example: 'escalation_includes_diff: true',
  }),
  feedback_max_length: optionalKey(wholeNumber(1), 'How many characters of failures a brief carries', {
    byDefault: '500',
    example: 'feedback_max_length: 500',
  }),
}

/** What a guard may do when it holds; `off` leaves it out. */
const LEVELS = ['warn', 'trip', 'ladder'] as const

/** The guards with an entry under `guards`, by the names they have there. */
const GUARD_KEYS = new Map(
  GUARD_NAMES.filter((name) => !settingsOf(name).isLimit).map((name): [string, GuardName] => [snakeCase(name), name]),
)

/** The settings of a guard in a file, without the words that stand for some. */
function guardMap(name: GuardName) {
  const entries = {
    ...fileEntries(settingsOf(name).schema.entries),
    severity: optionalKey(oneOf(['trip', 'warn', 'ladder']), 'What it does when it holds', {
      byDefault: notesOf(fileEntries(settingsOf(name).schema.entries)['severity'] as GenericSchema).byDefault ?? 'trip',
    }),
    ...fileEntries(LADDER_SETTINGS.entries),
  }
  const wanted = `a map such as ${guardExample(name)}, or one of off, warn, trip and ladder`
  return settingsSchema(entries, wanted)
}

/** `{ failures_max: 8, severity: trip }`: a guard with its defaults. */
export function guardExample(name: GuardName): string {
  const shown = Object.entries(fileEntries(settingsOf(name).schema.entries)).flatMap(([setting, entry]) => {
    const { byDefault, isNeeded } = notesOf(entry)
    // What is needed has an example in the phrase for it.
    if (isNeeded) return [`${setting}: ${/such as (\S+)/.exec(wantedBy(entry))?.[1] ?? '…'}`]
    return byDefault === undefined ? [] : [`${setting}: ${byDefault}`]
  })
  return `{ ${shown.join(', ')} }`
}

/** `off` is text in the YAML of today and `false` in that of yesterday; people mean the same. */
function guardEntry(name: GuardName) {
  const map = guardMap(name)
  const needed = Object.entries(map.entries).filter(([, entry]) => notesOf(entry).isNeeded)
  const { bareText, schema } = settingsOf(name)
  const bare = bareText === undefined ? undefined : fileEntries(schema.entries)[snakeCase(bareText)]
  const words = union([oneOf(['off', ...LEVELS]), literal(false)])
  const variants: GenericSchema[] = [
    words,
    ...(bare
      ? [
          pipe(
            bare,
            transform((value) => ({ [snakeCase(bareText ?? '')]: value })),
          ),
        ]
      : []),
    map,
  ]
  return pipe(
    union(variants, map.message),
    transform((value) => {
      if (value === 'off' || value === false) return 'off' as const
      return (typeof value === 'string' ? { severity: value } : value) as Readonly<Record<string, unknown>>
    }),
    // A word alone has none of the settings.
    check(
      (given) => given === 'off' || needed.every(([setting]) => setting in given),
      `${needed.map(([setting, entry]) => `"${setting}" is missing: it must be ${wantedBy(entry)}`).join('; ')}.`,
    ),
    check(
      (given) => given === 'off' || given['patience'] === undefined || given['severity'] === 'ladder',
      '"patience" is for a ladder only: add severity: ladder, or take it out.',
    ),
  )
}

/** The map of guards in a file: for each its settings, or one word. */
export const guardsKind = settingsSchema(
  Object.fromEntries([...GUARD_KEYS].map(([inFile, name]) => [inFile, optionalKey(guardEntry(name), `Settings of ${name}`)])),
  'a map of guards',
)

/** An agent for each guard, limits among them. */
const experts = settingsSchema(
  Object.fromEntries(
    ['max_iterations', 'budget', ...GUARD_KEYS.keys()].map((guard) => [guard, optionalKey(agentName, `The expert for ${guard}`)]),
  ),
  'a map of guards to agents, such as { same_failure: codex }',
)

const roles = mapOfNamed(
  'a map of roles to agents, such as { coder_a: claude, coder_b: codex, reviewer: gemini }',
  aName,
  agentName,
)

/** Limits that a policy of `pawl backtest` may have too. */
export const budgetKeys = {
  budget_usd: optionalKey(AMOUNT, 'What a run may cost in US dollars, as the agent reports it; 0 is no limit', {
    byDefault: '0',
    flags: '`--budget-usd`',
    example: 'budget_usd: 0',
  }),
  budget_tokens: optionalKey(wholeNumber(0), 'How many tokens a run may use, as the agent reports them; 0 is no limit', {
    byDefault: '0',
    flags: '`--budget-tokens`',
    example: 'budget_tokens: 0',
  }),
}

/** pawl.yaml. */
export const projectSchema = settingsSchema(
  {
    agent: optionalKey(agentName, `Who does the work: ${agentNames().join(', ')}, or a name from \`agents\``, {
      byDefault: 'none',
      flags: '`--agent`, `--agent-command`; `--model`, `--session`, `--permission-mode` set a known one',
      example: 'agent: claude',
    }),
    fallback: optionalKey(
      listOf('a list of agents such as [codex, gemini]', agentName),
      "Who continues, in this order, if the agent can't: at a provider's limit, or because it isn't installed",
      { byDefault: 'nobody', flags: 'the names after the first in `--agent`', example: 'fallback: [codex, gemini]' },
    ),
    on_limit: optionalKey(oneOf(['wait', 'switch']), "At a provider's limit: wait, or switch to the next agent", {
      byDefault: 'wait if the limit ends within 10 minutes',
      flags: '`--on-limit`',
      example: 'on_limit: switch',
    }),
    agents: optionalKey(
      mapOfNamed('a map of names to agents', aName, agent),
      'Agents of your own: any program, or a known agent with other settings',
      {
        byDefault: 'none',
        example: `agents:
  mine: { command: "my-agent --fast", shell: false, brief: stdin, timeout: 30m, environment: [MY_KEY] }
  claude: { model: opus, session: fresh, permission_mode: edit }`,
      },
    ),
    checks: optionalKey(
      listOf('a list of checks', aCheck),
      'What must pass before work counts as done: commands, run in this order',
      {
        byDefault: 'none',
        flags: '`--check` replaces all of them',
        example: 'checks:\n  - { name: tests, command: "npm test", timeout: 10m }',
      },
    ),
    rules: optionalKey(
      listOf('a list of rules', rule),
      'Checks of other kinds, as [rules](../drivers/rules.md); they run after the checks',
      {
        byDefault: 'none',
        flags: '`--rule` of `pawl ralph` replaces all of them',
        example: 'rules:\n  - { type: file_existence, name: docs, config: { paths: [README.md] } }',
      },
    ),
    reviewer: optionalKey(
      string('the name of an agent, or person'),
      'Who reviews work that passes the checks: an agent, or `person` for you',
      {
        byDefault: 'nobody',
        flags: '`--reviewer`',
        example: 'reviewer: person',
      },
    ),
    questioner: optionalKey(agentName, 'The agent that puts a question into words before Pawl asks you', {
      byDefault: 'nobody',
      flags: '`--questioner`',
      example: 'questioner: claude',
    }),
    roles: optionalKey(
      roles,
      'Who plays the roles of [a review](../loops/review.md): `reviewer`, `planner`, `repairer`, and coders by any other name. For [research](../loops/research.md): `fast`, `deep`, or a specialist such as `explore`, `security`, `judge`',
      {
        byDefault: '`agent` plays them',
        flags: '`--coder`, `--reviewer`, `--planner`',
        example: 'roles: { coder_a: claude, coder_b: codex, reviewer: gemini }',
      },
    ),
    experts: optionalKey(experts, 'Agents that you can put to work when a guard stops a run: its question then offers it', {
      byDefault: 'none',
      example: 'experts: { circuit_breaker: codex, max_iterations: codex }',
    }),
    protect: optionalKey(
      listOf('a list of globs such as [test/**]', notBlank('a glob such as test/**')),
      'Files that the agent must not change, besides `pawl.yaml` and `.pawl/`',
      { byDefault: 'none', flags: '`--protect` replaces all of them', example: 'protect: ["test/**", "package.json"]' },
    ),
    ...controlKeys,
    ...budgetKeys,
    budget_time: optionalKey(durationText(0), "How long a run may work; waiting for you doesn't count; 0 is no limit", {
      byDefault: '0',
      flags: '`--budget-time`',
      example: 'budget_time: 0',
    }),
    agent_timeout: optionalKey(durationText(1), 'How long an agent may take at a time, whatever its role', {
      byDefault: '30m',
      flags: '`--timeout`',
      example: 'agent_timeout: 30m',
    }),
    baseline: optionalKey(FLAG, 'Whether the checks run once before any work, so that the agent knows what failed beforehand', {
      byDefault: 'true',
      example: 'baseline: true',
    }),
    tester_overrules_security: optionalKey(
      FLAG,
      'Whether passing tests end an item of [a review](../loops/review.md) although a reviewer still finds it unsafe, without asking you',
      { byDefault: 'false', flags: '`--tester-overrules-security`', example: 'tester_overrules_security: false' },
    ),
    worktree: optionalKey(FLAG, 'Whether every run works in a git worktree of its own under `.pawl/worktrees/RUN`', {
      byDefault: 'false',
      flags: '`--worktree`',
      example: 'worktree: false',
    }),
    guards: optionalKey(
      guardsKind,
      'What stops a run that gets nowhere (`trip`), tells the agent once (`warn`), or tells it first and then stops the run (`ladder`)',
      {
        flags: '`--guard NAME=VALUE`, repeatable',
      },
    ),
  },
  'a map of keys and values, such as "agent: claude"',
)

/** What the schema lets through. */
export type RawConfig = InferOutput<typeof projectSchema>
/** A command as it stands in the file. */
export type RawCommand = InferOutput<typeof command>

/** The entries that have tables of their own in the reference. */
export const ENTRY_SCHEMAS = { agents: agent, checks: aCheck, rules: rule }
