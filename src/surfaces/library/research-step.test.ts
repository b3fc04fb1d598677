import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../stores/memory-store.ts'
import { memoryCodebase, memoryWorkspace } from '../../testing/memory-parts.ts'
import type { Agent } from '../../agents/agent.ts'
import { honestly, judged } from '../../../test/support/research-judge.ts'
import { found } from '../../../test/support/research-play.ts'
import { type LeadHandIn, researchStep } from './research-step.ts'

const FILES = {
  'src/login.ts': 'export function login(user) {\n  return token(user)\n}',
  'src/token.ts': 'export function token(login) {\n  return sign(login)\n}',
}

const judge: Agent = {
  spec: { name: 'judging', v: 1, settings: {} },
  isInProcess: true,
  work: async ({ brief }, context) => {
    await context.started()
    return { status: 'finished', output: { text: judged(brief, honestly), bytesCut: 0 } }
  },
}

function lead(goal = 'How does login work across the app?', more: { readonly judge?: Agent } = { judge }) {
  const workspace = memoryWorkspace(FILES)
  const codebase = memoryCodebase(workspace.files)
  const store = memoryStore()
  const settings = { goal, iterationsMax: 3, strategy: 'narrow' as const }
  const step = async (...answers: readonly LeadHandIn[]) =>
    researchStep({ run: 'lead', settings, codebase, workspace, store, answers, ...more })
  return { step, store }
}

const first = { findings: [found('Login asks for a token', ['src/login.ts:2:return token(user)'], { answers: ['question-1'] })] }
const second = { findings: [found('The token is signed', ['src/token.ts:2:return sign(login)'], { answers: ['question-1'] })] }

describe('a lead agent drives', () => {
  it('RES-61 findings in, CONTINUE with whom to spawn; findings in, EXIT FULL with the updated findings', async () => {
    const { step, store } = lead()
    const next = await step({ role: 'lead', answer: first })
    expect(next).toMatchObject({
      decision: 'CONTINUE',
      iteration: 2,
      agents: [
        {
          key: '2/explore/0',
          subagent_type: 'Explore',
          model: 'fast',
          description: expect.stringContaining('Explore missing files'),
        },
      ],
      result: { findings: [{ id: 'finding-001', confidence: 0.9 }] },
    })
    const prompt = next.decision === 'CONTINUE' ? (next.agents[0]?.prompt ?? '') : ''
    expect(prompt).toContain('Analyze ONLY these files: src/token.ts.')
    expect(prompt).toContain('finding-001 (iteration 1, confidence 0.90, src/login.ts:2): Login asks for a token')
    const last = await step({ role: 'explore', answer: `Here it is.\n${JSON.stringify(second)}` })
    expect(last).toMatchObject({ decision: 'EXIT', status: 'FULL', convergence: { coverage: 1 } })
    expect(last.result.findings).toHaveLength(2)
    expect((await store.read('lead')).filter(({ type }) => type === 'run.started')).toHaveLength(1)
  })

  it('RES-134 without a judge of its own a lead’s answers stay claimed, whatever it says, and it never ends FULL', async () => {
    const { step } = lead('How does login work?', {})
    const said = { ...first, questions: [{ id: 'question-1', status: 'answered' as const }] }
    let next = await step({ role: 'lead', answer: said })
    for (let steps = 0; next.decision === 'CONTINUE' && steps < 5; steps++)
      next = await step(...next.agents.map(({ role, key }) => ({ role, key, answer: said })))
    expect(next).toMatchObject({ decision: 'EXIT', status: 'PARTIAL' })
    expect(next.result.questions).toMatchObject([{ status: 'claimed' }])
    expect(next.result.findings[0]).toMatchObject({ confidence: 0.75 })
  })

  it('RES-62 without findings it begins with the strategy’s cohort, and asks for those that are still out', async () => {
    const { step } = lead()
    const begun = await step()
    expect(begun.decision === 'CONTINUE' && begun.agents.map(({ subagent_type: type }) => type)).toEqual(['Explore', 'Citation'])
    const half = await step({ role: 'citation', answer: first })
    expect(half.decision === 'CONTINUE' && half.agents.map(({ role }) => role)).toEqual(['explore'])
    const failed = await step({ role: 'explore', failed: 'It timed out.' })
    expect(failed).toMatchObject({ decision: 'CONTINUE', iteration: 2, convergence: { agentFailures: ['explore'] } })
  })

  it('RES-97 a refused answer is reported at once with its errors, while others are still out, and the fixed one is taken under the same role', async () => {
    const { step } = lead()
    await step()
    const half = await step({ role: 'citation', answer: { findings: [{ description: 3 }] } as never })
    expect(half).toMatchObject({
      decision: 'CONTINUE',
      refused: [
        {
          role: 'citation',
          key: '1/citation.again/1',
          errors: [expect.stringContaining('description must be a text'), expect.anything()],
        },
      ],
    })
    expect(half.decision === 'CONTINUE' && half.agents.map(({ key }) => key)).toEqual(['1/explore/0', '1/citation.again/1'])
    const mended = await step({ role: 'citation', answer: first })
    expect(mended).not.toHaveProperty('refused')
    expect(mended.decision === 'CONTINUE' && mended.agents.map(({ role }) => role)).toEqual(['explore'])
  })

  it('RES-97 what is refused twice is that agent’s failure, and is reported as one', async () => {
    const { step } = lead()
    await step()
    await step({ role: 'citation', answer: 'all done' })
    const twice = await step({ role: 'citation', answer: 'all done' })
    expect(twice).toMatchObject({ refused: [{ role: 'citation', isFailure: true }], agents: [{ role: 'explore' }] })
  })

  it('RES-63 a bad answer is sent back with its errors, and what nobody asked for is refused', async () => {
    const { step } = lead()
    const again = await step({ role: 'lead', answer: 'all done' })
    expect(again).toMatchObject({ decision: 'CONTINUE', agents: [{ key: '1/lead.again/0' }] })
    expect(again.decision === 'CONTINUE' && again.agents[0]?.prompt).toContain('there was no JSON object')
    await expect(step({ role: 'pattern', answer: first })).rejects.toMatchObject({ code: 'work.not-wanted' })
  })
})
