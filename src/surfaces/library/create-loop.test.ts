import { describe, expect, expectTypeOf, it } from 'vitest'
import { budget, maxIterations } from '../../guards/index.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { Question } from '../../core/question.ts'
import { customCheck } from '../../checks/custom.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { taskLoop } from '../../loops/task/index.ts'
import type { Agent } from '../../agents/agent.ts'
import { customAgent, type CustomAgentOptions } from '../../agents/custom-agent.ts'
import type { DriveResult } from '../../engine/drive.ts'
import { memoryWorkspace } from '../../testing/memory-parts.ts'
import { createLoop, type LoopOptions } from './create-loop.ts'

const AGENT: Agent = {
  spec: { name: 'custom', v: 1, settings: { name: 'scribe' } },
  isInProcess: true,
  work: async (_request, context) => {
    await context.started()
    return { status: 'finished', costUsd: 1 }
  },
}

const OPTIONS: LoopOptions = {
  loop: taskLoop({ goal: 'It is right' }),
  guards: [maxIterations(1)],
  agent: AGENT,
  checks: [customCheck({ name: 'tests', validatorId: 'tests', validate: () => false })],
  workspace: memoryWorkspace(),
  store: memoryStore(),
}

/** As a program in JavaScript may call it. */
function made(options: Readonly<Record<string, unknown>>) {
  return () => createLoop({ ...OPTIONS, ...options } as never)
}

/** Reads the question where the status says that there is one: that this compiles is the test. */
function told(outcome: DriveResult): string | undefined {
  if (outcome.status === 'escalated') return outcome.question.text
  if (outcome.status === 'stopped') return outcome.question.options[0]?.choice
  if (outcome.status === 'held') return String(outcome.holder?.pid)
  return outcome.question ?? outcome.message
}

async function runOf(work: CustomAgentOptions['work'], options: Partial<LoopOptions> = {}) {
  const loop = createLoop({ ...OPTIONS, agent: customAgent({ name: 'mine', work }), store: memoryStore(), ...options })
  const outcome = await loop.run('r')
  const events = await loop.events('r')
  const ended = events.find(({ type }) => /^work\.(?:finished|failed|timed-out)$/.test(type))
  return { outcome, ended, started: events[0] }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

describe("an agent of a program's own", () => {
  it('SAFE-14 is made by customAgent: it gets the brief and says what it did and what it cost', async () => {
    const briefs: string[] = []
    const { ended, started } = await runOf(({ brief }) => {
      briefs.push(brief)
      return { summary: 'Tried.', costUsd: 2 }
    })
    expect(briefs.join()).toContain('It is right')
    expect(ended).toMatchObject({ type: 'work.finished', data: { summary: 'Tried.', costUsd: 2 } })
    expect(started).toMatchObject({
      data: { config: { agent: { name: 'custom', settings: { name: 'mine' } }, program: expect.any(String) } },
    })
    expect((await runOf(() => 'Only words.')).ended).toMatchObject({ data: { summary: 'Only words.' } })
    expect((await runOf(() => undefined)).ended).toMatchObject({ type: 'work.finished' })
  })

  it('SAFE-14 fails the iteration if it throws, and is cut off at the end of its time', async () => {
    const thrown = await runOf(() => Promise.reject(new Error('no such model')))
    expect(thrown.ended).toMatchObject({ type: 'work.failed', data: { fault: 'agent', message: 'no such model' } })
    const late = await runOf((_request, { signal }) => aborted(signal), {
      guards: [maxIterations(1), budget({ durationMsMax: 50 })],
    })
    expect(late.outcome.status).not.toBe('completed')
  })

  it.each([{}, { name: 'mine' }, { name: 'mine', v: 1 }, null, 'mine'])('SAFE-15 spec: %j is refused in one sentence', (spec) => {
    const refused = made({ agent: { spec, work: () => undefined } })
    expect(refused).toThrow(
      /^createLoop: agent must be an agent, such as commandAgent\(.*\) or customAgent\(\{ name, work \}\), with a spec like \{ name: "mine", v: 1, settings: \{\} \}, not an object\.$/,
    )
    expect(made({ checks: [{ name: 'x', spec, run: () => undefined }] })).toThrow('with a spec like')
  })
})

describe('createLoop', () => {
  it.each([
    [{ protected: ['test/**'] }, 'createLoop has no option "protected"; did you mean "protect"?'],
    [{ guard: [] }, 'createLoop has no option "guard"; did you mean "guards"?'],
    [{ timeoutSeconds: 5 }, 'createLoop has no option "timeoutSeconds"; there are loop, guards, agent, checks, workspace'],
  ])('LIB-1 %j is refused', (options, message) => {
    expect(made(options)).toThrow(message)
    expect(made(options)).toThrow(expect.objectContaining({ code: 'setting.unknown' }))
  })

  it.each([
    [{ agent: undefined }, 'createLoop needs agent: an agent, such as commandAgent('],
    [{ checks: undefined }, 'createLoop needs checks: a list, each of it a check, such as commandCheck('],
    [{ store: undefined }, 'createLoop needs store: a store, such as sqliteStore('],
    [{ guards: maxIterations(8) }, 'createLoop: guards must be a list of guards, such as [maxIterations(8)], not an object.'],
    [{ guards: [maxIterations] }, 'guards[0] must be a guard, such as maxIterations(8), not the function maxIterations.'],
    [{ protect: 'test/**' }, 'createLoop: protect must be a list of texts, not "test/**".'],
    [{ onLimit: 'stop' }, 'createLoop: onLimit must be wait or switch, not "stop".'],
    [{ experts: { sameFailure: 'claude' } }, 'createLoop: experts.sameFailure must be an agent, such as commandAgent('],
    [{ person: () => undefined }, 'createLoop: person must be someone with a function ask, not the function person.'],
  ])('LIB-2 %o is refused', (options, message) => {
    expect(made(options)).toThrow(message)
    expect(() => createLoop(undefined as never)).toThrow('createLoop takes an object with its options (loop, guards,')
  })

  it('LIB-5 what run and answer are given is looked at before anything is done', async () => {
    const loop = createLoop(OPTIONS)
    expect(() => loop.run('r', { onEvents: () => undefined } as never)).toThrow(
      'run has no option "onEvents"; did you mean "onEvent"?',
    )
    expect(() => loop.run('r', { answer: { chioce: '1' } } as never)).toThrow(
      'run: answer has no option "chioce"; did you mean "choice"?',
    )
    const numbered = { choice: 1 } as never
    await expect(loop.answer('r', numbered)).rejects.toThrow(
      'answer: choice must be the name of an option, or its number as a text, not 1.',
    )
    await expect(loop.answer('r', { choice: '1', notes: 'Mind the type.' } as never)).rejects.toMatchObject({
      code: 'setting.unknown',
    })
    expect(await loop.events('r')).toEqual([])
  })

  it('LIB-6 an escalated or stopped run has a question, as its type says', async () => {
    expectTypeOf<Extract<Outcome, { status: 'escalated' }>['question']>().toEqualTypeOf<Question>()
    expect(told(await createLoop(OPTIONS).run('asks'))).toMatch(/\?$/)
    expect(told(await createLoop({ ...OPTIONS, guards: [budget({ costUsdMax: 1 })] }).run('stops'))).toBe('continue')
    const loop = taskLoop({ goal: 'It is right', baseline: false })
    const checks = [customCheck({ name: 'tests', validatorId: 'tests', validate: () => true })]
    const passes = { ...OPTIONS, loop, checks, proof: { require: 'unproven' as const } }
    const passed = await createLoop(passes).run('ends')
    expect([passed.status, told(passed), 'question' in passed]).toEqual(['completed', expect.any(String), false])
  })
})
