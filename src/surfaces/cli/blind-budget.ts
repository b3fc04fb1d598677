import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import type { CliContext } from './cli-context.ts'
import { AGENT_PRESETS } from '../../settings/agent-presets.ts'

/** A limit that cannot work, or sees only a part of the work, must not look like one that does. */
export function warnOfBlindBudget({ terminal }: CliContext, config: RunConfig): void {
  const max = config.guards.find((guard) => guard.name === 'budget')?.settings['costUsdMax']
  if (typeof max !== 'number' || max <= 0) return
  const agents = agentsIn(config)
  const silent = [...new Set(agents.filter(tellsNoCost).map(({ name }) => name))]
  if (silent.length === 0) return
  const report = `${silent.join(' and ')} ${silent.length === 1 ? 'reports' : 'report'} tokens but no cost`
  const whose = silent.length === 1 ? 'its' : 'their'
  terminal.warn(
    agents.every(tellsNoCost)
      ? `Note: ${report}, so the money limit cannot end the run; --budget-tokens and --budget-time can.`
      : `Note: ${report}, so the money limit does not see ${whose} work; --budget-tokens and --budget-time do.`,
  )
}

/** Everybody whose work the budget counts: who works, who reviews, who puts questions into words, who is called in. */
function agentsIn({ agent, fallbacks = [], roles = {}, checks, questioner, experts = {} }: RunConfig): readonly PartSpec[] {
  const reviewers = checks.flatMap(({ settings }) => (settings['agent'] as unknown as PartSpec | undefined) ?? [])
  return [
    agent,
    ...fallbacks,
    ...Object.values(roles),
    ...reviewers,
    ...(questioner ? [questioner] : []),
    ...Object.values(experts),
  ]
}

function tellsNoCost({ name }: PartSpec): boolean {
  const preset = Object.hasOwn(AGENT_PRESETS, name) ? AGENT_PRESETS[name] : undefined
  return preset?.program !== undefined && !preset.isPriced
}
