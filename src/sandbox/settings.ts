import type { PartSpec } from '../core/run-config.ts'
import { PawlError } from '../core/pawl-error.ts'
import { inFiles } from '../schema/file-kinds.ts'
import { type EntriesOf, listOf, needed, notBlank, oneOf, optional, settingsSchema, someOf } from '../schema/kinds.ts'

export interface SandboxOptions {
  /** Folders that can be written besides the workspace; `~` is the home folder. */
  readonly writable?: readonly string[]
  /** Files and folders of the home folder that can be read. */
  readonly readable?: readonly string[]
  /** Hosts that the agent can reach: `example.com`, `*.example.com`, `localhost:5432`; `*` is every host. */
  readonly allow?: readonly string[]
}

const PATHS = listOf('a list of paths such as [~/.cache/pip]', notBlank('a path such as ~/.cache/pip'))
const HOSTS = listOf('a list of hosts such as [registry.npmjs.org]', notBlank('a host such as registry.npmjs.org'))

/** What a sandbox allows besides the workspace. */
export const SANDBOX = settingsSchema(
  {
    writable: optional(inFiles(PATHS, { byDefault: 'none' }), 'Folders that can be written besides the workspace'),
    readable: optional(inFiles(PATHS, { byDefault: 'none' }), 'Files and folders of the home folder that can be read'),
    allow: optional(
      inFiles(HOSTS, { byDefault: "the agent's own" }),
      'Hosts that the agent can reach: `example.com`, `*.example.com`, `localhost:5432`; `"*"` is every host',
    ),
  } satisfies EntriesOf<SandboxOptions>,
  'a map such as { allow: [registry.npmjs.org], writable: [~/.cache/pip] }',
)

/** The kinds of isolation. */
const ISOLATION_KINDS = ['none', 'sandbox', 'command'] as const

const COMMAND = someOf('a list of words such as [firejail, --quiet]', notBlank('a word'))

/** A wrapper of the user's own. */
export interface WrapperOptions {
  /** The words before every command of an agent or a check. */
  readonly command: readonly string[]
}

/** The options of `wrapper`. */
export const WRAPPER = settingsSchema({ command: needed(COMMAND) } satisfies EntriesOf<WrapperOptions>)

/** What pawl.yaml and the flags say about isolation. */
export interface IsolationSettings {
  readonly isolation?: (typeof ISOLATION_KINDS)[number]
  readonly sandbox?: SandboxOptions
  readonly isolationCommand?: readonly string[]
}

/** What keeps agents and checks away from the rest of the machine: the keys of pawl.yaml and the flags. */
export const ISOLATION_SETTINGS = settingsSchema({
  isolation: optional(
    inFiles(oneOf(ISOLATION_KINDS), {
      byDefault: 'none',
      flag: '--isolation <kind>',
      flagAbout: 'keep agents and checks away from the rest of the machine: none, sandbox or command',
      example: 'isolation: sandbox',
    }),
    'What keeps agents and checks away from the rest of the machine: nothing, [a sandbox](../guides/sandbox.md), or a command of yours',
  ),
  sandbox: optional(
    inFiles(SANDBOX, {
      byDefault: "only the workspace and the agent's own hosts",
      example: 'sandbox: { allow: [registry.npmjs.org] }',
    }),
    'What a sandbox allows besides the workspace',
  ),
  isolationCommand: optional(
    inFiles(COMMAND, {
      name: 'isolation_command',
      byDefault: 'none',
      example: 'isolation_command: [firejail, --quiet]',
    }),
    'With `isolation: command`: the words before every command of an agent or a check',
  ),
} satisfies EntriesOf<IsolationSettings>)

/** The isolation as data; `undefined` for none. */
export function isolationSpec({ isolation = 'none', sandbox = {}, isolationCommand }: IsolationSettings): PartSpec | undefined {
  if (isolation === 'none') return undefined
  if (isolation === 'sandbox') {
    const { writable = [], readable = [], allow = [] } = sandbox
    return { name: 'sandbox', v: 1, settings: { writable, readable, allow } }
  }
  if (isolationCommand === undefined)
    throw new PawlError(
      'config.isolation',
      '`isolation: command` needs the command: set `isolation_command` in pawl.yaml, such as [firejail, --quiet].',
    )
  return { name: 'command', v: 1, settings: { command: isolationCommand } }
}
