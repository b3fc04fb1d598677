import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ralphLoop } from '../../loops/ralph/index.ts'
import { type SessionProject, sessionProject } from '../../../test/support/session-project.ts'
import type { AgentName } from './protocol.ts'

let project: SessionProject

beforeEach(() => {
  project = sessionProject()
})
afterEach(() => project.remove())

const COMPLETE = '<promise>COMPLETE</promise>'
const loop = ralphLoop({ prompt: 'Make work.txt say done.', baseline: true })

/** An end of a turn as each agent sends it. */
function stop(agent: AgentName, words: string): Readonly<Record<string, unknown>> {
  if (agent === 'gemini') return { hook_event_name: 'AfterAgent', prompt: 'p', prompt_response: words }
  return { hook_event_name: 'Stop', last_assistant_message: words, ...(agent === 'codex' ? { turn_id: 't' } : {}) }
}

const AGENTS = ['claude', 'codex', 'gemini', 'qwen'] as const
const decision = (agent: AgentName): string => (agent === 'gemini' ? 'deny' : 'block')

const CHECK = 'grep -q done work.txt\n'

/** A session that weakens its test is let go, and a person answers that it must undo that. */
async function refuted(agent: AgentName): Promise<void> {
  project.write('check.sh', CHECK)
  await project.begin('r', 's-1', { loop, check: 'sh check.sh' }, agent)
  project.write('check.sh', 'true\n')
  const { answer } = await project.call(agent, stop(agent, COMPLETE))
  expect(answer).toEqual({ systemMessage: expect.stringContaining('With the original tests, "done" fails') })
  expect(answer['systemMessage']).toContain('pawl answer r')
  expect((await project.state('r'))?.question?.question.code).toBe('refuted')
  await project.answer('r', 'continue')
}

describe.each(AGENTS)('a stop of %s', (agent) => {
  it('HOOK-96 that the proof refutes lets go and says what speaks against it, and after the answer the brief does', async () => {
    await refuted(agent)
    const next = await project.call(agent, stop(agent, 'What now?'))
    expect(next.answer).toMatchObject({ decision: decision(agent) })
    expect(next.answer['reason']).toContain("You said COMPLETE, but it doesn't hold. The checks pass, but that doesn't prove")
    expect(next.answer['reason']).not.toContain('old-tests-fail')
    expect((await project.events('r')).filter((type) => type === 'iteration.ended')).toHaveLength(1)
  })

  it('HOOK-96, SAFE-1 after that answer a turn that changed files is checked at once, by its own result', async () => {
    await refuted(agent)
    project.write('check.sh', CHECK)
    const undone = await project.call(agent, stop(agent, 'The test is back.'))
    expect(undone.answer).toMatchObject({ decision: decision(agent) })
    expect(undone.answer['reason']).not.toContain('You said COMPLETE')
    expect(undone.answer['reason']).not.toContain('Everything passed')
    project.write('work.txt', 'done\n')
    const done = await project.call(agent, stop(agent, COMPLETE))
    expect(done.answer).toEqual({ systemMessage: expect.stringContaining('run r is completed after iteration 3') })
  })

  it('HOOK-96 that nothing proves lets go and asks, since the checks passed before any work', async () => {
    project.write('work.txt', 'done\n')
    await project.begin('r', 's-1', { loop }, agent)
    project.write('notes.txt', 'more\n')
    const { answer } = await project.call(agent, stop(agent, COMPLETE))
    expect(answer).toEqual({ systemMessage: expect.stringContaining('The checks passed before any work') })
    expect(answer['systemMessage']).toContain('pawl answer r')
    expect(await project.state('r')).toMatchObject({ status: 'escalated', question: { question: { code: 'unproven' } } })
  })

  it.each([
    ['in a sentence', `2 items open, so no ${COMPLETE} yet`],
    ['before the last line', `${COMPLETE}\nBut one test is still missing.`],
    ['in a quotation', `The brief says:\n> ${COMPLETE}`],
    ['with another word', '<promise>DONE</promise>'],
  ])('HOOK-97 takes no promise %s, and its next brief says so', async (_where, words) => {
    await project.begin('r', 's-1', { loop }, agent)
    project.write('work.txt', 'done\n')
    const { answer } = await project.call(agent, stop(agent, words))
    expect(answer).toMatchObject({ decision: decision(agent) })
    expect(answer['reason']).toContain("Your last message didn't end with a promise")
    expect(await project.events('r')).not.toContain('promise.claimed')
    const kept = await project.call(agent, stop(agent, `Done.\n\n${COMPLETE}`))
    expect(kept.answer).toEqual({ systemMessage: expect.stringContaining('run r is completed') })
  })
})
