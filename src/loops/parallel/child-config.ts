import type { Json, JsonObject } from '../../core/json.ts'
import type { GuardSpec, RunConfig } from '../../core/run-config.ts'
import type { ChildStart } from './events.ts'
import type { ParallelChild, ParallelSettings } from './settings.ts'

/** What a child's run is made of when it begins. */
export function childConfig(
  { mode, children }: ParallelSettings,
  { id, config, goal }: ParallelChild,
  { stage }: Pick<ChildStart, 'stage'>,
  {
    parent,
    merged,
    spent,
  }: {
    readonly parent: string
    readonly merged: readonly string[]
    readonly spent: { readonly costUsd: number; readonly tokens: number }
  },
): RunConfig {
  const open = children.filter((child) => !merged.includes(child.id))
  const others = open.filter((child) => child.id !== id)
  const { settings } = config.loop
  const areOthersOpen = mode === 'tasks' && others.length > 0
  const told =
    stage === 'merge'
      ? mergeSettings(
          settings,
          goal,
          children.filter((child) => merged.includes(child.id)),
        )
      : settings
  return {
    ...config,
    parent,
    loop: { ...config.loop, settings: { ...told, areOthersOpen } },
    guards: config.guards.map((guard) => withShare(guard, open.length, spent)),
  }
}

/** The work is done already; tests were written then. */
function mergeSettings(settings: JsonObject, goal: string, merged: readonly ParallelChild[]): JsonObject {
  const whole = `${goal}\n\nThis was done already, while others did: ${merged.map((child) => child.goal.split('\n')[0]).join('; ')}.\nIt is merged with their work now. Both must keep working.`
  const tasks = settings['tasks'] as readonly JsonObject[] | undefined
  return {
    ...settings,
    testFirst: false,
    ...(tasks
      ? { tasks: tasks.map((task): Json => ({ ...task, goal: whole, ...('testFirst' in task ? { testFirst: false } : {}) })) }
      : { goal: whole }),
  }
}

/** The budget is for all together: each that begins gets an equal share of what those that are over have left. */
function withShare(guard: GuardSpec, count: number, spent: { readonly costUsd: number; readonly tokens: number }): GuardSpec {
  if (guard.name !== 'budget') return guard
  const share = (max: Json | undefined, used: number): number | undefined =>
    typeof max === 'number' && max > 0 ? Math.max(max - used, max / 100) / Math.max(1, count) : undefined
  const costUsdMax = share(guard.settings['costUsdMax'], spent.costUsd)
  const tokensMax = share(guard.settings['tokensMax'], spent.tokens)
  return {
    ...guard,
    settings: {
      ...guard.settings,
      ...(costUsdMax === undefined ? {} : { costUsdMax: Number(costUsdMax.toFixed(4)) }),
      ...(tokensMax === undefined ? {} : { tokensMax: Math.max(1, Math.floor(tokensMax)) }),
    },
  }
}
