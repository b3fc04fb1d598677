import type { EffectOf } from '../core/effect.ts'
import type { Fact } from '../core/event.ts'
import { planAnswer, type PlanAnswer } from '../core/plan-answer.ts'
import type { Agent, WorkResult } from '../ports/agent.ts'
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
      answered = await parts.agent.work(...words)
      await putBack(effect, 'planner', performance)
      return answered
    },
  })
  const withPlan = (facts: readonly Fact[]) =>
    post(facts.flatMap((fact) => (fact.type === 'work.finished' ? [proposal(fact, answered), fact] : [fact])))
  await performWork(effect, { ...performance, parts: { ...parts, agent: planner }, post: withPlan })
}

function proposal({ at, by, data: { key } }: Fact<'work.finished'>, answered: WorkResult | undefined): Fact {
  return { type: 'plan.proposed', at, by, data: { key, ...planIn(answered) } }
}

/** What it said, else what it printed: as a reviewer's verdict is read. */
function planIn(answered: WorkResult | undefined): PlanAnswer {
  if (answered?.status !== 'finished') return { trouble: 'The planner did not finish.' }
  const { words, output, summary } = answered
  return planAnswer(words ?? output?.text ?? summary ?? '')
}
