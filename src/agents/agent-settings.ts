import type { LanguageModel } from 'ai'
import type { PermissionPolicy } from '../core/agent-ask.ts'
import {
  COMMAND,
  COMMAND_TEXT,
  timeoutKind,
  VARIABLE,
  VARIABLES_PASSED_ON,
  VARIABLES_SET,
} from '../process/command-option-kinds.ts'
import type { CommandOptions } from '../process/command-options.ts'
import { inFiles, inPrograms } from '../schema/file-kinds.ts'
import {
  address,
  AMOUNT,
  byDefault,
  eitherOf,
  type EntriesOf,
  fitting,
  FLAG,
  listOf,
  mapOf,
  needed,
  notBlank,
  oneOf,
  optional,
  settingsSchema,
  TEXT,
  textThat,
  wholeNumber,
  WORD,
  WORDS,
} from '../schema/kinds.ts'

/*
 * The settings of the agents, for programs and for the entries under `agents` of pawl.yaml. They are apart from the agents because every
 * command reads a project's settings, and only some run an agent.
 */

const AS_SET_UP = 'as the agent is set up'

const ARGUMENT = textThat('text (numbers in quotes)', (text) => !text.includes('\0'), 'a text without NUL characters')

const TIMEOUT = byDefault(timeoutKind('30m'), 30 * 60_000, 'How long it may take for one iteration; goes before `agent_timeout`')
const ENVIRONMENT = byDefault(
  inFiles(VARIABLES_PASSED_ON, { byDefault: 'none; a known agent gets its own' }),
  [],
  'Environment variables that it gets, by name; `MY_*` means all with that prefix',
)
const VARIABLES = byDefault(VARIABLES_SET, {}, 'Variables set for it; the journal records them')
const MODEL = optional(inFiles(WORD, { byDefault: AS_SET_UP, flag: '--model <model>' }), 'The model, as the agent calls it')
const SESSION = byDefault(
  inFiles(oneOf(['fresh', 'continue']), { flag: '--session <how>' }),
  'fresh',
  'Whether an iteration continues the session of the one before',
)
const NAME = optional(inPrograms(TEXT), 'What people call it')

/** What a million tokens cost. */
export interface Prices {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  /** For input that the provider had in its cache. Default: as other input. */
  readonly cachedInputUsdPerMillion?: number
}

const PRICES = settingsSchema(
  {
    inputUsdPerMillion: needed(inFiles(AMOUNT, { name: 'input' }), 'Dollars for a million tokens that the model reads'),
    outputUsdPerMillion: needed(inFiles(AMOUNT, { name: 'output' }), 'Dollars for a million tokens that it writes'),
    cachedInputUsdPerMillion: optional(
      inFiles(AMOUNT, { name: 'cached_input' }),
      'Dollars for a million tokens that it reads from its cache',
    ),
  } satisfies EntriesOf<Prices>,
  'what a million tokens cost in dollars, such as { input: 3, output: 15 }',
)

/** How many tokens of each kind were used; cached input is part of the input. */
export interface TokenKinds {
  readonly input: number
  readonly cached: number
  readonly output: number
}

/** What tokens cost at these prices, in dollars. */
export function costAt(
  { inputUsdPerMillion, outputUsdPerMillion, cachedInputUsdPerMillion = inputUsdPerMillion }: Prices,
  { input, cached, output }: TokenKinds,
): number {
  const fromCache = Math.min(cached, input)
  const usd = (input - fromCache) * inputUsdPerMillion + fromCache * cachedInputUsdPerMillion + output * outputUsdPerMillion
  return usd / 1_000_000
}

const PRICE_SETTING = optional(
  inFiles(PRICES, { byDefault: 'only cost that the agent reports is counted' }),
  'What tokens cost, for models and for agents that report no cost; totals then say "estimated"',
)

export type CommandAgentOptions = CommandOptions & {
  /**
   * How the program gets the brief: `stdin` (the default), or `argument`, which replaces `{brief}` in the arguments or is added as the
   * last one; in a shell line it is `"$1"`. The system limits arguments to about 128 KB.
   */
  readonly briefAs?: 'stdin' | 'argument'
  /** How long one piece of work may take. Default 30 minutes; the rest of the run's time budget applies too. */
  readonly timeoutMs?: number
  /** What people call the agent. Default: the program's name. */
  readonly name?: string
}

/**
 * Any program: `commandAgent`.
 *
 * @settings command-agent
 */
export const COMMAND_AGENT = settingsSchema({
  command: needed(
    inFiles(COMMAND, {
      kind: COMMAND_TEXT,
      flag: '--agent-command <command>',
      flagAbout: 'any program as the agent; the brief is its standard input',
    }),
    'Any program. Without `command`, `acp`, `module` or `base_url` the entry is a known agent',
  ),
  shell: byDefault(FLAG, false, 'Whether `/bin/sh` runs the command; without it a text that needs a shell is refused'),
  briefAs: byDefault(
    inFiles(oneOf(['stdin', 'argument']), { name: 'brief' }),
    'stdin',
    'How the program gets its brief. `argument`: in place of `{brief}`, else as the last argument; in a shell line as `"$1"`',
  ),
  timeoutMs: TIMEOUT,
  environment: ENVIRONMENT,
  variables: VARIABLES,
  name: NAME,
} satisfies EntriesOf<CommandAgentOptions>)

/** `read`: changes nothing. `edit`: edits files in its folder without asking. `full`: does anything without asking. */
export type PermissionMode = 'read' | 'edit' | 'full'

export interface StreamAgentOptions {
  /** The program, by name or path. Default: the agent's usual name, found on the PATH. */
  readonly program?: string
  /** The model, by the agent's own name for it. Default: the agent's own setting. */
  readonly model?: string
  /** Default `edit`; what the mode doesn't allow is denied, not asked. */
  readonly permissionMode?: PermissionMode
  /**
   * Whether an iteration begins with an empty context (`fresh`, the default: the brief contains everything) or continues the previous
   * iteration's session (`continue`). A new item of a plan always begins with an empty context.
   */
  readonly session?: 'fresh' | 'continue'
  /** Further arguments, after Pawl's own. Default: none. */
  readonly arguments?: readonly string[]
  /** How long one piece of work may take. Default 30 minutes; the rest of the run's time budget applies too. */
  readonly timeoutMs?: number
  /** Names of variables to pass on, besides those that the agent is known to need. Default: none. */
  readonly environment?: readonly string[]
  /** Variables set for the agent. The journal records them, so pass secrets by name, with `environment`. Default: none. */
  readonly variables?: Readonly<Record<string, string>>
  /** What tokens cost, for an agent that reports tokens and no cost: its cost is then an estimate. Default: only what it reports counts. */
  readonly prices?: Prices
  /** What people call the agent. Default: the driver's name. */
  readonly name?: string
}

/**
 * Every agent that prints its events: `claudeAgent` and the others.
 *
 * @settings known-agent
 */
export const STREAM_AGENT = settingsSchema({
  model: MODEL,
  session: SESSION,
  permissionMode: byDefault(
    inFiles(oneOf(['read', 'edit', 'full']), { flag: '--permission-mode <mode>' }),
    'edit',
    'What the agent may do without asking',
  ),
  program: optional(
    inFiles(notBlank('the name or the path of a program'), { byDefault: "the driver's name, on the PATH" }),
    'Its program',
  ),
  arguments: byDefault(
    inFiles(listOf('a list of texts, such as ["--max-turns", "20"]', ARGUMENT), { byDefault: 'none' }),
    [],
    'Further arguments for it',
  ),
  timeoutMs: TIMEOUT,
  environment: ENVIRONMENT,
  variables: VARIABLES,
  prices: PRICE_SETTING,
  name: optional(inPrograms(WORD), 'What people call it'),
} satisfies EntriesOf<StreamAgentOptions>)

/**
 * How an agent's requests are answered: `ask` a person (the default), `allow` or `deny` at once; or one of these for each kind of tool
 * (`edit`, `execute`, `fetch`, …), with `default` for the others.
 */
export type Permissions = PermissionPolicy | Readonly<Record<string, PermissionPolicy>>

export type AcpAgentOptions = CommandOptions & {
  /** How long one piece of work may take, without the time that people need to answer. Default 30 minutes. */
  readonly timeoutMs?: number
  /** What people call the agent. Default: the program's name. */
  readonly name?: string
  /** Who answers its requests. Default `ask`: a person. */
  readonly permissions?: Permissions
  /** One of the agent's own modes, such as `autoEdit`. Default: the one it starts in. */
  readonly mode?: string
  /** Default: the agent's own choice. */
  readonly model?: string
  /** The login method to use. Default: it is assumed to be logged in. */
  readonly authMethod?: string
  /** Whether the next piece of work continues the session, if the agent can. Default `fresh`. */
  readonly session?: 'fresh' | 'continue'
}

const POLICY = oneOf(['ask', 'allow', 'deny'])
const PERMISSIONS_WORDS = 'ask, allow or deny, or one of them for each kind of tool such as { edit: allow, execute: ask }'

/**
 * An agent that speaks the Agent Client Protocol: `acpAgent`.
 *
 * @settings acp-agent
 */
export const ACP_AGENT = settingsSchema({
  command: needed(
    inFiles(COMMAND, { name: 'acp', kind: COMMAND_TEXT }),
    'A command: the entry is [an agent that speaks ACP](../drivers/acp.md)',
  ),
  shell: optional(inPrograms(FLAG), 'Whether `/bin/sh` runs the command'),
  mode: optional(inFiles(WORD, { byDefault: AS_SET_UP }), "For `acp`: one of the agent's own modes"),
  model: MODEL,
  session: SESSION,
  authMethod: optional(inFiles(WORD, { byDefault: AS_SET_UP }), "For `acp`: the agent's way to log in"),
  permissions: byDefault(
    eitherOf(PERMISSIONS_WORDS, POLICY, mapOf(PERMISSIONS_WORDS, POLICY)),
    'ask',
    'For `acp`: what becomes of what it asks',
  ),
  timeoutMs: TIMEOUT,
  environment: ENVIRONMENT,
  variables: VARIABLES,
  name: NAME,
} satisfies EntriesOf<AcpAgentOptions>)

/** Which tools a model gets. */
export type ToolSetName = 'write' | 'read' | 'none'

export interface AiSdkAgentOptions {
  /** Any model of the AI SDK: `openai('gpt-5')`, `anthropic('…')`, or the id of one for its gateway. */
  readonly model: LanguageModel
  /** What people call the agent. Default: the model's own name. */
  readonly name?: string
  /** Instructions that it gets in addition to the brief. Default: none. */
  readonly instructions?: string
  /** How often the model may be asked in one piece of work. Default 60. */
  readonly stepsMax?: number
  /** How often one answer is asked for again when the provider fails, with pauses of seconds. Default 2. */
  readonly retriesMax?: number
  /** How long one piece of work may take. Default 30 minutes. */
  readonly timeoutMs?: number
  /** The tools it gets: `write`, `read` or `none`. Default `write`, and `read` for reviewers and questioners. */
  readonly tools?: ToolSetName
  /** What tokens cost. Default: only what the provider itself reports counts as cost. */
  readonly prices?: Prices
}

const MODEL_WORK = {
  instructions: optional(
    inFiles(WORDS, { byDefault: 'nothing' }),
    'For models: instructions that the model gets in addition to the brief',
  ),
  stepsMax: byDefault(wholeNumber(1), 60, 'For models: how often the model is asked in one iteration'),
  prices: PRICE_SETTING,
  retriesMax: byDefault(inPrograms(wholeNumber(0)), 2, 'How often an answer is asked for again when the provider fails'),
  tools: optional(inPrograms(oneOf(['write', 'read', 'none'])), 'The tools it gets'),
  timeoutMs: TIMEOUT,
  name: NAME,
} satisfies EntriesOf<Omit<AiSdkAgentOptions, 'model'>>

/** A model that the program has: `aiSdkAgent`. */
export const AI_SDK_AGENT = settingsSchema({
  model: needed(
    fitting<unknown>('a model of the AI SDK, such as openai("gpt-5"), or the id of one', (value) =>
      typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null && 'modelId' in value,
    ),
  ),
  ...MODEL_WORK,
} satisfies EntriesOf<AiSdkAgentOptions>)

/** Where a model comes from, as data. */
export type ModelPlace =
  /** A file whose default export, or export `model`, is a model of the AI SDK or a function that gives one. */
  | { readonly module: string }
  | {
      /** An address that speaks OpenAI's Chat Completions, such as `http://127.0.0.1:11434/v1`. */
      readonly baseUrl: string
      readonly model: string
      /** The name of the variable that holds the key, never the key itself. Default: no key is sent. */
      readonly key?: string
    }

export type ModelAgentOptions = Omit<AiSdkAgentOptions, 'model'> & ModelPlace

/**
 * A model that a file exports, or one behind an address: `modelAgent`.
 *
 * @settings model-agent
 */
export const MODEL_AGENT = settingsSchema({
  module: optional(
    notBlank('the path of a file that exports a model'),
    'A file that exports a model: the entry is [a model of the AI SDK](../drivers/ai-sdk.md)',
  ),
  baseUrl: optional(
    address('an address such as http://127.0.0.1:11434/v1'),
    'An address that speaks Chat Completions, with `model`: the same',
  ),
  model: MODEL,
  key: optional(inFiles(VARIABLE, { byDefault: 'no key' }), 'For `base_url`: the variable that holds the key'),
  ...MODEL_WORK,
} satisfies EntriesOf<ModelAgentOptions>)
