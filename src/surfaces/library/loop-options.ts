import type { Guard } from '../../core/guard.ts'
import type { Loop } from '../../core/loop.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Check } from '../../checks/check.ts'
import type { Codebase } from '../../codebase/codebase.ts'
import type { Person } from '../../engine/parts.ts'
import type { Store } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import {
  type EntriesOf,
  having,
  listOf,
  mapOf,
  needed,
  oneOf,
  optional,
  settingsSchema,
  TEXT,
  TEXTS,
} from '../../schema/kinds.ts'
import { wantedBy } from '../../schema/schema-at.ts'
import { AGENT, CHECK, CODEBASE, GUARDS, LOOP, STORE, WORKSPACE } from '../../schema/part-kinds.ts'

export interface LoopOptions {
  readonly loop: Loop
  /** Default: `defaultGuards()`: at most 3 iterations, a circuit breaker, tampering; the other guards only warn. */
  readonly guards?: readonly Guard[]
  readonly agent: Agent
  /** At least one: without a check nothing can be called a success. Research needs none: its citations are verified. */
  readonly checks: readonly Check[]
  readonly workspace: Workspace
  /** The files that research is about. Default: none, which only research minds. */
  readonly codebase?: Codebase
  readonly store: Store
  /** Globs of files the agent must not change; `pawl.yaml` and `.pawl/` are always among them. Default: none besides. */
  readonly protect?: readonly string[]
  /** Agents that play single roles of the loop, by the name of the role (`coder_a`). Default: `agent` plays them all. */
  readonly roles?: Readonly<Record<string, Agent>>
  /** Agents that go on in this order when one cannot: at a provider's limit, or because it is not there. Default: none. */
  readonly fallbacks?: readonly Agent[]
  /** Whether a provider's limit is always waited for, or never while another agent can go on. Default: waited for when its end is known and near (10 minutes). */
  readonly onLimit?: 'wait' | 'switch'
  /** Agents that a person may put to work when a guard has tripped, by the name of the guard. Default: none. */
  readonly experts?: Readonly<Record<string, Agent>>
  /** An agent that puts questions into words. Default: they are asked as they stand. */
  readonly questioner?: Agent
  /** A folder for the texts that a brief speaks of. Default: the agent is not told where the whole output is. */
  readonly textsFolder?: string
  /** Asked when a question comes up; without one the question waits in the journal and `run` returns `escalated`. */
  readonly person?: Person
  /** The name of this program, recorded in the run when a guard is a function of it. Default: `process.argv[1]`. */
  readonly program?: string
}

/** What may stand for each of them. */
export const LOOP_OPTIONS = settingsSchema({
  loop: needed(LOOP),
  guards: optional(GUARDS),
  agent: needed(AGENT),
  checks: needed(listOf(`a list, each of it ${wantedBy(CHECK)}`, CHECK)),
  workspace: needed(WORKSPACE),
  codebase: optional(CODEBASE),
  store: needed(STORE),
  protect: optional(TEXTS),
  roles: optional(mapOf('agents by the names of roles', AGENT)),
  fallbacks: optional(listOf('a list of agents', AGENT)),
  onLimit: optional(oneOf(['wait', 'switch'])),
  experts: optional(mapOf('agents by the names of guards', AGENT)),
  questioner: optional(AGENT),
  textsFolder: optional(TEXT),
  person: optional(having('someone with a function ask', 'ask')),
  program: optional(TEXT),
} satisfies EntriesOf<LoopOptions>)
