import { describe, expect, expectTypeOf, it } from 'vitest'
import { budget, maxIterations } from '../../guards/index.ts'
import type { Outcome } from '../../core/outcome.ts'
import type { Question } from '../../core/question.ts'
import { customCheck } from '../../checks/custom.ts'
import { memoryStore } from '../../stores/memory-store.ts'
import { taskLoop } from '../../loops/task/index.ts'
import type { Agent } from '../../agents/agent.ts'
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
