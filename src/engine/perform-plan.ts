import type { EffectOf } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import { planAnswer, type PlanAnswer } from '../core/plan-answer.ts'
import { redactSaid } from '../secrets/filter.ts'
import type { Agent, WorkResult } from '../agents/agent.ts'
import type { Performance } from './perform.ts'
import { performWork } from './perform-work.ts'
import { putBack } from './put-back.ts'

/**
 * Has an agent make a plan. It is work like any other, but what is changed meanwhile is put back, and what was answered is read and
 * appended together with the end of the work, before it: who finds the end on record finds the answer too.
 */
export async function performPlan(effect: EffectOf<'work'>, performance: Performance): Promise<void> {
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
