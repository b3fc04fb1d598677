import type { OwnIsolations, PartSpec, RunConfig } from '../core/run-config.ts'
import type { JsonObject } from '../core/json.ts'
import { PawlError } from '../core/pawl-error.ts'
import { inFiles } from '../schema/file-kinds.ts'
import {
  type EntriesOf,
  FLAG,
  listOf,
  mapOf,
  needed,
  notBlank,
  oneOf,
  optional,
  settingsSchema,
  someOf,
  WORDS,
} from '../schema/kinds.ts'
import { devcontainer } from './devcontainer.ts'

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

const ALLOWED = {
  writable: optional(inFiles(PATHS, { byDefault: 'none' }), 'Folders that can be written besides the workspace'),
  readable: optional(inFiles(PATHS, { byDefault: 'none' }), 'Files and folders of the home folder that can be read'),
  allow: optional(
    inFiles(HOSTS, { byDefault: "the agent's own" }),
    'Hosts that the agent can reach: `example.com`, `*.example.com`, `localhost:5432`; `"*"` is every host',
  ),
} satisfies EntriesOf<SandboxOptions>

/** The options of `sandbox`. */
export const SANDBOX = settingsSchema(ALLOWED)

/** A container, and what it has besides the workspace. */
export interface ContainerOptions extends SandboxOptions {
  /** The image. Default: the one that `build` makes. */
  readonly image?: string
  /** How the image is built, once for each text of the Dockerfile. */
  readonly build?: ImageBuild
  /** Variables that are set inside. The journal records them. */
  readonly variables?: Readonly<Record<string, string>>
}

/** As in devcontainer.json, with absolute paths. */
export interface ImageBuild {
  readonly dockerfile: string
  readonly context: string
  readonly args?: Readonly<Record<string, string>>
  readonly target?: string
}

const IMAGE = notBlank('an image such as node:24')
const VARIABLES = mapOf('a map of names and texts', WORDS)

/** The options of `container`. */
export const CONTAINER = settingsSchema({
  ...ALLOWED,
  image: optional(IMAGE),
  build: optional(
    settingsSchema({
      dockerfile: needed(notBlank('a path')),
      context: needed(notBlank('a path')),
      args: optional(VARIABLES),
      target: optional(notBlank('the name of a stage')),
    } satisfies EntriesOf<ImageBuild>),
  ),
  variables: optional(VARIABLES),
} satisfies EntriesOf<ContainerOptions>)

/** `sandbox` of pawl.yaml. */
export type BoxSettings = SandboxOptions & Pick<ContainerOptions, 'image'>

const BOX = settingsSchema(
  {
    ...ALLOWED,
    image: optional(
      inFiles(IMAGE, { byDefault: "devcontainer.json's" }),
      'With `isolation: container`: the image that agents and checks run in',
    ),
  } satisfies EntriesOf<BoxSettings>,
  'a map such as { allow: [registry.npmjs.org], writable: [~/.cache/pip] }',
)

/** The kinds of isolation that a single role or check can have: a worktree is the whole run's. */
const OWN_KINDS = ['none', 'sandbox', 'container', 'command'] as const
type OwnKind = (typeof OWN_KINDS)[number]

/** The kinds of isolation. */
const ISOLATION_KINDS = ['none', 'worktree', 'sandbox', 'container', 'command'] as const

/** `isolation` of a single check in pawl.yaml. */
export const CHECK_ISOLATION = oneOf(OWN_KINDS)

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
  /** By the names of roles. */
  readonly roleIsolation?: Readonly<Record<string, OwnKind>>
  readonly sandbox?: BoxSettings
  readonly isolationCommand?: readonly string[]
  readonly probe?: boolean
  readonly sessions?: 'agent' | 'run'
}

/** What keeps agents and checks away from the rest of the machine: the keys of pawl.yaml and the flags. */
export const ISOLATION_SETTINGS = settingsSchema({
  isolation: optional(
    inFiles(oneOf(ISOLATION_KINDS), {
      byDefault: 'none',
      flag: '--isolation <kind>',
      flagAbout: 'keep agents and checks away from the rest of the machine: none, worktree, sandbox, container or command',
      example: 'isolation: sandbox',
    }),
    'What keeps agents and checks away from the rest of the machine: nothing, a git worktree (the same as `worktree: true`), [a sandbox](../guides/sandbox.md), a container, or a command of yours',
  ),
  roleIsolation: optional(
    inFiles(mapOf('a map of roles to kinds, such as { reviewer: sandbox }', oneOf(OWN_KINDS)), {
      name: 'role_isolation',
      byDefault: '`isolation` for all',
      flags: '`--role-isolation ROLE=KIND`, repeatable',
      example: 'role_isolation: { coder: container, reviewer: sandbox }',
    }),
    'What single roles have instead of `isolation`: `coder`, `reviewer`, `planner`, `repairer`, `test_writer`, `questioner`, `research`, or a role of yours',
  ),
  sandbox: optional(
    inFiles(BOX, {
      byDefault: "only the workspace and the agent's own hosts",
      example: 'sandbox: { allow: [registry.npmjs.org] }',
    }),
    'What a sandbox or a container allows besides the workspace',
  ),
  isolationCommand: optional(
    inFiles(COMMAND, {
      name: 'isolation_command',
      byDefault: 'none',
      example: 'isolation_command: [firejail, --quiet]',
    }),
    'With `isolation: command`: the words before every command of an agent or a check',
  ),
  sessions: optional(
    inFiles(oneOf(['agent', 'run']), {
      byDefault: 'agent',
      flag: '--sessions <where>',
      flagAbout: 'where agents keep their session files: as they do, or with the run',
      example: 'sessions: run',
    }),
    "Where the agents' [session files](../guides/sandbox.md#session-files) are: where each agent keeps them (`agent`), or in a folder that is removed when the run is over (`run`)",
  ),
  probe: optional(
    inFiles(FLAG, {
      byDefault: 'true',
      flag: '--no-probe',
      flagAbout: 'skip the short call that shows whether the agent can write',
    }),
    'Whether a short call shows that an [agent can write](../guides/sandbox.md#can-the-agent-write), once for each version of it',
  ),
} satisfies EntriesOf<IsolationSettings>)

/** What pawl.yaml and the flags say about isolation, and about single checks, as data. */
export function isolationConfig(
  settings: IsolationSettings & { readonly checkIsolation?: IsolationSettings['roleIsolation'] },
  root: string,
): Pick<RunConfig, 'isolation' | 'isolations'> {
  const specs = (kinds: IsolationSettings['roleIsolation'] = {}): NonNullable<OwnIsolations['roles']> =>
    Object.fromEntries(
      Object.entries(kinds).map(
        ([name, isolation]) => [name, isolationSpec({ ...settings, isolation }, root) ?? 'none'] as const,
      ),
    )
  const { roleIsolation, checkIsolation } = settings
  const isolation = isolationSpec(settings, root)
  const isolations = {
    ...(roleIsolation ? { roles: specs(roleIsolation) } : {}),
    ...(checkIsolation ? { checks: specs(checkIsolation) } : {}),
  }
  return { ...(isolation ? { isolation } : {}), ...(Object.keys(isolations).length === 0 ? {} : { isolations }) }
}

/** Roles with their kinds from `--role-isolation ROLE=KIND`. */
export function roleIsolationFlags(texts: readonly string[] = []): NonNullable<IsolationSettings['roleIsolation']> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, role = '', kind = ''] = /^\s*([\w.-]+)\s*=\s*(\w+)\s*$/.exec(text) ?? []
      if ((OWN_KINDS as readonly string[]).includes(kind)) return [role, kind as OwnKind]
      throw new PawlError(
        'usage.isolation',
        `--role-isolation takes ROLE=KIND such as reviewer=sandbox, with one of ${OWN_KINDS.join(', ')}, not "${text}".`,
        { value: text },
      )
    }),
  )
}

/** The box as data; `undefined` for none, also with a worktree, which is the workspace's. A container without an image is the project's devcontainer. */
export function isolationSpec(
  { isolation = 'none', sandbox = {}, isolationCommand }: IsolationSettings,
  root: string,
): PartSpec | undefined {
  if (isolation === 'none' || isolation === 'worktree') return undefined
  const { image, writable = [], readable = [], allow = [] } = sandbox
  const settings = { writable, readable, allow }
  if (isolation === 'sandbox') return { name: 'sandbox', v: 1, settings }
  if (isolation === 'container') {
    const from = image === undefined ? devcontainer(root) : { image }
    if (!from)
      throw new PawlError(
        'config.isolation',
        '`isolation: container` needs an image: set `sandbox: { image: … }` in pawl.yaml, or add .devcontainer/devcontainer.json.',
      )
    return { name: 'container', v: 1, settings: { ...settings, ...from } as unknown as JsonObject }
  }
  if (isolationCommand === undefined)
    throw new PawlError(
      'config.isolation',
      '`isolation: command` needs the command: set `isolation_command` in pawl.yaml, such as [firejail, --quiet].',
    )
  return { name: 'command', v: 1, settings: { command: isolationCommand } }
}
