import { dirname, join } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import type { Check } from '../checks/check.ts'
import type { ReadableCodebase } from '../codebase/codebase.ts'
import { type Definition, memoizedDefinition } from '../core/definition.ts'
import type { Loop } from '../core/loop.ts'
import { PawlError } from '../core/pawl-error.ts'
import { didYouMean } from '../core/names.ts'
import { ISOLATED_ROLES, type OwnIsolations, type PartSpec, recordedSettings, type RunConfig } from '../core/run-config.ts'
import type { FindCeilings } from '../engine/ceilings.ts'
import type { Parts } from '../engine/parts.ts'
import { withRunSessions } from '../agents/sessions.ts'
import { machineProcesses } from '../process/processes.ts'
import { systemClock } from '../process/clock.ts'
import type { Boxes } from '../sandbox/boxed.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { Store } from '../stores/store.ts'
import type { Workspace } from '../workspaces/workspace.ts'
import { PARTS } from './_parts.ts'
import { placedConfig, placedWorkspace } from './placed-workspace.ts'

/** What a run's configuration does not say. */
export interface PartsOptions {
  readonly store: Store
  /** The store's file: texts that a brief mentions are put beside it. */
  readonly storePath: string
  /** Works in place of the configured agent, which is then not built. Default: the configured one. */
  readonly agent?: Agent
  /** The ceilings over all runs, under which every agent works that Pawl starts. */
  readonly ceilings: FindCeilings
}

/**
 * Builds everything a run is made of from its configuration, for every caller alike: a command, a hook, an MCP call. Throws
 * `run.unknown-part` for a part that only the program which started the run has.
 */
export async function partsFrom(given: RunConfig, { store, storePath, agent, ceilings }: PartsOptions): Promise<Parts> {
  const config = placedConfig(given, storePath)
  const boxes = await boxesIn(config)
  const around: Around = { boxes, ceilings }
  const { sessions } = config
  const agentIn = async (spec: PartSpec, role = CODER): Promise<Agent> => {
    const made = await agentFrom(spec, around, role)
    return sessions === 'run' ? withRunSessions(made, storePath) : made
  }
  const checkIn = async (spec: PartSpec): Promise<Check> => {
    const check = await checkFrom(spec, around)
    const { reviewer } = check
    if (sessions !== 'run' || !reviewer) return check
    return { ...check, ...reviewer.withAgent(withRunSessions(reviewer.agent, storePath)) }
  }
  const [definition, worker, checks, workspace, roles, fallbacks, questioner, codebase] = await Promise.all([
    definitionFrom(config.loop),
    agent ?? agentIn(config.agent),
    Promise.all(config.checks.map(checkIn)),
    workspaceFrom(placedWorkspace(config, storePath)),
    config.roles && rolesFrom(config.roles, agentIn),
    config.fallbacks && Promise.all(config.fallbacks.map((spec) => agentIn(spec))),
    config.questioner && agentIn(config.questioner, 'questioner'),
    config.codebase && codebaseFrom(config.codebase),
  ])
  return {
    definition,
    config,
    agent: worker,
    ...(roles ? { roles } : {}),
    ...(fallbacks ? { fallbacks } : {}),
    agentOf: (spec) => agentIn(spec),
    checkOf: checkIn,
    partsOf: async (child, variables) => ({
      ...(await partsFrom(withVariables(child, variables), { store, storePath, ceilings })),
      // What is recorded holds for the next process too, whose variables are others.
      config: placedConfig(child, storePath),
    }),
    ...(boxes?.open ? { boxFor: boxes.open } : {}),
    checks,
    ...(questioner ? { questioner } : {}),
    textsFolder: join(dirname(storePath), 'texts'),
    workspace,
    ...(codebase ? { codebase } : {}),
    store,
    clock: systemClock,
    processes: machineProcesses,
  }
}

/** The same run with variables set for its agents and checks. */
function withVariables(config: RunConfig, variables: Readonly<Record<string, string>>): RunConfig {
  const add = <Spec extends PartSpec>(spec: Spec): Spec => ({
    ...spec,
    settings: { ...spec.settings, variables: { ...(spec.settings['variables'] as object | undefined), ...variables } },
  })
  const { agent, fallbacks, roles, checks } = config
  return {
    ...config,
    agent: add(agent),
    ...(fallbacks ? { fallbacks: fallbacks.map(add) } : {}),
    ...(roles ? { roles: Object.fromEntries(Object.entries(roles).map(([role, spec]) => [role, add(spec)])) } : {}),
    checks: checks.map((check) => (check.name === 'command' ? add(check) : check)),
  }
}

/** How decisions are made is asked for without waiting, so the loop and the guards are loaded first. A run never changes its loop. */
async function definitionFrom({ name }: PartSpec): Promise<Definition> {
  const [{ guardFrom }, make] = await Promise.all([import('../guards/guard-from.ts'), factoryOf<Loop>('loop', PARTS.loops, name)])
  return memoizedDefinition({ loop: ({ settings }) => make(recordedSettings(settings)), guard: (spec) => guardFrom(spec) })
}

/** What agents and checks work within. */
export interface Around {
  readonly boxes?: Boxes | undefined
  readonly ceilings?: FindCeilings
}

/** Builds an agent from its data, in the boxes of the role that it plays. */
export async function agentFrom(spec: PartSpec, around: Around = {}, role: string = CODER): Promise<Agent> {
  const agent = await build<Agent>('agent', PARTS.agents, spec, around)
  const { underProviderLimits } = await import('../engine/provider-limits.ts')
  const boxed = underProviderLimits(around.boxes ? around.boxes.agent(agent, role) : agent)
  if (!around.ceilings) return boxed
  const { underCeilings } = await import('../engine/ceilings.ts')
  return underCeilings(boxed, around.ceilings)
}

/** Who works if nothing else is said. */
const CODER = 'coder'

async function isolationFrom(spec: PartSpec): Promise<Isolation> {
  return build<Isolation>('isolation', PARTS.isolations, spec)
}

/** The boxes of a run's isolation, in which its held-out files cannot be seen. */
async function boxesIn(config: RunConfig): Promise<Boxes | undefined> {
  const { isolation, isolations = {}, loop } = config
  if (!isolation && !config.isolations) return undefined
  requireRoles(Object.keys(isolations.roles ?? {}), config)
  const [{ boxesOf }, { heldOutFolder }] = await Promise.all([import('../sandbox/boxed.ts'), import('../engine/held-out.ts')])
  const heldOut = heldOutFolder(config)
  const all = async (specs: OwnIsolations['roles'] = {}): Promise<NonNullable<OwnIsolations<Isolation>['roles']>> =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(specs).map(async ([name, spec]) => [name, spec === 'none' ? spec : await isolationFrom(spec)] as const),
      ),
    )
  return boxesOf({
    loop: loop.name,
    ...(isolation ? { isolation: await isolationFrom(isolation) } : {}),
    isolations: { roles: await all(isolations.roles), checks: await all(isolations.checks) },
    hidden: heldOut === undefined ? [] : [heldOut],
  })
}

/** A role that nobody plays would leave the one that was meant unprotected. */
function requireRoles(names: readonly string[], { roles = {} }: RunConfig): void {
  const known = new Set([...ISOLATED_ROLES, ...Object.keys(roles).flatMap((role) => [role, role.slice(role.indexOf(':') + 1)])])
  const unknown = names.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new PawlError(
    'config.role-isolation',
    `\`role_isolation\` names the role "${unknown}"${didYouMean(unknown, [...known])}`,
    { value: unknown },
  )
}

/** The agent of a run that another program drives; nobody here may start it. */
export function outsideAgent(spec: PartSpec): Agent {
  return {
    spec,
    work: () => Promise.reject(new PawlError('agent.outside', 'The agent of this run works in its own session.')),
  }
}

/** Builds a check from its data. */
export async function checkFrom(spec: PartSpec, around: Around = {}): Promise<Check> {
  const check = await build<Check>('check', PARTS.checks, spec, around)
  return around.boxes ? around.boxes.check(check) : check
}

/** Builds a workspace from its data. */
export async function workspaceFrom(spec: PartSpec): Promise<Workspace> {
  if (spec.name === 'imported')
    throw new PawlError(
      'run.imported',
      'This run was imported from a transcript: its files were never seen, so there is nothing to compare or to bring back.',
    )
  return build<Workspace>('workspace', PARTS.workspaces, spec)
}

/** One codebase for all who look at the same folder, since reading it takes a while. */
async function codebaseFrom(spec: PartSpec): Promise<ReadableCodebase> {
  const key = JSON.stringify(spec)
  const known = codebases.get(key) ?? build<ReadableCodebase>('codebase', PARTS.codebases, spec)
  codebases.set(key, known)
  return known
}

const codebases = new Map<string, Promise<ReadableCodebase>>()

async function rolesFrom(
  roles: Readonly<Record<string, PartSpec>>,
  make: (spec: PartSpec, role: string) => Promise<Agent>,
): Promise<Readonly<Record<string, Agent>>> {
  const agents = Object.entries(roles).map(async ([role, spec]) => [role, await make(spec, role)] as const)
  return Object.fromEntries(await Promise.all(agents))
}

/** A factory whose options are what a run recorded of the part. */
type Factory<Part> = (settings: never) => Part

type Factories<Part> = Readonly<Record<string, () => Promise<Factory<Part>>>>

async function build<Part>(
  kind: string,
  factories: Factories<Part>,
  { name, settings }: PartSpec,
  around: Around = {},
): Promise<Part> {
  const make = await factoryOf(kind, factories, name)
  return make(recordedSettings({ ...settings, ...(await innerParts(settings, around)) }))
}

async function factoryOf<Part>(kind: string, factories: Factories<Part>, name: string): Promise<Factory<Part>> {
  const load = Object.hasOwn(factories, name) ? factories[name] : undefined
  if (load) return load()
  throw new PawlError(
    'run.unknown-part',
    `This run uses the ${kind} "${name}", which only the program that started the run can build: resume it with that program.`,
    { value: name },
  )
}

/** A part may have others among its settings: a review its agent, the explorer its codebase. */
async function innerParts({ agent, codebase }: PartSpec['settings'], around: Around): Promise<Readonly<Record<string, unknown>>> {
  return {
    // The check's own box is put around the agent that it asks.
    ...(isSpec(agent) ? { agent: await agentFrom(agent, around.ceilings ? { ceilings: around.ceilings } : {}) } : {}),
    ...(isSpec(codebase) ? { codebase: await codebaseFrom(codebase) } : {}),
  }
}

function isSpec(value: unknown): value is PartSpec {
  return typeof value === 'object' && value !== null && 'name' in value && 'settings' in value
}
