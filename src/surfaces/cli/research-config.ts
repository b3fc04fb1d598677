import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { agentName, type PartSpec, type RunConfig } from '../../core/run-config.ts'
import { PawlError } from '../../core/pawl-error.ts'
import { requirePlayers, type ResearchOverrides, type ResearchSettings, type SeedCheckpoint } from '../../loops/research/index.ts'
import { RESEARCH_FLAGS } from '../../loops/research/settings.ts'
import { flagSettings } from '../../schema/flags.ts'
import { researchLoop } from '../../loops/research/loop.ts'
import { withCommonLimit } from './agent-time-limits.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { driverNames } from '../../settings/agent-presets.ts'
import { agentList, type Fallbacks } from './fallback-specs.ts'
import { type Project, workspaceSpec } from '../../settings/find-project.ts'
import { thinkerSpec } from '../../settings/reviewers.ts'
import { agentSpec, guardSpecs, isolationSettings, runFallbacks, type SettingFlags } from './run-settings.ts'

export interface ResearchFlags extends SettingFlags {
  readonly id?: string
  /** The folder to look at. Default: the project. */
  readonly path?: string
  /** Without a model: the explorer that comes with Pawl. */
  readonly offline?: boolean
  readonly strategy?: string
  /** A file of settings. Default: `pawl-research.yaml`, if it is there. */
  readonly config?: string
  /** A folder with the three files of another engine. */
  readonly configDir?: string
  /** A checkpoint to continue from. */
  readonly from?: string
  /** Where the report is written, besides what is shown. */
  readonly report?: string
  readonly force?: boolean
  readonly ask?: boolean
  /** Run in the background. */
  readonly detach?: boolean
}

export interface ResearchRequest {
  readonly goal: string
  readonly overrides: ResearchOverrides
  readonly checkpoint?: SeedCheckpoint
  readonly past?: NonNullable<ResearchSettings['past']>
  /** A folder that Pawl itself writes to while the run goes: it is not among the files that are watched. */
  readonly ownFolder?: string
}

/** Everything that decides how a research run goes: flags over the file of settings over the defaults. */
export function researchConfig(
  project: Project,
  flags: ResearchFlags,
  written: PawlConfig | undefined,
  request: ResearchRequest,
): RunConfig {
  const config = withCommonLimit(written, flags)
  const path = folderOf(project, flags)
  const codebase: PartSpec = {
    name: 'folder-codebase',
    v: 1,
    settings: { path, cachePath: join(dirname(project.storePath), 'code.db') },
  }
  const loop = researchLoop({
    goal: request.goal,
    ...(request.checkpoint ? { checkpoint: request.checkpoint } : {}),
    ...(request.past ? { past: request.past } : {}),
    ...request.overrides,
    ...flagSettings(RESEARCH_FLAGS.entries, flags),
  })
  const agent = researcher(flags, config, codebase)
  const roles = agent.name === 'explorer' ? {} : playersOf(config)
  const fallbacks = agent.name === 'explorer' ? {} : fallbacksOf(flags, config, agent)
  requirePlayers(loop.spec, Object.keys(roles), { isShared: true })
  const { isolation, isolations, sessions } = isolationSettings(project.root, flags, config)
  // The explorer is Pawl itself, and starts nothing.
  const boxes = agent.name === 'explorer' ? {} : { ...(isolation ? { isolation } : {}), ...(isolations ? { isolations } : {}) }
  return {
    loop: loop.spec,
    // The loop has its own maximum, and findings are no failures: only what a run may cost is watched here.
    guards: guardSpecs(flags, config).filter(({ name }) => name === 'budget' || name === 'deadline'),
    agent,
    ...fallbacks,
    ...(Object.keys(roles).length === 0 ? {} : { roles }),
    checks: [],
    ...boxes,
    ...(sessions ? { sessions } : {}),
    workspace: withoutOwn(workspaceSpec(path, false), path, request.ownFolder),
    codebase,
  }
}

/** In a repository the folder's own `.gitignore` leaves it out; plain copies need a setting. */
function withoutOwn(spec: PartSpec, path: string, folder: string | undefined): PartSpec {
  const inside = folder === undefined ? '' : relative(path, folder)
  if (spec.name !== 'folder' || inside === '' || inside.startsWith('..') || isAbsolute(inside)) return spec
  return { ...spec, settings: { ...spec.settings, ignore: [inside.replaceAll('\\', '/')] } }
}

function folderOf({ root }: Project, { path }: ResearchFlags): string {
  if (path === undefined) return root
  const folder = resolve(path)
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder
  throw new PawlError('usage.no-folder', `There is no folder ${path}: give the one to look at with --path.`, { value: path })
}

/** The agent of the flags, else that of pawl.yaml if it has a model, else the explorer. */
function researcher(flags: ResearchFlags, config: PawlConfig | undefined, codebase: PartSpec): PartSpec {
  const isNamed = flags.agent !== undefined || flags.agentCommand !== undefined
  if (isNamed && flags.offline === true)
    throw new PawlError('usage.offline', '--offline looks without an agent of yours: leave it out, or leave out --agent.')
  if (flags.agent !== undefined && flags.agentCommand === undefined)
    for (const name of agentList(flags.agent)) thinkerSpec('research', name, config)
  const hasOwn = config?.agent !== undefined && config.agent !== 'tinker'
  if (flags.offline !== true && (isNamed || hasOwn)) return lookingOnly(agentSpec(flags, config, []), flags)
  return { name: 'explorer', v: 1, settings: { codebase: { ...codebase } } }
}

/** Who continues when a specialist's agent cannot. One of pawl.yaml without a model is passed over. */
function fallbacksOf(flags: ResearchFlags, config: PawlConfig | undefined, agent: PartSpec): Fallbacks {
  const { fallbacks = [], ...onLimit } = runFallbacks(flags, config, agent, [])
  const isTinker = (spec: PartSpec): boolean => agentName(spec) === 'tinker' && config?.agents['tinker'] === undefined
  const able = fallbacks.filter((spec) => !isTinker(spec)).map((spec) => lookingOnly(spec, {}))
  return { ...onLimit, ...(able.length === 0 ? {} : { fallbacks: able }) }
}

/** Research changes nothing: an agent that Pawl knows works in the mode in which it only looks, unless another one is asked for. */
function lookingOnly(spec: PartSpec, { permissionMode }: ResearchFlags): PartSpec {
  const isKnown = driverNames().includes(spec.name) && permissionMode === undefined
  return isKnown ? { ...spec, settings: { ...spec.settings, permissionMode: 'read' } } : spec
}

/** Roles of pawl.yaml that are specialists, or `fast` and `deep` for all of a kind. */
function playersOf(config: PawlConfig | undefined): Readonly<Record<string, PartSpec>> {
  const named = Object.entries(config?.roles ?? {}).filter(([role]) => !OTHERS.has(role))
  return Object.fromEntries(named.map(([role, agent]) => [role, thinkerSpec('research', agent, config)]))
}

/** Roles of the review loop. */
const OTHERS: ReadonlySet<string> = new Set(['planner', 'reviewer', 'tester', 'repairer', 'committer'])
