import { type GuardName, GUARD_NAMES, settingsOf } from '../guards/default-guards.ts'
import { LADDER_SETTINGS } from '../guards/ladder.ts'
import { RALPH_LOOP } from '../loops/ralph/settings.ts'
import { REVIEW_LOOP } from '../loops/review/settings.ts'
import { TASK_LOOP, TASK_OVERRIDES } from '../loops/task/settings.ts'
import { CHECK_ISOLATION, ISOLATION_SETTINGS } from '../sandbox/settings.ts'
import { PREPARE_STEP, PROOF_SETTINGS } from '../proof/settings.ts'
import { PART_SETTINGS } from '../registry/_settings.ts'
import type { CeilingLimits } from '../registry/ceilings.ts'
import { durationText, type Entries, fileEntries, fileKey, notesOf, optionalKey, snakeCase } from '../schema/file-kinds.ts'
import {
  AMOUNT,
  COUNT,
  eitherOf,
  type EntriesOf,
  exactly,
  fittingKind,
  FLAG,
  type GenericSchema,
  LINE,
  listOf,
  mapOfNamed,
  matching,
  notBlank,
  oneOf,
  optional,
  readAs,
  settingsSchema,
  textCalled,
  WORD,
} from '../schema/kinds.ts'
import { wantedBy } from '../schema/schema-at.ts'
import { NOTICES } from './notice-settings.ts'
import { QUEUE } from './queue-settings.ts'
import { agentNames, driverNames } from './agent-presets.ts'

/*
 * The schema of pawl.yaml, with the keys as they are in the file. It is composed from the schemas beside the parts. From it come: what is
 * wrong in a file and where, the flags, the JSON Schema for editors, the reference tables, and the file that `pawl init` writes. Rules
 * between keys are in config-rules.ts.
 */

const agentName = textCalled('the name of an agent')
const aName = matching('cannot be the name of an agent: use letters, digits, ".", "_" and "-"', /^[A-Za-z0-9][\w.-]*$/)

const DRIVERS = driverNames()
  .map((name) => `\`${name}\``)
  .join(', ')

/** The keys of each kind of agent under `agents`. */
export const AGENT_KEYS = {
  command: fileEntries(PART_SETTINGS['command-agent'].entries),
  known: {
    driver: optionalKey(WORD, `The known agent: one of ${DRIVERS}`, { byDefault: "the one of the entry's name" }),
    ...fileEntries(PART_SETTINGS['known-agent'].entries),
  },
  acp: fileEntries(PART_SETTINGS['acp-agent'].entries),
  model: fileEntries(PART_SETTINGS['model-agent'].entries),
}

/** An entry may be of any kind, so no key has to be there. Keys that several kinds have are described as the first one does. */
const agent = settingsSchema(
  Object.fromEntries(
    Object.entries(together(AGENT_KEYS.known, AGENT_KEYS.command, AGENT_KEYS.acp, AGENT_KEYS.model)).map(([key, entry]) => {
      const { about, isNeeded, ...notes } = notesOf(entry)
      return [key, isNeeded ? optionalKey(entry, about, notes) : entry]
    }),
  ),
  'an agent such as { command: "my-agent --fast" }, or the settings of a known one such as { model: opus }',
)

/** All of these keys; where several have the same, the first one counts. */
function together(...maps: readonly Entries[]): Entries {
  return Object.assign({}, ...maps, ...maps.toReversed())
}

const aCheck = settingsSchema(
  {
    ...fileEntries(PART_SETTINGS['command-check'].entries),
    isolation: optionalKey(CHECK_ISOLATION, 'What keeps this check away from the rest of the machine, instead of `isolation`', {
      byDefault: '`isolation`',
    }),
  },
  wantedBy(PART_SETTINGS['command-check']),
)

const { max_iterations, extend_while_improving } = fileEntries(settingsOf('maxIterations').schema.entries) as Readonly<
  Record<'max_iterations' | 'extend_while_improving', GenericSchema>
>

/** The keys that a file of tasks may have too. */
export const controlKeys: Entries = { max_iterations, ...fileEntries(TASK_OVERRIDES) }

/** What a guard may do when it holds; `off` leaves it out. */
const LEVELS = ['warn', 'trip', 'ladder'] as const

/** The guards with an entry under `guards`, by the names they have there. */
const GUARD_KEYS = new Map(
  GUARD_NAMES.filter((name) => !settingsOf(name).isLimit).map((name): [string, GuardName] => [snakeCase(name), name]),
)

/** The settings of a guard in a file, without the words that abbreviate some. */
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
  const { schema, bareTexts = [] } = settingsOf(name)
  const shown = Object.entries(fileEntries(schema.entries)).flatMap(([setting, entry]) => {
    const { byDefault } = notesOf(entry)
    // What is needed has an example in the phrase for it.
    if (setting === bareTexts[0]) return [`${setting}: ${/such as (\S+)/.exec(wantedBy(entry))?.[1] ?? '…'}`]
    return byDefault === undefined ? [] : [`${setting}: ${byDefault}`]
  })
  return `{ ${shown.join(', ')} }`
}

/** `off` is text in the YAML of today and `false` in that of yesterday; people mean the same. */
function guardEntry(name: GuardName) {
  const map = guardMap(name)
  const { bareTexts = [], schema } = settingsOf(name)
  const bare = bareTexts.map((setting): [string, GenericSchema] => {
    const key = fileKey(setting, schema.entries[setting] as GenericSchema)
    return [key, fileEntries(schema.entries)[key] as GenericSchema]
  })
  const words = eitherOf('a word', oneOf(['off', ...LEVELS]), exactly(false))
  const variants: GenericSchema[] = [words, ...bare.map(([key, kind]) => readAs(kind, (value) => ({ [key]: value }))), map]
  const read = readAs(eitherOf(wantedBy(map), ...variants), (value): 'off' | Readonly<Record<string, unknown>> => {
    if (value === 'off' || value === false) return 'off'
    return (typeof value === 'string' ? { severity: value } : value) as Readonly<Record<string, unknown>>
  })
  // A word alone has none of the settings.
  const complete = fittingKind(
    `${bare.map(([key, entry]) => `"${key}" is missing: it must be ${wantedBy(entry)}`).join('; or ')}.`,
    read,
    (given) => given === 'off' || bare.length === 0 || bare.some(([key]) => key in given),
  )
  return fittingKind(
    '"patience" is for a ladder only: add severity: ladder, or take it out.',
    complete,
    (given) => given === 'off' || given['patience'] === undefined || given['severity'] === 'ladder',
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

const { budget_usd, budget_tokens, budget_time, max_wait } = fileEntries(settingsOf('budget').schema.entries) as Readonly<
  Record<'budget_usd' | 'budget_tokens' | 'budget_time' | 'max_wait', GenericSchema>
>

/** Limits that a policy of `pawl backtest` may have too. */
export const limitKeys: Entries = { max_iterations, budget_usd, budget_tokens }

/** Ceilings in pawl.yaml, in the user's own file and in programs. */
export const CEILINGS = settingsSchema(
  {
    dayUsd: optional(AMOUNT, 'US dollars a day'),
    monthUsd: optional(AMOUNT, 'US dollars a month'),
    dayTokens: optional(COUNT, 'Tokens a day'),
    monthTokens: optional(COUNT, 'Tokens a month'),
  } satisfies EntriesOf<CeilingLimits>,
  'a map of ceilings such as { day_usd: 20, month_usd: 200 }',
)

/** pawl.yaml. */
export const projectSchema = settingsSchema(
  {
    agent: optionalKey(agentName, `Who does the work: ${agentNames().join(', ')}, or a name from \`agents\``, {
      byDefault: 'none',
      flag: '-a, --agent <names>',
      flagAbout: `an agent: ${agentNames().join(', ')}, or one from pawl.yaml; others take over if it can't continue: claude,codex`,
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
      flag: '--on-limit <what>',
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
        flag: '-c, --check <command>',
        flagAbout: 'a command that must succeed',
        flags: '`--check` replaces all of them',
        example: 'checks:\n  - { name: tests, command: "npm test", timeout: 10m }',
      },
    ),
    rules: optionalKey(
      listOf('a list of rules', PART_SETTINGS.rule),
      'Checks of other kinds, as [rules](../drivers/rules.md); they run after the checks',
      {
        byDefault: 'none',
        flags: '`--rule` of `pawl ralph` replaces all of them',
        example: 'rules:\n  - { type: file_existence, name: docs, config: { paths: [README.md] } }',
      },
    ),
    reviewer: optionalKey(
      textCalled('the name of an agent, or person'),
      'Who reviews work that passes the checks: an agent, or `person` for you',
      {
        byDefault: 'nobody',
        flag: '--reviewer <who>',
        flagAbout: 'who reviews work that passes the checks: an agent, or person',
        example: 'reviewer: person',
      },
    ),
    questioner: optionalKey(agentName, 'The agent that puts a question into words before Pawl asks you', {
      byDefault: 'nobody',
      flag: '--questioner <agent>',
      flagAbout: 'the agent that puts questions into words before Pawl asks you',
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
      {
        byDefault: 'none',
        flag: '--protect <glob>',
        flagAbout: "files that the agent can't change",
        flags: '`--protect` replaces all of them',
        example: 'protect: ["test/**", "package.json"]',
      },
    ),
    ...fileEntries(PROOF_SETTINGS.entries),
    ...fileEntries(ISOLATION_SETTINGS.entries),
    max_iterations,
    extend_while_improving,
    ...limitKeys,
    budget_time,
    max_wait,
    ceilings: optionalKey(
      settingsSchema(fileEntries(CEILINGS.entries), wantedBy(CEILINGS)),
      'What all runs of this project together may use, a day and a month; work that would pass one waits or asks',
      { byDefault: 'none', example: 'ceilings: { day_usd: 20, month_usd: 200 }' },
    ),
    agent_timeout: optionalKey(durationText(1), 'How long an agent may take at a time, whatever its role', {
      byDefault: '30m',
      flag: '--timeout <duration>',
    }),
    ...together(fileEntries(TASK_LOOP.entries), fileEntries(RALPH_LOOP.entries), fileEntries(REVIEW_LOOP.entries)),
    worktree: optionalKey(FLAG, 'Whether every run works in a git worktree of its own under `.pawl/worktrees/RUN`', {
      byDefault: 'false',
      flag: '--worktree',
      flagAbout: 'work in a git worktree of its own; your folder stays as it is',
    }),
    remote: optionalKey(
      LINE,
      'A bare git repository, as a path or an address, that every snapshot is pushed to: other machines continue runs from it. Runs then work in worktrees',
      { byDefault: 'none', example: 'remote: git@git.example.com:team/shop-runs.git' },
    ),
    store: optionalKey(
      matching(
        'an address such as postgres://pawl@db.example.com/pawl, without a password: that belongs in PGPASSWORD, ~/.pgpass or PAWL_STORE',
        /^postgres(?:ql)?:\/\/(?![^/\s]*:[^/\s]*@)[^\s#"']+$/,
      ),
      'The [database](../drivers/postgres-store.md) that has the runs, for a team: `PAWL_STORE` in the environment comes first',
      { byDefault: 'the file `.pawl/pawl.db`', example: 'store: postgres://pawl@db.example.com/pawl' },
    ),
    queue: optionalKey(
      settingsSchema(fileEntries(QUEUE.entries), wantedBy(QUEUE)),
      'What [queued runs](../guides/scale.md) need, and when they are taken',
      {
        flags: '`--priority`, `--labels`',
        example: 'queue: { labels: [linux], priority: 5, repository_runs_max: 4 }',
      },
    ),
    notify: optionalKey(FLAG, 'Whether the terminal rings and the desktop shows a notice when a run asks you something', {
      byDefault: 'true',
      example: 'notify: false',
    }),
    notices: optionalKey(
      settingsSchema(fileEntries(NOTICES.entries), wantedBy(NOTICES)),
      'Where `pawl serve` sends [notices](../guides/watching.md#notices) of runs that wait for you, stopped or are done',
      {
        byDefault: 'nowhere',
        example: 'notices: { to: [{ kind: ntfy, url: "https://ntfy.sh/my-topic" }], quiet: "22:00-07:00" }',
      },
    ),
    guards: optionalKey(
      guardsKind,
      'What stops a run that gets nowhere (`trip`), tells the agent once (`warn`), or tells it first and then stops the run (`ladder`)',
      {
        flag: '--guard <name=value>',
        flagAbout: 'set a guard: thrashing=trip, same_failure=off, no_progress=ladder',
        flags: '`--guard NAME=VALUE`, repeatable',
      },
    ),
  },
  'a map of keys and values, such as "agent: claude"',
)

/** The entries that have tables of their own in the reference. */
export const ENTRY_SCHEMAS = {
  agents: agent,
  checks: aCheck,
  prepare: settingsSchema(fileEntries(PREPARE_STEP.entries)),
  rules: PART_SETTINGS.rule,
}
