import { describe, expect, it } from 'vitest'
import { configOf, journalOf } from '../testing/state-builder.ts'
import type { Event } from '../core/event.ts'
import type { FileChange } from '../core/event-data.ts'
import { evolveAll } from '../loops/evolve.ts'
import type { TestChanges } from '../core/measures/test-changes.ts'
import type { State } from '../core/state.ts'
import type { Suspicion, SuspicionKind } from '../core/suspicion.ts'
import { allOf } from './combine.ts'
import { guardFrom } from './guard-from.ts'
import { tampering } from './tampering.ts'

/** One iteration that passed unless it names what failed. */
interface Given {
  readonly suspicions?: readonly Suspicion[]
  readonly files?: readonly string[]
  readonly tests?: TestChanges
  readonly counts?: readonly [passed: number, failed: number, skipped?: number] | 'none'
  readonly failures?: readonly string[]
}

const skip: Suspicion = { kind: 'skipped', file: 'src/a.test.ts', line: 4, text: "it.skip('adds', () => {" }
const many: Suspicion[] = (
  ['deleted', 'emptied', 'weakened', 'weakened', 'protected', 'state', 'focused'] as SuspicionKind[]
).map((kind) => ({ kind, file: 'b', text: kind }))

describe('tampering', () => {
  it('GUARD-210 trips on every kind of suspicion, names what, how many and the first line, and disputes a pass', () => {
    const [trip] = tampering().inspect(after([{ suspicions: [skip, ...many] }]))
    expect(trip).toMatchObject({ guard: 'tampering', severity: 'trip', disputesPass: true })
    expect(trip?.message).toBe(
      'The agent touched what checks it: 1 deletion, 1 test skipped, 1 test run to the exclusion of others, 1 test emptied, ' +
        "2 checks weakened, 1 protected file edited, 1 file of the loop's own state edited. First: src/a.test.ts:4: it.skip('adds', () => {",
    )
    expect(trip?.evidence.measures).toEqual({ suspicions: [skip, ...many] })
    expect(trip?.hint).toContain('Putting these lines back')
  })

  it('GUARD-210 warns of edited tests while something fails, and asks about a protected file at once', () => {
    const [warning] = tampering().inspect(after([{ suspicions: [skip], failures: ['a'] }]))
    expect(warning).toMatchObject({ severity: 'warn', code: 'tampering.edits', evidence: { measures: { suspicions: [skip] } } })
    expect(warning).not.toHaveProperty('disputesPass')
    const touched: Suspicion = { kind: 'protected', file: 'contract.ts', text: '+ a' }
    expect(tampering().inspect(after([{ suspicions: [touched], failures: ['a'] }]))[0]).toMatchObject({ severity: 'trip' })
  })

  it('GUARD-210 points to the look at the workspace that showed it', () => {
    const events = journal([{ suspicions: [skip] }])
    const seen = events.findLast((event) => event.type === 'workspace.observed')
    expect(tampering().inspect(evolveAll(undefined, events) as State)[0]?.evidence.facts).toEqual([seen?.seq])
  })

  it.each<[string, readonly Given[]]>([
    ['a loop without suspicions', [{}, {}]],
    ['suspicions of an earlier iteration, which a person has seen', [{ suspicions: [skip] }, {}]],
    [
      'tests that are added',
      [
        { tests: { changed: [['a', 'passed']], gone: [] } },
        { files: ['a.test.ts'], tests: { changed: [['b', 'passed']], gone: [] } },
      ],
    ],
    ['tests hidden by a file that is broken', [start('failed'), { ...gone('a'), failures: ['b'] }]],
    ['tests gone without the agent touching tests', [start('passed'), { ...gone('a'), files: ['src/a.ts'] }]],
    [
      'a test file that was renamed',
      [start('failed'), { files: ['x.test.ts'], counts: [1, 0], tests: { changed: [['x.test.ts > a', 'passed']], gone: ['a'] } }],
    ],
    [
      'as many tests as ever',
      [start('passed'), { ...gone('a'), counts: [1, 0], tests: { changed: [['renamed', 'passed']], gone: ['a'] } }],
    ],
    [
      'a skip that the agent has no part in',
      [start('passed'), { files: ['a.ts'], tests: { changed: [['a', 'skipped']], gone: [] } }],
    ],
  ])('GUARD-211 leaves alone: %s', (_name, iterations) => {
    expect(tampering().inspect(after(iterations))).toEqual([])
  })

  it.each<[string, readonly Given[], object, string]>([
    [
      'a test that failed at the start is gone',
      [start('failed'), { ...gone('a'), files: ['src/a.ts'] }],
      { vanished: ['a'] },
      '1 test no longer reported',
    ],
    [
      'it is gone since an earlier iteration',
      [start('failed'), { ...gone('a'), failures: ['b'] }, { counts: [0, 0] }],
      { vanished: ['a'] },
      '1 test no longer reported',
    ],
    ['a test is gone after an edit of the tests', [start('passed'), gone('a')], { vanished: ['a'] }, 'First: a'],
    [
      'a test is skipped after an edit of the tests',
      [start('passed'), { files: ['package.json'], tests: { changed: [['a', 'skipped']], gone: [] } }],
      { skipped: ['a'] },
      'reported as skipped',
    ],
  ])('GUARD-212 a pass with fewer tests is disputed: %s', (_name, iterations, measures, message) => {
    const [trip] = tampering().inspect(after(iterations))
    expect(trip).toMatchObject({ disputesPass: true, evidence: { measures } })
    expect(trip?.message).toContain(message)
    expect(trip?.evidence.facts).not.toEqual([])
  })

  it('GUARD-213 watches only what is not allowed, and as a warning leaves a pass a pass', () => {
    const state = after([{ suspicions: [skip] }])
    expect(tampering({ allow: ['skipped'] }).inspect(state)).toEqual([])
    expect(tampering({ allow: ['deleted'] }).inspect(state)).toHaveLength(1)
    expect(tampering({ allow: ['deleted'] }).inspect(after([start('failed'), gone('a')]))).toEqual([])
    expect(tampering({ severity: 'warn' }).inspect(state)[0]).not.toHaveProperty('disputesPass')
    expect(() => tampering({ allow: ['nothing' as SuspicionKind] })).toThrow(
      'tampering: allow[0] must be one of deleted, skipped',
    )
  })

  const twoOfTen: Given = { failures: ['a', 'b'], counts: [8, 2] }

  it.each<[string, readonly Given[], string]>([
    ['fewer ran', [twoOfTen, { files: ['a.test.ts'], counts: [8, 0] }], 'tests: 8 tests ran, 10 before'],
    ['more are skipped', [twoOfTen, { files: ['package.json'], counts: [8, 0, 2] }], 'tests: 2 tests skipped, 0 before'],
    ['none are counted any more', [twoOfTen, { files: ['package.json'], counts: 'none' }], 'tests: 0 tests ran, 10 before'],
    [
      'they were touched in an earlier iteration',
      [twoOfTen, { files: ['a.test.ts'], counts: [8, 1], failures: ['a'] }, { counts: [8, 0] }],
      'tests: 8 tests ran, 10 before',
    ],
  ])('GUARD-232 a pass after a failure is disputed where the counts alone say that %s', (_name, iterations, line) => {
    const [trip] = tampering().inspect(after(iterations))
    expect(trip).toMatchObject({ disputesPass: true, evidence: { measures: { counts: [line] } } })
    expect(trip?.message).toContain(`fewer tests run than before. First: ${line}`)
    expect(tampering({ allow: ['deleted', 'skipped'] }).inspect(after(iterations))).toEqual([])
  })

  it('GUARD-232 and is left to the proof where the tests of the start ran in a fresh copy', () => {
    const state = after([twoOfTen, { files: ['a.test.ts'], counts: [8, 0] }])
    const cell = { cell: 'old-tests-new-code', check: 'tests', passed: true, place: 'mount', durationMs: 1 } as const
    const rest = { level: 'red-to-green', turned: [], changedTests: [], changedTestsCount: 0, findings: [] } as const
    const proof = { ...rest, start: 'a', tree: state.tree?.tree ?? '', cells: [cell], seq: 1 }
    expect(tampering().inspect({ ...state, current: { ...state.current, proof } })).toEqual([])
    const inPlace = { ...proof, cells: [{ ...cell, place: 'workspace' as const }] }
    expect(tampering().inspect({ ...state, current: { ...state.current, proof: inPlace } })).toHaveLength(1)
  })

  it.each<[string, readonly Given[]]>([
    ['tests and settings are untouched', [twoOfTen, { counts: [8, 0] }]],
    ['nothing failed before', [{ counts: [10, 0] }, { files: ['a.test.ts'], counts: [8, 0] }]],
    ['as many ran', [twoOfTen, { files: ['a.test.ts'], counts: [10, 0] }]],
    [
      'the agent took back what it added',
      [twoOfTen, { failures: ['c'], counts: [11, 1] }, { files: ['a.test.ts'], counts: [10, 0] }],
    ],
    [
      'as many were skipped before',
      [
        { ...twoOfTen, counts: [8, 2, 3] },
        { files: ['a.test.ts'], counts: [10, 0, 3] },
      ],
    ],
  ])('GUARD-232 and is believed where %s', (_name, iterations) => {
    expect(tampering().inspect(after(iterations))).toEqual([])
  })

  it.each<[string, Given]>([
    ['renamed, with tests touched', { files: ['a.test.ts'], counts: [1, 0], tests: { changed: [['b', 'passed']], gone: ['a'] } }],
    ['given another title in every run', { counts: [1, 0], tests: { changed: [['b', 'passed']], gone: ['a'] } }],
    [
      'split',
      {
        files: ['a.test.ts'],
        counts: [2, 0],
        tests: {
          changed: [
            ['a1', 'passed'],
            ['a2', 'passed'],
          ],
          gone: ['a'],
        },
      },
    ],
  ])('GUARD-233 a failing test is not missed when it is %s and as many run', (_name, last) => {
    expect(tampering().inspect(after([start('failed'), last]))).toEqual([])
  })

  it('GUARD-236 what is not put back disputes a pass, and while something fails it is only told', () => {
    const earlier: Suspicion = { ...skip, isEarlier: true }
    const [again] = tampering().inspect(after([{ suspicions: [skip] }, { suspicions: [earlier] }]))
    expect(again).toMatchObject({ disputesPass: true, severity: 'trip', evidence: { measures: { suspicions: [skip] } } })
    expect(again?.message).toContain('This was to be put back and is still there: 1 test skipped.')
    const [told] = tampering().inspect(after([{ suspicions: [skip] }, { suspicions: [earlier], failures: ['a'] }]))
    expect(told).toMatchObject({ severity: 'warn', message: expect.stringContaining('still there') })
    expect(told).not.toHaveProperty('disputesPass')
    const both = after([{ suspicions: [skip] }, { suspicions: [earlier, ...many], failures: ['a'] }])
    expect(tampering().inspect(both)[0]).toMatchObject({ severity: 'trip', disputesPass: true })
  })

  it('GUARD-234 a person’s allowance lets only these kinds pass, in this file', () => {
    const weak: Suspicion = { kind: 'weakened', file: 'src/a.test.ts', text: 'x' }
    expect(allowing(weak, 'src/a.test.ts')).toEqual([])
    expect(allowing(weak, '/home/me/project/src/a.test.ts')).toEqual([])
    expect(allowing(weak)).toEqual([])
    expect(allowing(weak, 'src/b.test.ts')).toHaveLength(1)
    expect(allowing(skip, 'src/a.test.ts')).toHaveLength(1)
    expect(allowing({ ...weak, file: 'package.json' })).toHaveLength(1)
  })

  it('GUARD-13 can be rebuilt from its data and combined', () => {
    const guard = tampering({ severity: 'warn', allow: ['focused'] })
    expect(guardFrom(guard.spec).spec).toEqual(guard.spec)
    expect(guardFrom(JSON.parse(JSON.stringify(tampering().spec))).spec).toEqual(tampering().spec)
    expect(allOf(tampering()).inspect(after([{ suspicions: [skip] }]))).toHaveLength(1)
  })
})

function start(outcome: 'passed' | 'failed'): Given {
  const failures = outcome === 'failed' ? ['a'] : []
  return { failures, counts: outcome === 'failed' ? [0, 1] : [1, 0], tests: { changed: [['a', outcome]], gone: [] } }
}

function gone(id: string): Given {
  return { files: ['a.test.ts'], counts: [0, 0], tests: { changed: [], gone: [id] } }
}

/** What the guard says of an edit where a person lets assertions be changed, in this file or in any test. */
function allowing(suspicion: Suspicion, file?: string) {
  const allowance = { guard: 'tampering', kinds: ['weakened'], ...(file === undefined ? {} : { file }) } as const
  return tampering().inspect({ ...after([{ suspicions: [suspicion] }]), allowances: [allowance] })
}

function after(iterations: readonly Given[]): State {
  return evolveAll(undefined, journal(iterations)) as State
}

/** The first is the look before any work, as far as the checks go, and its own iteration. */
function journal(iterations: readonly Given[]): readonly Event[] {
  const events = journalOf(
    iterations.map(({ failures = [] }) => ({ failures })),
    configOf([tampering().spec]),
  )
  let iteration = 0
  const changed = events.map((event) => {
    if (event.type === 'iteration.started') iteration = event.data.iteration
    return { ...event, data: { ...event.data, ...additionTo(event.type, iterations[iteration - 1] ?? {}) } } as Event
  })
  return numbered(withLookBefore(changed))
}

function additionTo(type: Event['type'], { files = ['src/a.ts'], suspicions, counts = [1, 0], tests }: Given): object {
  if (type === 'workspace.observed') {
    const changes = files.map((path): FileChange => ({ path, change: 'modified' }))
    return { files: changes, ...(suspicions ? { suspicions } : {}) }
  }
  if (type !== 'check.passed' && type !== 'check.failed') return {}
  if (counts === 'none') return { counts: undefined }
  const [passed, failed, skipped = 0] = counts
  return { counts: { passed, failed, skipped }, ...(tests ? { tests } : {}) }
}

function withLookBefore(events: readonly Event[]): readonly Event[] {
  const [started, ...rest] = events
  const seen = rest.find((event) => event.type === 'workspace.observed')
  const check = rest.find((event) => event.type === 'check.passed' || event.type === 'check.failed')
  return [started, { ...seen, by: { role: 'runner' } }, check, ...rest] as Event[]
}

function numbered(events: readonly Event[]): readonly Event[] {
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}
