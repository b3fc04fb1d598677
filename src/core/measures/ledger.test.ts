import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { TestOutcome } from '../failure.ts'
import { initialLedger, type Ledger, ledgerAfter, ledgerWith, standingOf } from './ledger.ts'
import { testChanges } from './test-changes.ts'

type Outcomes = Readonly<Record<string, TestOutcome>>

/** The ledger after iterations, the first of which is the look before any work, each with a report that lists every test. */
function after(...iterations: readonly Outcomes[]): Ledger {
  return iterations.reduce(
    (ledger, outcomes, iteration) => ledgerAfter(seen(ledger, iteration, outcomes), iteration),
    initialLedger,
  )
}

function seen(ledger: Ledger, iteration: number, outcomes: Outcomes, check = 'tests'): Ledger {
  const tests = Object.entries(outcomes).map(([id, outcome]) => ({ id, outcome }))
  const changes = testChanges(ledger, check, { passed: false, failures: [], tests })
  return ledgerWith(ledger, check, iteration, changes ? { tests: changes } : {})
}

describe('the ledger says what an iteration moved', () => {
  it.each<[string, readonly Outcomes[], object]>([
    ['a test that failed and passes is fixed', [{ a: 'failed' }, { a: 'passed' }], { fixed: ['a'] }],
    ['one that passed and fails is new', [{ a: 'passed' }, { a: 'failed' }], { broken: ['a'] }],
    ['one that was not there and fails is new', [{}, { a: 'failed' }], { broken: ['a'] }],
    ['one that goes on failing persists', [{ a: 'failed' }, { a: 'failed' }], { persisting: ['a'] }],
    ['one that is no longer there vanished', [{ a: 'passed' }, {}], { vanished: ['a'] }],
    ['one that failed and is no longer there vanished', [{ a: 'failed' }, {}], { vanished: ['a'] }],
    ['one that ran and is skipped is skipped now', [{ a: 'failed' }, { a: 'skipped' }], { skippedNow: ['a'] }],
    ['one that was skipped all along is nothing new', [{ a: 'skipped' }, { a: 'skipped' }], {}],
    ['one that passes all along is nothing new', [{ a: 'passed' }, { a: 'passed' }], {}],
    ['one that was fixed an iteration ago is no news', [{ a: 'failed' }, { a: 'passed' }, { a: 'passed' }], {}],
    ['one that vanished an iteration ago is no news', [{ a: 'passed' }, {}, {}], {}],
  ])('CORE-100 %s', (_name, iterations, expected) => {
    const { counts, ...names } = after(...iterations).movement
    expect(Object.fromEntries(Object.entries(names).filter(([, ids]) => ids.length > 0))).toEqual(expected)
    for (const [kind, ids] of Object.entries(names)) expect(counts[kind as keyof typeof counts]).toBe(ids.length)
  })

  it('CORE-101 a test that fails again after it was fixed flaps, until it failed three times in a row', () => {
    const history: Outcomes[] = [{ a: 'failed' }, { a: 'passed' }, { a: 'failed' }]
    expect(after(...history).movement.flapping).toEqual(['a'])
    expect(standingOf(after(...history), 'a', 2)).toBe('flapping')
    expect(after(...history, { a: 'failed' }).movement.flapping).toEqual(['a'])
    const long = after(...history, { a: 'failed' }, { a: 'failed' })
    expect(long.movement).toMatchObject({ flapping: [], persisting: ['a'] })
    expect(standingOf(long, 'a', 4)).toBe('persisting')
  })

  it.each<[string, readonly Outcomes[], object]>([
    ['failed, skipped, failed persists', [{ a: 'failed' }, { a: 'skipped' }, { a: 'failed' }], { persisting: ['a'], broken: [] }],
    ['failed, gone, failed persists', [{ a: 'failed' }, {}, { a: 'failed' }], { persisting: ['a'], broken: [] }],
    ['failed, gone, passed is fixed', [{ a: 'failed' }, {}, { a: 'passed' }], { fixed: ['a'] }],
    ['passed, skipped, failed is new', [{ a: 'passed' }, { a: 'skipped' }, { a: 'failed' }], { broken: ['a'] }],
  ])('CORE-102 a test that is away for a while keeps its history: %s', (_name, iterations, expected) => {
    expect(after(...iterations).movement).toMatchObject(expected)
  })

  it('CORE-103 of several looks in one iteration the last counts, and they are no coming and going', () => {
    const before = after({ a: 'passed', b: 'failed' })
    const looks = [
      { a: 'failed', b: 'passed' },
      { a: 'passed', b: 'failed' },
    ] as const
    const ledger = ledgerAfter(
      looks.reduce((known, look) => seen(known, 1, look), before),
      1,
    )
    expect(ledger.movement).toMatchObject({ fixed: [], broken: [], flapping: [], persisting: ['b'] })
    expect(ledgerAfter(seen(ledger, 2, { a: 'failed', b: 'failed' }), 2).movement).toMatchObject({ broken: ['a'], flapping: [] })
  })
})

/** What an iteration moved, from a test's whole history; `undefined` is a missing test. */
function movedIn(history: readonly (TestOutcome | undefined)[]): string | undefined {
  const [now, before] = [history.at(-1), history.at(-2)]
  const verdicts = history.filter((outcome) => outcome === 'passed' || outcome === 'failed')
  const flips = verdicts.filter((verdict, index) => index > 0 && verdict !== verdicts[index - 1]).length
  if (now === 'failed') {
    const failsInRow = history.length - 1 - history.findLastIndex((outcome) => outcome !== 'failed')
    if (flips >= 2 && failsInRow < 3) return 'flapping'
    return verdicts.at(-2) === 'failed' ? 'persisting' : 'broken'
  }
  if (now === 'passed') return verdicts.at(-2) === 'failed' ? 'fixed' : undefined
  if (before === undefined) return undefined
  if (now === undefined) return 'vanished'
  return before === 'skipped' ? undefined : 'skippedNow'
}

test('CORE-100 the ledger, which remembers one line a test, says what the whole history says', () => {
  const outcome = fc.constantFrom<(TestOutcome | undefined)[]>('passed', 'failed', 'skipped', undefined)
  fc.assert(
    fc.property(fc.array(fc.tuple(outcome, outcome, outcome), { minLength: 1, maxLength: 8 }), (iterations) => {
      const seenOutcomes = iterations.map((row) =>
        Object.fromEntries(row.flatMap((each, index) => (each === undefined ? [] : [[`t${index}`, each]]))),
      )
      const { movement } = after(...(seenOutcomes as Outcomes[]))
      for (const index of [0, 1, 2]) {
        const kinds = Object.entries(movement).filter(([, ids]) => Array.isArray(ids) && ids.includes(`t${index}`))
        expect(kinds.map(([kind]) => kind)).toEqual([movedIn(iterations.map((row) => row[index]))].filter((kind) => kind))
      }
    }),
    { numRuns: 300 },
  )
})

describe('the ledger keeps', () => {
  it('CORE-104 tests and checks with names that every object has, also through JSON', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
    const tests = names.map((id) => ({ id, outcome: 'failed' as const }))
    let ledger = initialLedger
    for (const check of ['__proto__', 'constructor']) {
      const changes = testChanges(ledger, check, { passed: false, failures: [], tests })
      expect(changes?.changed).toHaveLength(names.length)
      ledger = ledgerWith(ledger, check, 0, changes ? { tests: changes } : {})
    }
    ledger = ledgerAfter(JSON.parse(JSON.stringify(ledger)) as Ledger, 0)
    expect(ledger.movement.counts.broken).toBe(2 * names.length)
    for (const id of names) expect(standingOf(ledger, id, 0)).toBe('broken')
    expect(standingOf(initialLedger, 'constructor', 0)).toBeUndefined()
    expect(testChanges(ledger, '__proto__', { passed: false, failures: [], tests })).toBeUndefined()
  })

  it('CORE-105 keeps only what it needs: forgets tests that are long gone, never those that exist', () => {
    let ledger = after(Object.fromEntries([['stays', 'passed']]))
    for (let iteration = 1; iteration <= 6; iteration++) {
      const names = Array.from({ length: 10_000 }, (_, index) => [`run ${iteration} test ${index}`, 'passed'] as const)
      ledger = ledgerAfter(seen(ledger, iteration, Object.fromEntries([['stays', 'passed'], ...names])), iteration)
    }
    const known = Object.keys(ledger.checks['tests']?.tests ?? {})
    expect(known.length).toBeLessThanOrEqual(40_000)
    expect(known).toContain('stays')
    expect(known).toContain('run 6 test 9999')
    expect(known).not.toContain('run 1 test 0')
  })

  test('CORE-104 the most tests a check ever ran, skipped ones left out', () => {
    const first = ledgerWith(initialLedger, 'tests', 0, { counts: { passed: 5, failed: 2, skipped: 9 } })
    const second = ledgerWith(first, 'tests', 1, { counts: { passed: 3, failed: 0, skipped: 0 } })
    expect(second.checks['tests']?.testsMax).toBe(7)
    expect(ledgerWith(second, 'tests', 2, { counts: { passed: 3, failed: 0, skipped: 0 } })).toBe(second)
  })
})
