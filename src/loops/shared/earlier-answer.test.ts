import { describe, expect, it } from 'vitest'
import { type IterationGiven, stateAfter } from '../../testing/state-builder.ts'
import { attemptsQuestion } from './questions.ts'
import { evolve } from '../evolve.ts'
import type { Event } from '../../core/event.ts'
import type { Failure } from '../../core/failure.ts'
import type { Question } from '../../core/question.ts'
import type { State } from '../../core/state.ts'

function mismatch(received: string): Failure {
  return { id: 'login > id', message: 'not equal', kind: 'assertion', expected: '123', received }
}

function asked(state: State): Question {
  return attemptsQuestion(state, [], { includesDiff: false })
}

function recommended({ options }: Question): readonly string[] {
  return options.filter((option) => option.recommended).map(({ choice }) => choice)
}

/** The state after a person answered what is asked now, and after these iterations on top of it. */
function answered(state: State, choice: string, note?: string): State {
  const at = { run: state.run, v: 1, at: state.at + 1 }
  const raised = { ...at, seq: state.seq + 1, type: 'escalation.raised', by: { role: 'loop' } }
  const answer = { ...at, seq: state.seq + 2, type: 'escalation.answered', by: { role: 'person' }, because: state.seq + 1 }
  const events = [
    { ...raised, data: { question: asked(state), trips: [], message: '' } },
    { ...answer, data: { choice, ...(note === undefined ? {} : { note }) } },
  ]
  return events.reduce<State>((before, event) => evolve(before, event as unknown as Event), state)
}

const one: readonly IterationGiven[] = [{ failures: [mismatch('"123"')] }]

describe('a question that comes again', () => {
  it('TASK-182 recommends what was answered before, and says so', () => {
    expect(recommended(asked(stateAfter(one)))).toEqual(['change-code'])
    const again = asked(answered(stateAfter(one), 'change-test', 'As the API says'))
    expect(recommended(again)).toEqual(['change-test'])
    expect(again.text).toContain(
      '\nYou answered this before: "123", so change the test (this expectation only) (As the API says).\nWhich is right?',
    )
  })

  it('TASK-182 is the same one also where the values have moved', () => {
    const before = answered(stateAfter(one), '2')
    const { recent } = stateAfter([{ failures: [mismatch('" 123"')] }])
    expect(recommended(asked({ ...before, recent }))).toEqual(['change-test'])
  })

  it("TASK-182 recommends nothing after words of the person's own, and repeats them", () => {
    const again = asked(answered(stateAfter(one), 'words', 'Ask the team of the API.'))
    expect(recommended(again)).toEqual([])
    expect(again.text).toContain('\nYou answered this before: Ask the team of the API.\n')
  })

  it('TASK-182 holds to the last answer, and of another question to none', () => {
    const twice = answered(answered(stateAfter(one), 'change-test'), 'accept-both')
    expect(recommended(asked(twice))).toEqual(['accept-both'])
    const other = stateAfter([{ failures: [{ ...mismatch('"123"'), id: 'another' }] }])
    const question = asked({ ...other, ...(twice.answers ? { answers: twice.answers } : {}) })
    expect(recommended(question)).toEqual(['change-code'])
    expect(question.text).not.toContain('before:')
  })

  it('TASK-182 of tests that contradict each other is held to as well; to go on as before is no ruling', () => {
    const toAndFro = stateAfter([{ failures: ['a'] }, { failures: ['b'] }, { failures: ['a'] }])
    expect(recommended(asked(toAndFro))).toEqual(['continue'])
    expect(recommended(asked(answered(toAndFro, 'change-test')))).toEqual(['change-test'])
    const plain = answered(stateAfter([{ failures: ['a'] }]), 'continue')
    expect(plain.answers).toBeUndefined()
    expect(asked(plain).text).not.toContain('before:')
  })

  it('TASK-183 answered otherwise takes the place of what was said and allowed before', () => {
    const before = answered(stateAfter(one), 'change-test')
    expect(before.allowances).toHaveLength(1)
    const after = answered(before, 'change-code')
    expect(after.allowances).toEqual([])
    expect(after.notes).toEqual(['In "login > id" the test is right: change the code so that it gives 123.'])
    expect(answered(after, 'words', 'Wait.')).toMatchObject({ allowances: [], notes: [...after.notes, 'Wait.'] })
  })

  it('TASK-182 remembers five answers', () => {
    const many = ['1', '2', '3', '1', '2', '3', '1'].reduce<State>((state, choice) => answered(state, choice), stateAfter(one))
    expect(many.answers).toHaveLength(5)
  })
})
