import type { Json } from '../../core/json.ts'
import { partSpec, type PartSpec, type RunConfig } from '../../core/run-config.ts'

/** One of several things that agents do at the same time, each in a run of its own. */
export interface ParallelChild {
  /** Short name, unlike the others. */
  readonly id: string
  readonly goal: string
  /** Ids of those that must be merged before it begins. Default: none. */
  readonly needs?: readonly string[]
  /** Everything that decides how its runs go. */
  readonly config: RunConfig
}

export interface ParallelSettings {
  /** What it is all for, in the user's words. */
  readonly goal: string
  /** `tasks`: every child's work is merged. `race`: only that of the winner. */
  readonly mode: 'tasks' | 'race'
  readonly children: readonly ParallelChild[]
  /** How many agents work at a time. */
  readonly parallel: number
  /** In a race: wait for all, and take the best. Default: the first that is proven. */
  readonly best?: true
  /** The branch that gets the result once everything is merged. Default: none of the user's. */
  readonly onto?: string
}

/** The loop as data. */
export function parallelSpec(settings: ParallelSettings): PartSpec {
  return partSpec('parallel', settings)
}

/** The settings that a run of the loop recorded. */
export function settingsIn({ name, settings }: PartSpec): ParallelSettings | undefined {
  return name === 'parallel' ? (settings as unknown as ParallelSettings & { readonly [name: string]: Json }) : undefined
}

/** The branch that a run's result is put on. */
export function resultBranch(run: string): string {
  return `pawl/${run}`
}

/** The run of a child's attempt. */
export function childRun(parent: string, child: string, stage: 'work' | 'merge', attempt: number): string {
  const name = `${parent}-${child}`
  if (stage === 'merge') return `${name}-merge${attempt > 2 ? `-${attempt}` : ''}`
  return attempt === 1 ? name : `${name}-${attempt}`
}
