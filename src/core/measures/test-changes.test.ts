import { describe, expect, it } from 'vitest'
import type { Failure, FailureKind, TestOutcome, TestResult } from '../failure.ts'
import { initialLedger, type Ledger, ledgerWith } from './ledger.ts'
import { testChanges, type TestsSeen } from './test-changes.ts'

const counts = (passed: number, failed: number, skipped = 0) => ({ passed, failed, skipped })

function failure(id: string, kind: FailureKind = 'assertion'): Failure {
  return { id, message: 'm', kind }
}

function result(id: string, outcome: TestOutcome): TestResult {
  return { id, outcome }
}

/** The ledger after a check said this and that, one after the other. */
function knowing(...seen: readonly TestsSeen[]): Ledger {
  return seen.reduce((ledger, each, iteration) => {
    const tests = testChanges(ledger, 'tests', each)
    return ledgerWith(ledger, 'tests', iteration, {
      ...(each.counts ? { counts: each.counts } : {}),
      ...(tests ? { tests } : {}),
    })
  }, initialLedger)
}

const twoFail: TestsSeen = { passed: false, counts: counts(8, 2), failures: [failure('a'), failure('b')] }

describe('a report that lists only failures', () => {
  it('CORE-106 says that what is no longer among them passes', () => {
    const seen = { passed: false, counts: counts(9, 1), failures: [failure('b')] }
    expect(testChanges(knowing(twoFail), 'tests', seen)).toEqual({ changed: [['a', 'passed']], gone: [] })
  })

  it('CORE-106 says so too when everything passed', () => {
    const changed = [
      ['a', 'passed'],
      ['b', 'passed'],
    ]
    expect(testChanges(knowing(twoFail), 'tests', { passed: true, failures: [] })).toEqual({ changed, gone: [] })
  })

  it.each<[string, TestsSeen]>([
    ['could not be read: the check itself failed', { passed: false, failures: [failure('tests', 'unknown')] }],
    ['is cut off', { passed: false, counts: counts(0, 30), failures: [failure('tests', 'unknown')] }],
    ['is of code that did not compile', { passed: false, counts: counts(0, 1), failures: [failure('tests', 'compile')] }],
    [
      'is of a file that could not be loaded',
      { passed: false, counts: counts(0, 1), failures: [{ ...failure('tests', 'exception'), file: 'src/tests.py' }] },
    ],
  ])('CORE-107 fixes nothing when it %s', (_why, seen) => {
    expect(testChanges(knowing(twoFail), 'tests', seen)).toEqual({ changed: [['tests', 'failed']], gone: [] })
  })

  it('CORE-107 fixes nothing when code does not load for the second time, and all that ran before has failed once', () => {
    const broken: TestsSeen = { passed: false, counts: counts(0, 1), failures: [failure('a.py', 'compile')] }
    const known = knowing({ passed: false, counts: counts(1, 2), failures: [failure('a'), failure('b')] }, broken, {
      passed: false,
      counts: counts(2, 1),
      failures: [failure('b')],
    })
    expect(testChanges(known, 'tests', broken)).toEqual({ changed: [['a.py', 'failed']], gone: [] })
  })

  it('CORE-107 of a compiler hides nothing', () => {
    const both = {
      passed: false,
      counts: counts(0, 2),
      failures: [failure('x.ts: TS1', 'compile'), failure('y.ts: TS2', 'compile')],
    }
    const one = { passed: false, counts: counts(0, 1), failures: [failure('y.ts: TS2', 'compile')] }
    expect(testChanges(knowing(both), 'tests', one)).toEqual({ changed: [['x.ts: TS1', 'passed']], gone: [] })
  })

  it.each<[string, TestsSeen, object]>([
    [
      'skipped',
      { passed: true, counts: counts(8, 0, 2), failures: [] },
      {
        changed: [
          ['a', 'skipped'],
          ['b', 'skipped'],
        ],
        gone: [],
      },
    ],
    ['gone', { passed: true, counts: counts(8, 0), failures: [] }, { changed: [], gone: ['a', 'b'] }],
    ['gone', { passed: false, counts: counts(8, 1), failures: [failure('b')] }, { changed: [], gone: ['a'] }],
    [
      'mended, another broken',
      { passed: false, counts: counts(8, 2), failures: [failure('b'), failure('c')] },
      {
        changed: [
          ['c', 'failed'],
          ['a', 'passed'],
        ],
        gone: [],
      },
    ],
  ])('GUARD-235 what is no longer among them is %s where the counts say so', (_what, seen, changes) => {
    expect(testChanges(knowing(twoFail), 'tests', seen)).toEqual(changes)
  })

  it('CORE-106 with two failures of one name is whole', () => {
    const seen = { passed: false, counts: counts(8, 2), failures: [failure('b'), failure('b')] }
    expect(testChanges(knowing(twoFail), 'tests', seen)?.changed).toEqual([['a', 'passed']])
  })
})

describe('a report that lists every test', () => {
  const whole: TestsSeen = {
    passed: false,
    counts: counts(1, 1),
    failures: [failure('b')],
    tests: [result('a', 'passed'), result('b', 'failed')],
  }

  it('CORE-106 shows which are gone', () => {
    const seen = { passed: true, counts: counts(1, 0), failures: [], tests: [result('a', 'passed')] }
    expect(testChanges(knowing(whole), 'tests', seen)).toEqual({ changed: [], gone: ['b'] })
    expect(testChanges(knowing(whole, seen), 'tests', seen)).toBeUndefined()
  })

  it.each<[string, TestsSeen]>([
    ['code did not load', { passed: false, counts: counts(0, 0), failures: [failure('a.test.ts', 'compile')], tests: [] }],
    ['the list is shorter than the counts', { passed: true, counts: counts(2, 0), failures: [], tests: [] }],
  ])('CORE-107 calls nothing gone when %s', (_why, seen) => {
    expect(testChanges(knowing(whole), 'tests', seen)).toBeUndefined()
  })

  it('CORE-107 after one that could not be read fixes the check, and calls it not deleted', () => {
    const ledger = knowing(whole, { passed: false, failures: [failure('tests', 'unknown')] })
    expect(testChanges(ledger, 'tests', whole)).toEqual({ changed: [['tests', 'passed']], gone: [] })
  })

  it.each<[readonly TestOutcome[], TestOutcome]>([
    [['passed', 'failed'], 'failed'],
    [['failed', 'passed'], 'failed'],
    [['passed', 'skipped'], 'skipped'],
    [['skipped', 'passed'], 'skipped'],
    [['failed', 'skipped'], 'failed'],
  ])('CORE-108 of two tests with the same name the worse counts: %s is %s', (outcomes, expected) => {
    const tests = outcomes.map((outcome) => result('same', outcome))
    expect(testChanges(initialLedger, 'tests', { passed: false, failures: [], tests })?.changed).toEqual([['same', expected]])
  })
})
