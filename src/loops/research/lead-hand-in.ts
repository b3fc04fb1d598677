import type { EffectKey, EffectOf } from '../../core/effect.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { AgentAnswer } from './agent-answer.ts'
import type { PartSpec, RunConfig } from '../../core/run-config.ts'
import { researchLoop } from './index.ts'
import type { ResearchSettings } from './research-settings.ts'

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
  { guards, workspace, codebase }: Pick<RunConfig, 'guards' | 'workspace' | 'codebase'>,
): RunConfig {
  const roles = answers.map(({ role }) => role)
  const cohort = roles.length === 0 ? {} : { cohort: roles, agentsMax: Math.max(roles.length, settings.agentsMax ?? 3) }
  const { spec } = researchLoop({ ...settings, ...cohort })
  return { loop: spec, guards, agent: LEAD, checks: [], workspace, ...(codebase ? { codebase } : {}) }
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
