import type { WorkEffect } from '../../core/effect.ts'
import type { Fact } from '../../core/event.ts'
import { planAnswer, type PlanAnswer } from './planning.ts'
import { PawlError } from '../../core/pawl-error.ts'
import type { CommitEffect } from './events.ts'
import { redactSaid } from '../../secrets/filter.ts'
import type { Agent, WorkResult } from '../../agents/agent.ts'
import type { OwnPerformance } from '../../engine/performance.ts'
import { performWork } from '../../engine/perform-work.ts'
import { putBack } from '../../engine/perform-workspace.ts'

/** Performs the effects of a review loop. */
export const reviewPerformers = { plan: performPlan, commit: performCommit }

/**
 * Has an agent make a plan. It is work like any other, but what is changed meanwhile is put back, and what was answered is read and
 * appended together with the end of the work, before it: who finds the end on record finds the answer too.
 */
export async function performPlan(effect: WorkEffect, performance: OwnPerformance): Promise<void> {
  const { parts, post } = performance
  let answered: WorkResult | undefined
  const planner: Agent = Object.assign(Object.create(parts.agent) as Agent, {
    work: async (...words: Parameters<Agent['work']>) => {
      try {
        answered = await parts.agent.work(...words)
        return answered
      } finally {
        await putBack(effect, 'planner', performance)
      }
    },
  })
  const withPlan = async (facts: readonly Fact[]) => {
    const plan = await planIn(answered)
    await post(facts.flatMap((fact) => (fact.type === 'work.finished' ? [proposal(fact, plan), fact] : [fact])))
  }
  await performWork(effect, { ...performance, parts: { ...parts, agent: planner }, post: withPlan })
}

function proposal({ at, by, data: { key } }: Fact<'work.finished'>, plan: PlanAnswer): Fact {
  return { type: 'plan.proposed', at, by, data: { key, ...plan } }
}

/** What it said, else what it printed, since words are kept only up to a length. Names are made from it: secrets are out before. */
async function planIn(answered: WorkResult | undefined): Promise<PlanAnswer> {
  if (answered?.status !== 'finished') return { trouble: 'The planner did not finish.' }
  const { words, output, summary } = answered
  const said = [words, output?.text, summary].filter((text) => text !== undefined && text !== '')
  const answers = await Promise.all(said.map(async (text) => planAnswer(await redactSaid(text ?? ''))))
  return answers.find((answer) => 'items' in answer) ?? answers[0] ?? planAnswer('')
}

/** Commits what was approved, or what was there before. A workspace that cannot is a problem for a person: the work itself is done and stays. */
async function performCommit(effect: CommitEffect, { parts, state, post }: OwnPerformance): Promise<void> {
  const { key, item, branch, message } = effect
  const { workspace, clock } = parts
  const tip = state.slices?.commits?.tip
  const by = { role: 'workspace', name: workspace.spec.name } as const
  if (!workspace.commit) {
    const trouble = {
      message: `The workspace "${workspace.spec.name}" has no branches to commit to.`,
      fix: 'Use git, or continue without commits.',
    }
    const data = { key, reason: 'failed', fault: 'config', durationMs: 0, ...trouble } as const
    return post([{ type: 'work.failed', at: clock.now(), by, data }])
  }
  try {
    const after = tip === undefined ? {} : { after: tip }
    const made = await workspace.commit(state.run, { key, branch, message, ...after })
    await post([{ type: 'commit.created', at: clock.now(), by, data: { key, item, branch, ...made } }])
  } catch (error) {
    if (!(error instanceof PawlError) || !error.code.startsWith('workspace.')) throw error
    const data = { key, reason: 'failed', fault: 'environment', message: error.message, durationMs: 0 } as const
    await post([{ type: 'work.failed', at: clock.now(), by, data }])
  }
}
