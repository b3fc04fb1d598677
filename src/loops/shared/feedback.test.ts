import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { State } from '../../core/state.ts'
import { type IterationGiven, journalOf, stateAfter } from '../../testing/state-builder.ts'
import { evolve } from '../evolve.ts'
import type { Failure, FailureKind } from '../../core/failure.ts'
import { feedbackFrom } from './feedback.ts'

function failure(id: string, more: Partial<Failure> = {}): Failure {
  return { id, message: `${id} is wrong`, kind: 'assertion', ...more }
}

function feedbackOf(failures: readonly (string | Failure)[], lengthMax?: number) {
  return feedbackFrom(stateAfter([{ failures }]), lengthMax)
}

describe('feedback ranks', () => {
  it('CORE-110 what breaks the work before what is a matter of taste', () => {
    const kinds: readonly FailureKind[] = ['lint', 'unknown', 'assertion', 'timeout', 'exception', 'environment', 'compile']
    const { items } = feedbackOf(
      kinds.map((kind) => failure(kind, { kind })),
      10_000,
    )
    expect(items.map((item) => item.split(':')[0])).toEqual(kinds.toReversed())
  })

  it('CORE-110 security first among the notes of a reviewer, minor ones after everything', () => {
    const notes = (['minor', 'major', 'critical', 'security'] as const).map((severity) =>
      failure(severity, { kind: 'review', severity }),
    )
    const { items } = feedbackOf([failure('lint', { kind: 'lint' }), ...notes, failure('crash', { kind: 'exception' })], 10_000)
    expect(items.map((item) => item.split(':')[0])).toEqual(['security', 'critical', 'crash', 'major', 'lint', 'minor'])
  })

  it('CORE-111 what is new before what comes and goes before what persists, each marked', () => {
    const state = stateAfter([
      { failures: ['old', 'back'] },
      { failures: ['old'] },
      { failures: ['old', 'back', 'fresh', failure('broken code', { kind: 'compile' })] },
    ])
    expect(feedbackFrom(state).items).toEqual([
      '[new] broken code: broken code is wrong',
      '[new] fresh: fresh is wrong',
      '[comes and goes] back: back is wrong',
      'old: old is wrong',
    ])
  })

  it('CORE-111 nothing is called new where there is nothing to compare with', () => {
    expect(feedbackOf(['a']).items).toEqual(['a: a is wrong'])
  })

  it.each<[Partial<Failure>, string]>([
    [{ kind: 'assertion' }, 'high'],
    [{ kind: 'unknown' }, 'high'],
    [{ kind: 'review', severity: 'security' }, 'high'],
    [{ kind: 'review' }, 'medium'],
    [{ kind: 'review', severity: 'minor' }, 'low'],
    [{ kind: 'lint' }, 'low'],
  ])('CORE-116 a priority: %o is %s', (more, priority) => {
    expect(feedbackOf([failure('a', more)]).priority).toBe(priority)
  })

  it('CORE-116 nothing that failed is of low priority', () => {
    expect(feedbackOf([])).toMatchObject({ summary: 'Nothing failed.', items: [], itemsLeftOut: 0, priority: 'low' })
  })
})

describe('an item', () => {
  it.each<[string, Partial<Failure>, string]>([
    [
      'quotes what was expected and received',
      { file: 'src/login.test.ts', line: 12, message: 'expected "42" to be 42', expected: '42', received: '"42"' },
      'login > id (src/login.test.ts:12): expected 42, received "42"',
    ],
    [
      'leaves out what only says that they are not equal',
      {
        message: "Expected values to be strictly deep-equal:\n+ actual - expected\n\n  {\n+   id: '1'\n-   id: 1\n  }",
        expected: '{ id: 1 }',
        received: "{ id: '1' }",
      },
      "login > id: expected { id: 1 }, received { id: '1' }",
    ],
    [
      'of a compiler or a linter begins with its place',
      { id: 'src/a.ts > TS2304 > no x', kind: 'compile', file: 'src/a.ts', line: 3, message: 'no x (TS2304)' },
      'src/a.ts:3: no x (TS2304)',
    ],
    [
      'keeps a message that says more than that',
      { message: 'the id is a number', expected: '42', received: '"42"' },
      'login > id: the id is a number: expected 42, received "42"',
    ],
    [
      'names the frame where that is another place',
      { file: 'src/login.test.ts', line: 1, message: 'no user', frame: 'login (src/login.test.ts:12)' },
      'login > id (src/login.test.ts:1): no user, at login (src/login.test.ts:12)',
    ],
    [
      'does not name the frame twice',
      { file: 'src/login.ts', line: 12, message: 'no user', frame: 'login (src/login.ts:12:4)' },
      'login > id (src/login.ts:12): no user',
    ],
    ['is one line', { message: 'first\n\n  second' }, 'login > id: first second'],
    ['says that it failed where nothing was said', { message: ' ' }, 'login > id: It failed.'],
    ['shows an empty value', { message: 'x', expected: '', received: 'a' }, 'login > id: x: expected "", received a'],
  ])('CORE-114 %s', (_name, more, item) => {
    expect(feedbackOf([failure('login > id', more)]).items).toEqual([item])
  })

  it('CORE-113 is never longer than about 400 characters, whatever was printed', () => {
    const long = 'word '.repeat(2000)
    const more = { message: long, expected: `${long}1`, received: `${long}2`, file: long, line: 1, frame: long }
    const failures = Array.from({ length: 30 }, (_, index) => failure(`${long}${index}`, more))
    for (const item of feedbackOf(failures).items) expect(item.length).toBeLessThanOrEqual(400)
  })
})

describe('feedback puts together', () => {
  const forty = Array.from({ length: 40 }, (_, index) => failure(`t${index}`, { message: 'connection refused after 12 ms' }))

  it('CORE-112 the same message in many tests', () => {
    const varied = forty.map((each, index) => ({ ...each, message: `connection refused after ${index} ms` }))
    const { items } = feedbackOf(varied)
    expect(items).toEqual(['t0: connection refused after 0 ms … and in 39 more tests: t1, t2, t3, …'])
  })

  it('CORE-112 what fails at the same line of the own code', () => {
    const frame = 'parse (src/parse.ts:7)'
    const { items } = feedbackOf([
      failure('one', { kind: 'exception', frame, message: 'cannot read x' }),
      failure('two', { kind: 'exception', frame, message: 'cannot read y' }),
      failure('three', { kind: 'exception', frame: 'parse (src/parse.ts:70)', message: 'cannot read z' }),
    ])
    expect(items).toEqual([
      'one: cannot read x, at parse (src/parse.ts:7) … and in 1 more test: two',
      'three: cannot read z, at parse (src/parse.ts:70)',
    ])
  })

  it('CORE-112 but not two notes of a reviewer about one line', () => {
    const place = { kind: 'review', file: 'a.ts', line: 1 } as const
    expect(feedbackOf([failure('r', { ...place, message: 'x' }), failure('r', { ...place, message: 'y' })]).items).toHaveLength(2)
  })

  it('CORE-112 and not different values with one message', () => {
    const pairs = ['2', '3'].map((received) => failure(received, { message: 'not equal', expected: '1', received }))
    expect(feedbackOf(pairs).items).toHaveLength(2)
  })
})

describe('feedback is cut', () => {
  it('CORE-113 at whole items, and says how many are left out', () => {
    const failures = ['a', 'b', 'c', 'd'].map((id) => failure(id, { message: id.repeat(97) }))
    const { items, itemsLeftOut } = feedbackOf(failures, 250)
    expect(items).toEqual([`a: ${'a'.repeat(97)}`, `b: ${'b'.repeat(97)}`])
    expect(itemsLeftOut).toBe(2)
  })

  it('CORE-113 but the first item is always told whole', () => {
    const { items, itemsLeftOut } = feedbackOf(['a', 'b'], 1)
    expect(items).toEqual(['a: a is wrong'])
    expect(itemsLeftOut).toBe(1)
  })
})

it('CORE-113 whatever fails, every item is whole, told once, and within the length but for the first', () => {
  const kind = fc.constantFrom<FailureKind[]>('compile', 'assertion', 'review', 'lint', 'unknown')
  const word = fc.string({ maxLength: 300 })
  const any = fc.record({ id: word, message: word, kind, expected: word, received: word, file: word, line: fc.nat(9) })
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 2000 }), (failures, lengthMax) => {
      const all = feedbackOf(failures, 1_000_000).items
      const { items, itemsLeftOut, summary } = feedbackOf(failures, lengthMax)
      expect(items).toEqual(all.slice(0, items.length))
      expect(items.length + itemsLeftOut).toBe(all.length)
      expect(items.length).toBeGreaterThan(0)
      expect(items.slice(1).length === 0 || items.join('').length <= lengthMax).toBe(true)
      expect([summary, ...items].every((line) => !line.includes('\n') && line.length <= 400)).toBe(true)
    }),
    { numRuns: 200 },
  )
})

describe('the summary', () => {
  const given: readonly IterationGiven[] = [{ failures: ['a', 'b', 'c', 'd'] }, { failures: ['c', 'd', 'e'] }]

  it.each<[string, readonly IterationGiven[], string]>([
    ['counts at first', given.slice(0, 1), '4 failures: a: a is wrong'],
    ['then says what moved', given, '2 fixed, 1 new, 2 still failing: e: e is wrong'],
    [
      'and what came back',
      [...given, { failures: ['a', 'c', 'd', 'e'] }],
      '1 that comes and goes, 3 still failing: a: a is wrong',
    ],
    [
      'also when only a reviewer is not content',
      [...given, { failures: [], notes: [failure('review', { kind: 'review', message: 'No test.' })] }],
      '3 fixed, 1 failure: review: No test.',
    ],
  ])('CORE-115 %s', (_name, iterations, summary) => {
    expect(feedbackFrom(stateAfter(iterations)).summary).toBe(summary)
  })

  it('CORE-115 is one short line', () => {
    const { summary } = feedbackOf([failure('x'.repeat(500), { message: 'y\n'.repeat(500) })])
    expect(summary).not.toContain('\n')
    expect(summary.length).toBeLessThan(200)
  })
})

describe('what was tried', () => {
  it('CORE-117 is listed with files, words and result, the last three one by one', () => {
    const state = stateAfter([
      { failures: ['a', 'b'], files: ['src/zero.ts'] },
      { failures: ['a', 'b'], files: ['src/one.ts'] },
      { failures: ['a'], files: ['src/one.ts', 'src/two.ts'], said: 'Rounded it.' },
      { failures: ['a', 'c'], files: ['w', 'x', 'y', 'z'] },
      { failures: ['a', 'c'], files: [], agentFailed: 'Exit code 1' },
    ])
    expect(feedbackFrom(state).tried).toEqual([
      'Attempt 1 changed src/zero.ts and left 2 failing',
      'Attempt 2 changed src/one.ts: 2 still failing',
      'Attempt 4 changed w, x, y and 1 more file: 1 new, 1 still failing; it broke "c"',
      'Attempt 5 changed nothing (the agent did not finish: Exit code 1): 2 still failing',
    ])
    expect(feedbackFrom(state).helped).toEqual([
      'Attempt 3 changed src/one.ts and src/two.ts (said: Rounded it.): it fixed "b", 1 still fails',
    ])
  })

  it('CORE-261 counts as help if it fixed something, with what it broke, and those before the last three in one line', () => {
    const state = stateAfter([
      { failures: ['a', 'b', 'c', 'd'] },
      { failures: ['c', 'd'] },
      { failures: ['c', 'd'] },
      { failures: ['c', 'e'] },
    ])
    const { helped, tried } = feedbackFrom(state)
    expect(helped).toEqual([
      'Attempt 2 changed a: it fixed "a", "b", 2 still fail',
      'Attempt 4 changed a: it fixed "d" and broke "e", 2 fail now',
    ])
    expect(tried).toEqual(['Attempt 1 changed a: 4 failures', 'Attempt 3 changed a: 2 still failing'])
    const many = stateAfter([['a'], ['b'], ['b'], ['c'], ['d'], ['e'], ['f']].map((failures) => ({ failures })))
    expect(feedbackFrom(many).helped.map((line) => line.replace(/:.*/, ''))).toEqual([
      'Attempts 2, 4 changed a and left 1, 1 failing',
      'Attempt 5 changed a',
      'Attempt 6 changed a',
      'Attempt 7 changed a',
    ])
  })
})

describe('feedback that is asked for again', () => {
  it('CORE-230 is the same one, and another where anything it is made of differs', () => {
    const state = stateAfter([{ failures: ['a', 'b'] }, { failures: ['b', 'c'] }])
    const first = feedbackFrom(state, 500)
    expect(feedbackFrom({ ...state, message: 'later', nudges: [] }, 500)).toBe(first)
    expect(feedbackFrom(state, 5).items).toHaveLength(1)
    const unit = { id: 'one', index: 0, count: 1, firstIteration: 2 }
    expect(feedbackFrom({ ...state, unit }, 500).tried).not.toEqual(first.tried)
    const ledger = stateAfter([{ failures: ['b', 'c'] }, { failures: ['b', 'c'] }]).measures.ledger
    expect(feedbackFrom({ ...state, measures: { ...state.measures, ledger } }, 500).movement).not.toBe(first.movement)
    expect(feedbackFrom(state, 500)).toEqual(first)
  })
})

describe('what was tried', () => {
  it('FEED-5 quotes the changed lines, short', () => {
    const events = journalOf([{ failures: ['a'], said: 'a new type' }, { failures: ['a'] }]).map((event) =>
      event.type === 'workspace.observed'
        ? { ...event, data: { ...event.data, lines: [{ path: 'a', lines: ['-return `id`', '+return Number(id)'] }] } }
        : event,
    )
    const state = events.reduce<State | undefined>(evolve, undefined) as State
    expect(feedbackFrom(state).tried[0]).toContain("changed a (`-return 'id'` `+return Number(id)`; said: a new type)")
  })

  it('FEED-6 never calls fixed what fails again', () => {
    const state = stateAfter([{ failures: ['a', 'b'] }, { failures: ['b'] }, { failures: ['a', 'b'] }])
    const { helped, tried } = feedbackFrom(state)
    expect([...helped, ...tried].join('\n')).not.toContain('fixed')
    expect(tried.join('\n')).toContain('"a" passed then and fails again')
    const partly = stateAfter([{ failures: ['a', 'b', 'c'] }, { failures: ['c'] }, { failures: ['a', 'c'] }])
    expect(feedbackFrom(partly).helped).toMatchObject([expect.stringContaining('it fixed "b", 1 still fails; "a" passed then')])
  })
})
