import { join } from 'node:path'
import { builtInFolds } from '../../loops/evolve.ts'
import { memoizedDefinition } from '../../core/definition.ts'
import type { Guard } from '../../core/guard.ts'
import { guardFrom } from '../../guards/index.ts'
import { recordedSettings } from '../../core/run-config.ts'
import { checkedRunId } from '../../core/names.ts'
import {
  handedIn,
  LEAD,
  leadAnswer,
  type LeadAnswer,
  leadConfig,
  type LeadHandIn,
  type ResearchSettings,
} from '../../loops/research/index.ts'
import { researchLoop } from '../../loops/research/loop.ts'
import type { Agent } from '../../agents/agent.ts'
import type { Codebase } from '../../codebase/codebase.ts'
import type { Store } from '../../stores/store.ts'
import type { Workspace } from '../../workspaces/workspace.ts'
import { machineProcesses } from '../../process/processes.ts'
import { handInWork } from '../../engine/hand-in-work.ts'
import { loadState } from '../../engine/session.ts'
import { systemClock } from '../../process/clock.ts'
import { type EntriesOf, having, LIST, needed, optional, settingsSchema, SIGNAL, TEXT } from '../../schema/kinds.ts'
import { loadResearchFile, RESEARCH_FILE } from '../../settings/research-file.ts'
import { AGENT, CODEBASE, GUARDS, STORE, WORKSPACE } from '../../schema/part-kinds.ts'
import { readOptions } from '../../schema/read-options.ts'

export type { LeadHandIn } from '../../loops/research/index.ts'

/** What a lead agent drives research with. */
export interface ResearchStepOptions {
  /** The run: an unknown one is started, a known one continues. */
  readonly run: string
  /** The question and whatever of the rules differs; used when the run is started. */
  readonly settings: ResearchSettings
  readonly codebase: Codebase
  readonly workspace: Workspace
  readonly store: Store
  /** Guards besides the loop's own maximum, when the run is started. Default: none. */
  readonly guards?: readonly Guard[]
  /** What the agents brought since the last step. In the first step, from whomever it comes. Default: nothing. */
  readonly answers?: readonly LeadHandIn[]
  /**
   * Who judges whether the cited lines show what the answers say, in a session of its own that Pawl starts. Default: nobody, and then what the lead's agents say
   * stays `claimed`, unless the question only asks where something is or what uses it.
   */
  readonly judge?: Agent
  readonly signal?: AbortSignal
}

/**
 * One step of research that a lead agent drives: findings in; out comes CONTINUE with the agents to spawn, each with its whole prompt, or
 * EXIT, FULL or PARTIAL, with the updated findings. The same engine and the same journal as a run that Pawl drives itself.
 */
export async function researchStep(options: ResearchStepOptions): Promise<LeadAnswer> {
  readOptions('researchStep', OPTIONS, options)
  const { store, workspace, codebase, guards = [], answers = [], judge, signal } = options
  const run = checkedRunId(options.run)
  const known = await loadState(store, run, builtInFolds)
  const roles = judge ? { roles: { judge: judge.spec } } : {}
  const specs = { guards: guards.map(({ spec }) => spec), workspace: workspace.spec, ...roles }
  const config = known?.given ?? leadConfig(await withFile(options), answers, specs)
  const loop = researchLoop(recordedSettings(config.loop.settings))
  const parts = {
    definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec, guards) }),
    config,
    agent: LEAD_AGENT,
    ...(judge ? { roles: { judge } } : {}),
    checks: [],
    workspace,
    codebase,
    store,
    clock: systemClock,
    processes: machineProcesses,
  }
  const { state, works } = await handInWork(parts, run, (wanted) => handedIn(run, wanted.works, answers), signal)
  return leadAnswer(state, works)
}

/** The folder's own `pawl-research.yaml`, if it has one; the given settings win. */
async function withFile({ codebase: { spec }, settings }: ResearchStepOptions): Promise<ResearchSettings> {
  const folder = spec.settings['path']
  if (typeof folder !== 'string') return settings
  const { overrides } = await loadResearchFile(join(folder, RESEARCH_FILE), false)
  return { ...overrides, ...settings }
}

const OPTIONS = settingsSchema({
  run: needed(TEXT),
  settings: needed(having('the question and what of the rules differs, such as { goal: "…" }')),
  codebase: needed(CODEBASE),
  workspace: needed(WORKSPACE),
  store: needed(STORE),
  guards: optional(GUARDS),
  answers: optional(LIST),
  judge: optional(AGENT),
  signal: optional(SIGNAL),
} satisfies EntriesOf<ResearchStepOptions>)

/** The agent of such a run is outside; whoever asks it to work itself has taken the wrong door. */
const LEAD_AGENT: Agent = {
  spec: LEAD,
  work: async () => ({
    status: 'failed',
    fault: 'config',
    message: 'This research is driven by a lead agent: hand its findings in with researchStep.',
  }),
}
