import { memoizedDefinition } from '../../core/definition.ts'
import type { Guard } from '../../core/guard.ts'
import { guardFrom } from '../../core/guards/index.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { AgentAnswer } from '../../core/research/agent-answer.ts'
import type { RunConfig } from '../../core/run-config.ts'
import { checkedRunId } from '../../core/run-id.ts'
import { type LeadAnswer, leadAnswer, researchLoop, type ResearchSettings } from '../../loops/research/index.ts'
import type { Agent } from '../../ports/agent.ts'
import type { Codebase } from '../../ports/codebase.ts'
import type { Store } from '../../ports/store.ts'
import type { Workspace } from '../../ports/workspace.ts'
import { machineProcesses } from '../../process/machine-processes.ts'
import { type HandedWork, handInWork, type Wanted } from '../../runner/hand-in-work.ts'
import { loadState } from '../../runner/load-state.ts'
import { systemClock } from '../../runner/system-clock.ts'

/** What a lead agent drives research with. */
export interface ResearchStepOptions {
  /** The run: an unknown one is started, a known one goes on. */
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
  readonly signal?: AbortSignal
}

/** What one agent brought: its answer, its words with the JSON at the end, or why it failed. */
export interface LeadHandIn {
  /** The specialist's role as it was asked for; in the first step any name. */
  readonly role: string
  /** Tells apart several agents of one role. Default: the first of that role. */
  readonly key?: string
  readonly answer?: Partial<AgentAnswer> | string
  readonly failed?: string
}

/**
 * One step of research that a lead agent drives: findings in; out comes CONTINUE with the agents to spawn, each with its whole prompt, or
 * EXIT, FULL or PARTIAL, with the updated findings. The same engine and the same journal as a run that Pawl drives itself.
 */
export async function researchStep(options: ResearchStepOptions): Promise<LeadAnswer> {
  const { store, workspace, codebase, guards = [], answers = [], signal } = options
  const run = checkedRunId(options.run)
  const known = await loadState(store, run)
  const settings = known ? (known.config.loop.settings as unknown as ResearchSettings) : withCohort(options.settings, answers)
  const loop = researchLoop(settings)
  const config: RunConfig = {
    loop: loop.spec,
    guards: guards.map(({ spec }) => spec),
    agent: LEAD.spec,
    checks: [],
    workspace: workspace.spec,
  }
  const parts = {
    definition: memoizedDefinition({ loop: () => loop, guard: (spec) => guardFrom(spec, guards) }),
    config: known?.given ?? config,
    agent: LEAD,
    checks: [],
    workspace,
    codebase,
    store,
    clock: systemClock,
    processes: machineProcesses,
  }
  const { state, works } = await handInWork(parts, run, (wanted) => handedIn(wanted, answers), signal)
  return leadAnswer(state, works)
}

/** The agent of such a run is outside; whoever asks it to work itself has taken the wrong door. */
const LEAD: Agent = {
  spec: { name: 'lead', v: 1, settings: {} },
  work: async () => ({
    status: 'failed',
    fault: 'config',
    message: 'This research is driven by a lead agent: hand its findings in with researchStep.',
  }),
}

/** Who brings findings to begin with is the first cohort. */
function withCohort(settings: ResearchSettings, answers: readonly LeadHandIn[]): ResearchSettings {
  const roles = answers.map(({ role }) => role)
  return roles.length === 0
    ? settings
    : { ...settings, cohort: roles, agentsMax: Math.max(roles.length, settings.agentsMax ?? 3) }
}

function handedIn({ works, state }: Wanted, answers: readonly LeadHandIn[]): readonly HandedWork[] {
  const left = [...works]
  return answers.map(({ role, key, answer, failed }) => {
    const place = left.findIndex((work) => (key === undefined ? work.role.endsWith(`:${role}`) : work.key === key))
    const [work] = place < 0 ? [] : left.splice(place, 1)
    if (!work) {
      const wanted = works.map((each) => each.role.split(':')[1]).join(', ')
      throw new PawlError(
        'work.not-wanted',
        `Run ${state.run} does not want an answer of "${key ?? role}" now; ${wanted === '' ? 'it wants none' : `it wants ${wanted}`}.`,
        { value: key ?? role },
      )
    }
    if (failed !== undefined) return { key: work.key, failed }
    return { key: work.key, text: typeof answer === 'string' ? answer : JSON.stringify({ findings: [], ...answer }) }
  })
}
