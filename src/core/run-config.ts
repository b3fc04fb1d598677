import type { JsonObject } from './json.ts'
import type { ProofLevel } from './proof.ts'

/** A part of a run as data: enough for another process to build it again. */
export interface PartSpec {
  readonly name: string
  readonly v: number
  readonly settings: JsonObject
}

/** A part's data as the journal would give it back: without `undefined` fields. */
export function partSpec(name: string, settings: object): PartSpec {
  return { name, v: 1, settings: JSON.parse(JSON.stringify(settings)) }
}

export interface GuardSpec extends PartSpec {
  readonly severity: Severity
  /** The guards inside `anyOf`, `allOf` and `not`. */
  readonly parts?: readonly GuardSpec[]
}

/** Everything that decides how a run goes, as a fact. */
export interface RunConfig {
  readonly loop: PartSpec
  readonly guards: readonly GuardSpec[]
  readonly agent: PartSpec
  readonly checks: readonly PartSpec[]
  readonly workspace: PartSpec
  /** The files that the run is about, where the loop needs them. */
  readonly codebase?: PartSpec
  /** Globs of files the agent must not change, besides `pawl.yaml` and `.pawl/`. */
  readonly protect?: readonly string[]
  /** SHA-256 of pawl.yaml, where a person had the run take it in again: that version isn't the agent's edit. */
  readonly reloaded?: string
  /** How a success is proved; false if nobody can look at the files. */
  readonly proof?: ProofConfig | false
  /** Names of checks that the agent set itself: they prove at most as much as its own tests. */
  readonly ownChecks?: readonly string[]
  /** What keeps agents and checks away from the rest of the machine. Default: nothing. */
  readonly isolation?: PartSpec
  /** What single roles and checks have instead. */
  readonly isolations?: OwnIsolations
  /** `run`: the agents' session files are in a folder of the run, which is removed when it is over. Default: where each agent keeps them. */
  readonly sessions?: 'run'
  /** Set if nobody asks an agent to write a file before its first iteration. */
  readonly probe?: false
  /** Agents that play single roles of the loop, by the name of the role; the others are played by `agent`. */
  readonly roles?: Readonly<Record<string, PartSpec>>
  /** Agents that continue in this order when one cannot: at a provider's limit, or because it is not there. */
  readonly fallbacks?: readonly PartSpec[]
  /** Whether a provider's limit is always waited for or never while another agent can continue. Default: waited for when its end is known and near. */
  readonly onLimit?: 'wait' | 'switch'
  /** Agents that a person may put to work when a guard has tripped, by the name of the guard. */
  readonly experts?: Readonly<Record<string, PartSpec>>
  /** The agent that puts questions into words, if configured. */
  readonly questioner?: PartSpec
  /** The run that drives it: one of several parallel runs. Whoever continues it continues that one. */
  readonly parent?: string
  /** Set when a part is a function of a program: only that program can resume the run. */
  readonly program?: string
}

/**
 * What becomes of tests that pass and fail on the same files. `retry`: such a test has to pass in one of two runs. `ask`: the same, and a
 * person is asked before a pass that needed a second run counts. `ignore`: once a test is known to be flaky, its failures don't count.
 */
export type FlakyPolicy = (typeof FLAKY_POLICIES)[number]

/** From the strictest to the most lenient. */
export const FLAKY_POLICIES = ['ask', 'retry', 'ignore'] as const

/** What keeps single roles and checks away from the rest of the machine, by their names. */
export interface OwnIsolations<Isolation = PartSpec> {
  /** `coder` means every role without its own name, `research` every role of research. */
  readonly roles?: Readonly<Record<string, Isolation | 'none'>>
  readonly checks?: Readonly<Record<string, Isolation | 'none'>>
}

/** What a role has: its own isolation, else that of its kind, else the run's. */
export function isolationOfRole<Isolation>(
  loop: string,
  role: string,
  {
    isolation,
    isolations: { roles = {} } = {},
  }: { readonly isolation?: Isolation; readonly isolations?: OwnIsolations<Isolation> },
): Isolation | undefined {
  const kind = loop === 'research' ? 'research' : SINGLE_ROLES.has(role) ? role : 'coder'
  const own = roles[role] ?? roles[role.slice(role.indexOf(':') + 1)] ?? roles[kind] ?? isolation
  return own === 'none' ? undefined : own
}

/** Roles that aren't coders. */
const SINGLE_ROLES: ReadonlySet<string> = new Set(['planner', 'repairer', 'reviewer', 'test_writer', 'questioner'])

/** The roles that every run can isolate; a review's coders have names of their own besides. */
export const ISOLATED_ROLES: readonly string[] = ['coder', ...SINGLE_ROLES, 'research']

export interface ProofConfig {
  /** Globs of files on the test side, besides those Pawl finds; one with `!` in front is not. */
  readonly tests?: readonly string[]
  /** Globs of tests that the agent may change. */
  readonly mayChange?: readonly string[]
  /** The weakest level that counts as done. Default `reviewed`: everything but `unproven`. */
  readonly require?: ProofLevel
  /** What becomes of flaky tests. Default `retry`. */
  readonly flaky?: FlakyPolicy
  /** Commands that make a folder ready which Pawl made: a worktree, or a fresh copy. They are no checks. */
  readonly prepare?: readonly PrepareStep[]
  /** A folder outside the project with tests that the agent does not see, and `check.sh`, which runs them. */
  readonly heldOut?: string
}

/** What becomes of flaky tests in a run. */
export function flakyPolicy({ proof }: RunConfig): FlakyPolicy {
  return (proof || undefined)?.flaky ?? 'retry'
}

/** A command that installs, generates or builds what checks need. */
export interface PrepareStep {
  /** One line for `/bin/sh`, or a program and its arguments. */
  readonly command: string | readonly string[]
  /** A file or folder that it makes: if that exists, the command does not run. */
  readonly unless?: string
  /** The folder to run it in, below the workspace's; `unless` begins there too. Default: the workspace. */
  readonly cwd?: string
  /** Default 10 minutes. */
  readonly timeoutMs?: number
  /** Names of variables that are passed on. */
  readonly environment?: readonly string[]
}

/** Whether a check runs only once all others passed. */
export function isBeforeSuccess({ settings }: PartSpec): boolean {
  return settings['when'] === 'before-success'
}

/** `trip` decides; `warn` nudges the agent through the next brief, once. */
export type Severity = 'warn' | 'trip'

/**
 * The settings of a part as a run recorded them, for the factory that builds the part again. The run may be of another version of Pawl, so
 * unknown keys of theirs are skipped, while a program that writes the same gets an error.
 */
export function recordedSettings<Options>(settings: Readonly<Record<string, unknown>>): Options {
  return Object.defineProperty({ ...settings }, RECORDED, { value: true }) as Options
}

/** Whether options come from a run's record. A copy of them no longer does. */
export function isRecorded(options: unknown): boolean {
  return typeof options === 'object' && options !== null && RECORDED in options
}

const RECORDED = Symbol('recorded')

/** What an agent is called: its own name, or that of its kind. */
export function agentName({ name, settings }: PartSpec): string {
  return typeof settings['name'] === 'string' ? settings['name'] : name
}
