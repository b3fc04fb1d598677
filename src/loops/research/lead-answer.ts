import type { Effect } from '../../core/effect.ts'
import { type ModelClass, workKey } from './assignment.ts'
import type { Convergence } from './convergence.ts'
import type { State } from '../../core/state.ts'
import { researchOf } from './research-iteration.ts'
import { type ResearchResult, researchResult } from './research-result.ts'

/** What a lead agent is told: whom to spawn, or that it is over, with the findings as they are now. */
export type LeadAnswer =
  | {
      readonly decision: 'CONTINUE'
      readonly iteration: number
      readonly agents: readonly AgentToSpawn[]
      /** Answers that were not taken: what is wrong with each, and under which key the mended one is wanted. Default: none. */
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

/** An answer of the wrong shape. It may be mended once; it is then one of `agents` again. */
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
  readonly subagent_type: string
  readonly description: string
  readonly prompt: string
  readonly model: ModelClass
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
    const names = { subagent_type: sent?.subagentType ?? role, description: sent?.description ?? role }
    return [{ key: effect.key, role, ...names, prompt: effect.brief, model }]
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
