import { describe, expect, it } from 'vitest'
import { configOf, journalOf } from '../../testing/state-builder.ts'
import type { Event } from '../event.ts'
import type { FileChange } from '../event-data.ts'
import { evolveAll } from '../evolve.ts'
import type { TestChanges } from '../measures/test-changes.ts'
import type { State } from '../state.ts'
import type { Suspicion, SuspicionKind } from '../suspicion.ts'
import { allOf } from './combine.ts'
import { guardFrom } from './guard-from.ts'
import { tampering } from './tampering.ts'

/** One iteration that passed unless it names what failed. */
interface Given {
  readonly suspicions?: readonly Suspicion[]
  readonly files?: readonly string[]
  readonly tests?: TestChanges
  readonly counts?: readonly [passed: number, failed: number]
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
      'tampering: allow must name kinds of deleted, skipped',
    )
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

function after(iterations: readonly Given[]): State {
  return evolveAll(undefined, journal(iterations)) as State
}

/** The first is the look before any work, as far as the checks go, and an iteration of its own. */
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
  return { counts: { passed: counts[0], failed: counts[1], skipped: 0 }, ...(tests ? { tests } : {}) }
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
