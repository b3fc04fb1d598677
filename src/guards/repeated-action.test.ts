import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import type { Action } from '../core/action.ts'
import { repeatedAction } from './repeated-action.ts'

/** `a` is the call a with the result 0, `a1` with the result 1, `a?` without one, `a~` waits. */
function actions(text: string): readonly Action[] {
  return text.split(' ').map((word) => {
    const [name = '', rest = ''] = [word.slice(0, 1), word.slice(1)]
    if (rest === '?') return { name, input: 'i' }
    return { name, input: 'i', result: rest, ...(rest === '~' ? { isWaiting: true } : {}) }
  })
}
const after = (...iterations: readonly string[]) =>
  stateAfter(iterations.map((text) => ({ failures: ['x'], actions: actions(text) })))

const call = (name: string, input: string): Action => ({ name, input, result: 'r' })

describe('repeatedAction', () => {
  it.each([
    ['the same call, the same result, three times', 'x a a a', 'same'],
    ['twice is not often', 'a a', undefined],
    ['two in turn', 'a b a b a b', 'few'],
    ['three in turn', 'z a b c a b c a b c', 'few'],
    ['four in turn', 'a b c d a b c d a b c d', 'few'],
    ['a few in any order', 'a b b a a b', 'few'],
    ['with others in between, six times', 'a v a w a x a y a z a', 'between'],
    ['with others in between, five times', 'a w a x a y a z a', undefined],
    ['now and then among much else', 'a q r s a t u v a w x y a z k l a m n o a', undefined],
    ['polling that sees something new', 'a1 a2 a3 a4 a5 a6 a7 a8', undefined],
    ['with others in between, and one of them sees something new', 'a v1 a v2 a v3 a v4 a v5 a', undefined],
    ['waiting is what waiting is for', 'a~ a~ a~ a~ a~ a~', undefined],
    ['waiting in between does not hide it', 'a x~ a x~ a', 'same'],
    ['what has no result equals none', 'a? a? a? a?', undefined],
    ['one that is under way', 'a a a a?', undefined],
    ['a batch of edits, each another', 'a b c d e f g h', undefined],
    ['the test after every edit', 't0 e t1 f t2 g t3', undefined],
    ['none at all', '', undefined],
  ])('GUARD-39 %s', (_name, text, kind) => {
    const [trip] = repeatedAction().inspect(text === '' ? stateAfter([{ failures: ['x'] }]) : after(text))
    expect(trip?.evidence.measures['kind']).toBe(kind)
  })

  it('GUARD-39 counts over iterations', () => {
    expect(repeatedAction().inspect(after('a', 'a', 'a'))).toHaveLength(1)
  })

  it('GUARD-39 the same call with another input is another call', () => {
    const others = ['1', '2', '3', '4'].map((input) => ({ name: 'read', input, result: 'empty' }))
    expect(repeatedAction().inspect(stateAfter([{ actions: others }]))).toEqual([])
  })

  it.each<[string, (round: number) => readonly Action[], boolean]>([
    ['every edit is another', (round) => [call('Edit', `${round}`), call('Bash', 'test')], false],
    ['with reading', (round) => [call('Read', `${round}`), call('edit_file', `${round}`), call('Bash', 'test')], false],
    ['by a server', (round) => [call('mcp__fs__write_file', `${round}`), call('Bash', 'test')], false],
    ['the edits come again', (round) => [call('Edit', `${round % 6}`), call('Bash', 'test')], true],
    ['no edit at all', (round) => [call('Read', `${round}`), call('Bash', 'test')], true],
    ['a list of things to do', (round) => [call('TodoWrite', `${round}`), call('Bash', 'test')], true],
    ['work handed on', (round) => [call('dispatch_agent', `${round}`), call('Bash', 'test')], true],
  ])('GUARD-242 edit and check is no repetition, but the same edits are: %s', (_name, inRound, holds) => {
    const rounds = Array.from({ length: 14 }, (_, round) => inRound(round)).flat()
    expect(repeatedAction().inspect(stateAfter([{ failures: ['x'], actions: rounds }])).length > 0).toBe(holds)
  })

  it('GUARD-39 names the call and a value that would let it continue', () => {
    const test = { name: 'bash', input: 'i', result: 'r', label: 'npm test' }
    const state = stateAfter([{ failures: ['x'], actions: [test, test, test, test] }])
    const [trip] = repeatedAction().inspect(state)
    expect(trip).toMatchObject({
      severity: 'warn',
      message: 'The same action with the same result 4 times in a row: bash (npm test).',
      evidence: { facts: state.measures.actions.facts, measures: { kind: 'same', repeats: 4, actions: ['bash (npm test)'] } },
    })
    expect(repeatedAction({ repeatsMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
    expect(() => repeatedAction({ repeatsMin: 1 })).toThrow('repeatedAction: repeatsMin must be')
  })
})
