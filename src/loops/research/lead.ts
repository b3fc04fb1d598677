import type { Effect, EffectOf } from '../../core/effect.ts'
import type { EffectKey } from '../../core/event-data.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { AgentAnswer } from './answer.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { researchLoop } from './loop.ts'
import type { ResearchSettings, WholeResearchSettings } from './settings.ts'
import { type Convergence, researchOf, workKey } from './progress.ts'
import type { ModelClass } from './rules.ts'
import type { State } from '../../core/state.ts'
import { researchResult, type ResearchResult } from './result.ts'

/** What one agent brought: its answer, its words with the JSON at the end, or why it failed. */
export interface LeadHandIn {
  /** The specialist's role as it was asked for; in the first step any name. */
  readonly role: string
  /** Tells apart several agents of one role. Default: the first of that role. */
  readonly key?: string
  readonly answer?: Partial<AgentAnswer> | string
  readonly failed?: string
}

/** The agent of a run that a lead drives: it is outside. */
export const LEAD: PartSpec = { name: 'lead', v: 1, settings: {} }

/** A run that a lead drives, as data. Who brings findings to begin with is the first cohort. */
export function leadConfig(
  settings: ResearchSettings,
  answers: readonly LeadHandIn[],
  { guards, workspace, codebase, roles }: Pick<RunConfig, 'guards' | 'workspace' | 'codebase' | 'roles'>,
): RunConfig {
  const first = answers.map(({ role }) => role)
  const cohort = first.length === 0 ? {} : { cohort: first, agentsMax: Math.max(first.length, settings.agentsMax ?? 3) }
  const { spec } = researchLoop({ ...settings, ...cohort })
  return {
    loop: spec,
    guards,
    agent: LEAD,
    checks: [],
    workspace,
    ...(codebase ? { codebase } : {}),
    ...(roles ? { roles } : {}),
  }
}

/** The work that each answer is for. Throws `work.not-wanted` for one that nobody asked for. */
export function handedIn(
  run: string,
  works: readonly EffectOf<'work'>[],
  answers: readonly LeadHandIn[],
): readonly ({ readonly key: EffectKey } & ({ readonly text: string } | { readonly failed: string }))[] {
  const left = [...works]
  return answers.map(({ role, key, answer, failed }) => {
    const place = left.findIndex((work) => (key === undefined ? work.role.endsWith(`:${role}`) : work.key === key))
    const [work] = place < 0 ? [] : left.splice(place, 1)
    if (!work) {
      const wanted = works.map((each) => each.role.split(':')[1]).join(', ')
      throw new PawlError(
        'work.not-wanted',
        `Run ${run} does not want an answer of "${key ?? role}" now; ${wanted === '' ? 'it wants none' : `it wants ${wanted}`}.`,
        { value: key ?? role },
      )
    }
    if (failed !== undefined) return { key: work.key, failed }
    return { key: work.key, text: typeof answer === 'string' ? answer : JSON.stringify({ findings: [], ...answer }) }
  })
}

/** What a lead agent reads: whom to spawn, or that it is over, with the findings as they are now. */
export type LeadAnswer =
  | {
      readonly decision: 'CONTINUE'
      readonly iteration: number
      readonly agents: readonly AgentToSpawn[]
      /** Answers that were not taken: what is wrong with each, and under which key the fixed one is wanted. Default: none. */
      readonly refused?: readonly RefusedAnswer[]
      readonly convergence?: Convergence
      readonly result: ResearchResult
    }
  | {
      readonly decision: 'EXIT'
      readonly status: 'FULL' | 'PARTIAL'
      readonly reason: string
      readonly convergence?: Convergence
      readonly result: ResearchResult
    }
  /** A person has to be asked first; the run waits. */
  | { readonly decision: 'WAIT'; readonly reason: string; readonly result: ResearchResult }

/** An answer of the wrong shape. It may be fixed once; it is then one of `agents` again. */
export interface RefusedAnswer {
  readonly role: string
  readonly key: string
  readonly errors: readonly string[]
  /** Set when it was refused twice: it counts as that agent's failure, and no other is wanted. */
  readonly isFailure?: true
}

export interface AgentToSpawn {
  /** Names the work: its answer is handed in under it. */
  readonly key: string
  readonly role: string
  /** The agent's name as the configuration has it: `ExploreAgent`. */
  readonly agent: string
  readonly subagent_type: string
  readonly description: string
  readonly prompt: string
  /** The model as the configuration names it, such as `haiku`; else its class, `fast` or `deep`. */
  readonly model: string
}

/** Where a run that a lead drives stands. `effects` are those that the loop asks for now. */
export function leadAnswer(state: State, effects: readonly Effect[]): LeadAnswer {
  const result = researchResult(state)
  const { assignments, convergences } = researchOf(state)
  const last = convergences.at(-1)
  const convergence = last ? { convergence: last } : {}
  const agents = effects.flatMap((effect): AgentToSpawn[] => {
    if (effect.kind !== 'work') return []
    const index = Number(effect.key.split('/')[2])
    const [model = 'fast', role = ''] = effect.role.split(':') as [ModelClass, string]
    const sent = assignments.find((each) => each.index === index && each.role === role)
    const { roles } = state.config.loop.settings as unknown as WholeResearchSettings
    const { agent, name, modelNames = {} } = roles[role] ?? {}
    return [
      {
        key: effect.key,
        role,
        agent: agent ?? name ?? role,
        subagent_type: sent?.subagentType ?? role,
        description: sent?.description ?? role,
        prompt: effect.brief,
        model: sent?.modelName ?? modelNames[model] ?? model,
      },
    ]
  })
  const wrong = assignments.flatMap((each): RefusedAnswer[] => {
    const { role, errors, status } = each
    const key = workKey(state.current.number, each)
    if (errors === undefined || status === 'answered') return []
    return [{ role, key, errors, ...(status === 'failed' ? { isFailure: true } : {}) }]
  })
  const refused = wrong.length === 0 ? {} : { refused: wrong }
  if (agents.length > 0)
    return { decision: 'CONTINUE', iteration: state.current.number, agents, ...refused, ...convergence, result }
  if (state.status === 'escalated' || state.status === 'running') return { decision: 'WAIT', reason: state.message, result }
  const status = result.status === 'FULL' ? 'FULL' : 'PARTIAL'
  return { decision: 'EXIT', status, reason: state.message, ...convergence, result }
}
