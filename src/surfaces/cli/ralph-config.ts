import { PawlError } from '../../core/pawl-error.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { ralphLoop, type RalphSettings } from '../../loops/ralph/index.ts'
import { RALPH_ITERATIONS_MAX, RALPH_LOOP } from '../../loops/ralph/settings.ts'
import { withCommonLimit } from './agent-time-limits.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import { expertSpecs } from './expert-specs.ts'
import {
  agentSpec,
  givenCheckSpecs,
  guardSpecs,
  loopSettings,
  isolationSettings,
  proofSettings,
  questionerSpec,
  reviewSpecs,
  runFallbacks,
  type StartFlags,
} from './run-settings.ts'
import { workspaceSpec } from '../../settings/find-project.ts'

export interface RalphFlags extends StartFlags {
  /** The session of an agent that works on it; `true`: the one in which the command is called. */
  readonly bind?: string | true
  readonly id?: string
  readonly prompt?: string
  /** A file with the prompt. */
  readonly promptFile?: string
  /** Words that say it is done; false: none is asked for. */
  readonly promise?: readonly string[] | false
  readonly minIterations?: string
  /** Files of rules, in place of those of pawl.yaml. */
  readonly rule?: readonly string[]
  /** False: the prompt alone, each time. */
  readonly feedback?: boolean
  readonly ask?: boolean
}

/** Everything that decides how a run of the ralph loop goes: flags over pawl.yaml over the defaults. */
export function ralphConfig(root: string, flags: RalphFlags, written: PawlConfig | undefined, prompt: string): RunConfig {
  const config: PawlConfig = withCommonLimit({ agents: {}, checks: [], maxIterations: RALPH_ITERATIONS_MAX, ...written }, flags)
  const checks = givenCheckSpecs(flags, config)
  if (checks.length === 0)
    throw new PawlError(
      'usage.no-check',
      'No check and no rule is given, and a promise alone proves nothing: any agent can say that it is done. Give --check "npm test" or --rule FILE, or set `checks:` or `rules:` in pawl.yaml.',
    )
  const protect = flags.protect ?? config.protect ?? []
  const questioner = questionerSpec(flags, config)
  const guards = guardSpecs(flags, config)
  const agent = agentSpec(flags, config, checks)
  return {
    loop: ralphLoop(settingsOf(flags, config, prompt, guards)).spec,
    guards,
    agent,
    ...runFallbacks(flags, config, agent, checks),
    checks: [...checks, ...reviewSpecs(flags, config, checks)],
    workspace: workspaceSpec(root, flags.worktree ?? config.worktree ?? false),
    ...(protect.length === 0 ? {} : { protect }),
    ...proofSettings(flags, config),
    ...isolationSettings(flags, config),
    ...expertSpecs(config, checks),
    ...(questioner === undefined ? {} : { questioner }),
  }
}

function settingsOf(flags: RalphFlags, config: PawlConfig, prompt: string, guards: RunConfig['guards']): RalphSettings {
  const settings: Partial<RalphSettings> = loopSettings(RALPH_LOOP.entries, flags, config)
  const { iterationsMin } = settings
  const max = guards.find((guard) => guard.name === 'maxIterations')?.settings['iterationsMax']
  if (iterationsMin !== undefined && typeof max === 'number' && iterationsMin > max)
    throw new PawlError('usage.number', `--min-iterations ${iterationsMin} is more than the ${max} iterations there are at most.`)
  return { prompt, ...settings }
}
