import { isOver } from '../../core/outcome.ts'
import { builtInFolds } from '../../loops/evolve.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { checkedRunId } from '../../core/names.ts'
import type { State } from '../../core/state.ts'
import { redactJson } from '../../secrets/filter.ts'
import type { Store } from '../../stores/store.ts'
import { loadState } from '../../engine/session.ts'
import { nameFromGoal } from '../../settings/task-list.ts'
import type { CliContext } from './cli-context.ts'
import { AGENT_PRESETS } from '../../settings/agent-presets.ts'

/** A name for a new run: its goal without secrets, with a number if the name is taken. */
export async function freeRunId(store: Store, name: string): Promise<string> {
  return nameFromGoal(await redactJson(name), new Set((await store.runs()).map((entry) => entry.run)))
}

/**
 * The state of the run to continue; undefined if there is no such run. Throws if it is over (`look` says how to see it) or belongs to
 * another loop.
 */
export async function knownRun(
  store: Store,
  id: string,
  { loop }: RunConfig,
  look = `look at it with \`pawl show ${id}\``,
): Promise<State | undefined> {
  const run = checkedRunId(id)
  const state = await loadState(store, run, builtInFolds)
  if (!state) return undefined
  if (state.config.loop.name !== loop.name)
    throw new PawlError('usage.other-loop', `Run ${run} is a run of the ${state.config.loop.name} loop: choose another --id.`)
  if (isOver(state))
    throw new PawlError('usage.run-over', `Run ${run} is ${state.status} already: choose another --id, or ${look}.`)
  return state
}

/** Warns if a money limit can't see the cost of some or all agents. */
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

/** Every agent that the budget counts: workers, reviewers, the questioner and experts. */
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
