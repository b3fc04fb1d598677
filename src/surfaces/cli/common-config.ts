import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import type { PawlConfig } from '../../settings/pawl-config.ts'
import {
  expertSpecs,
  guardSpecs,
  isolationSettings,
  proofSettings,
  questionerSpec,
  runFallbacks,
  type StartFlags,
} from './run-settings.ts'

/** Who does the work and who judges it. Each loop names its reviewers in its own way; they come after the checks. */
interface Players {
  readonly agent: PartSpec
  readonly checks: readonly PartSpec[]
  readonly reviews: readonly PartSpec[]
}

/** What every loop that changes files takes from flags and pawl.yaml. */
export function commonConfig(
  root: string,
  flags: Omit<StartFlags, 'reviewer'>,
  config: PawlConfig,
  { agent, checks, reviews }: Players,
): Omit<RunConfig, 'loop'> {
  const protect = flags.protect ?? config.protect ?? []
  const questioner = questionerSpec(flags, config)
  return {
    guards: guardSpecs(flags, config),
    agent,
    ...runFallbacks(flags, config, agent, checks),
    checks: [...checks, ...reviews],
    ...isolationSettings(root, flags, config),
    ...(protect.length === 0 ? {} : { protect }),
    ...proofSettings(flags, config),
    ...expertSpecs(config, checks),
    ...(questioner === undefined ? {} : { questioner }),
  }
}
