import { type EffectKey, effectKey } from '../../core/effect.ts'
import type { GapKind, GapPriority } from './gap.ts'

/** How much thought a task is worth; which model that is, the configuration of the agents says. */
export type ModelClass = 'fast' | 'deep'

/** A specialist and what it is sent for. The prompt is `promptFor` of the loop: a function of this and the state. */
export interface AgentAssignment {
  /** Counted from 0 within the iteration: its results are integrated in this order. */
  readonly index: number
  /** The specialist: `explore`, `citation`, `pattern`, `verification`, `security`, `performance`. */
  readonly role: string
  /** The name by which a lead agent spawns it: `Explore`. */
  readonly subagentType: string
  readonly model: ModelClass
  /** A few words: `Trace JWT validation flow`. */
  readonly description: string
  /** What to look at, in sentences. */
  readonly focus: string
  /** What it is sent for; absent in the first iteration and for a forced exploration. */
  readonly gapKind?: GapKind
  readonly priority?: GapPriority
  /** Ids of the gaps it covers, the main one first. */
  readonly gaps: readonly string[]
  /** Set when nothing was actionable and one broad exploration is made all the same. */
  readonly isForced?: true
}

/** The agents of an iteration, as they stand. */
export interface AssignmentProgress extends AgentAssignment {
  /** How often it was asked; a bad answer is sent back once. */
  readonly asked: number
  /** How often it was sent once more because it failed. Default 0. */
  readonly retries?: number
  readonly status: 'at work' | 'answered' | 'failed'
  /** The work whose answer counts. */
  readonly work?: EffectKey
  /** What was wrong with its last answer. */
  readonly errors?: readonly string[]
  /** Why it failed. */
  readonly failure?: string
}

/** The key of the work an agent is asked for now; asked again, it is another one. */
export function workKey(
  iteration: number,
  { role, index, asked, retries = 0 }: Pick<AssignmentProgress, 'role' | 'index' | 'asked' | 'retries'>,
): EffectKey {
  return effectKey(iteration, `${role}${asked === 1 ? '' : '.again'}${retries === 0 ? '' : `.retry${retries}`}`, index)
}
