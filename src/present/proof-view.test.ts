import { describe, expect, it, test } from 'vitest'
import type { Proof } from '../core/proof.ts'
import { evolveAll } from '../loops/evolve.ts'
import { plainScreen, playedRun, type Script, STARTED_AT } from '../../test/support/view-fixture.ts'
import { stopCard, stopCardLines } from './card.ts'
import { textWidth } from './layout.ts'
import { eventWords } from './log-lines.ts'
import { runProgress } from './progress.ts'
import { runRow } from './run-table.ts'
import { runFold } from './run-fold.ts'
import { runLines } from './run-lines.ts'
import { runStatement } from './run-statement.ts'
import { runView, type RunView } from './run-view.ts'

const CELL = { cell: 'old-tests-new-code', check: 'tests', passed: true, place: 'mount', durationMs: 200 } as const
const OWN: Partial<Proof> = {
  level: 'self-tested',
  turned: ['test/median.test.js'],
  changedTests: ['test/median.test.js'],
  changedTestsCount: 1,
  cells: [CELL],
}
const NONE: Partial<Proof> = { level: 'unproven', turned: [], cells: [CELL] }

function viewOf(script: Partial<Script> = {}): RunView {
  return runView(playedRun({ failing: [1, 0], ...script }))
}

function shown(view: RunView): readonly string[] {
  const lines = runLines(view, plainScreen(), STARTED_AT)
  const from = lines.indexOf('Proof')
  return from === -1 ? [] : lines.slice(from + 1, lines.indexOf('', from))
}

describe('the proof of a run', () => {
  it('is data: the level, the trees, what turned, what was changed and where the checks ran', () => {
    expect(viewOf({ proof: { cells: [CELL] } }).proof).toEqual({
      seq: expect.any(Number),
      iteration: 1,
      level: 'red-to-green',
      summary: '1 test failed before and passes now.',
      start: '0',
      tree: 'tree-1',
      cells: [CELL],
      turned: ['login > id'],
      changedTests: [],
      changedTestsCount: 0,
      findings: [],
      place: 'mount',
    })
  })

  it('is what the run says at its end, and the decision has it as values', () => {
    const view = viewOf()
    expect(view.message).toBe('1 test failed before and passes now.')
    expect(view.decisions.at(-1)?.says).toMatchObject({ code: 'decided.passed', values: { level: 'red-to-green', tests: 1 } })
  })

  test.each([
    [{ turned: ['a', 'b'] }, '2 tests failed before and pass now.'],
    [{ turned: Array.from({ length: 20 }, (_, index) => `${index}`) }, '20 or more tests failed before and pass now.'],
    [{ turned: Array.from({ length: 20 }, (_, index) => `${index}`), turnedCount: 31 }, '31 tests failed before and pass now.'],
    [{ level: 'self-tested', turned: ['tests'], turnedCount: 1 }, 'Only checks that the agent set itself show a difference.'],
    [{ turned: ['tests'], byExitCode: ['tests'] }, '"tests" failed before and passes now.'],
    [{ ...OWN }, "Only the agent's own tests show a difference: test/median.test.js."],
    [
      { ...OWN, changedTests: ['a', 'b', 'c', 'd'], changedTestsCount: 6 },
      "Only the agent's own tests show a difference: a, b, c and 3 more.",
    ],
  ] satisfies [Partial<Proof>, string][])('in one sentence: %j', (proof, words) => {
    expect(viewOf({ proof }).message).toBe(words)
  })

  it('says who reviewed what no test can tell', () => {
    const view = viewOf({ failing: [0, 0], isReviewed: true, answers: [{ choice: 'approve' }], proof: NONE })
    expect(view).toMatchObject({ status: 'completed', message: 'Reviewed and approved by a person.' })
    expect(view.proof).toMatchObject({ level: 'reviewed', reviewers: ['a person'] })
  })

  it('says that a person accepted it without one', () => {
    const view = viewOf({ failing: [0, 0], answers: [{ choice: 'accept' }], proof: NONE })
    expect(view.status).toBe('completed')
    expect(view.proof).toMatchObject({
      level: 'unproven',
      isAccepted: true,
      summary: 'A person accepted the work without proof.',
    })
  })

  it('is absent from a run that has none', () => {
    const events = playedRun({ failing: [1, 0] }).filter(({ type }) => type !== 'proof.made')
    const view = runView(events)
    expect(view.proof).toBeUndefined()
    expect(shown(view)).toEqual([])
  })

  it('is in the statement that attests the run, as data', () => {
    const events = playedRun({ failing: [1, 0], proof: { cells: [CELL] } }).map((event) => ({ ...event, hash: 'h' }))
    expect(runStatement(events).predicate['proofs']).toMatchObject([
      { level: 'red-to-green', start: '0', tree: 'tree-1', cells: [CELL], turned: ['login > id'] },
    ])
  })

  it('is a section of the screen of a run', () => {
    expect(shown(viewOf({ proof: { cells: [CELL], byExitCode: ['sh check.sh'] } }))).toEqual([
      'Level       red-to-green',
      'Because     1 test failed before and passes now.',
      'Details     Failed before: "login > id".',
      '            No test was changed.',
      '            Judged by exit code only: sh check.sh.',
      '            The checks ran in a fresh copy of the files, at the same path.',
    ])
    expect(shown(viewOf({ proof: OWN }))).toContain('Details     Fails on the old code: "test/median.test.js".')
  })

  it('is shown task by task', () => {
    const events = playedRun({ failing: [1, 0, 0], tasks: ['One', 'Two'] })
    const view = runView(events)
    expect(view.tasks?.map(({ proof }) => proof?.iteration)).toEqual([1, 2])
    expect(runRow(evolveAll(undefined, events)!, false, 0)).toMatchObject({ status: 'completed', proof: 'red-to-green' })
    const unproven = events.filter((event, index) => event.type !== 'proof.made' || index > events.length / 2)
    expect(runRow(evolveAll(undefined, unproven)!, false, 0).proof).toBeUndefined()
    expect(shown(view)[0]).toMatch(/^ {2}1 {2}1 test failed before and passes now\./)
    const progress = runProgress([])
    const screen = { ...plainScreen(), isLive: false }
    expect(events.flatMap((event) => progress.take(event, screen))).toContain(
      '  ✓ task 1 done: 1 test failed before and passes now.',
    )
  })

  it('is on the card of a question within 80 columns, without what the question says itself', () => {
    const findings = [{ code: 'old-tests-fail', check: 'tests', tests: ['login > id'], count: 1 }] as const
    const view = viewOf({ proof: { ...OWN, findings } })
    const card = stopCardLines(stopCard(view), plainScreen())
    const text = card.join('\n')
    expect(text.split('With the original tests, "tests" fails')).toHaveLength(2)
    expect(card.find((line) => line.startsWith('  Proof'))).toBe('  Proof    Fails on the old code: "test/median.test.js".')
    expect(card.every((line) => textWidth(line) <= 80)).toBe(true)
  })
})

function logged(proof: Partial<Proof>): string {
  const events = playedRun({ failing: [1, 0], proof })
  const index = events.findIndex(({ type }) => type === 'proof.made')
  return eventWords(events[index]!, runFold(events.slice(0, index + 1)))
}

describe('a proof in the log', () => {
  it('says the level and what turned', () => {
    expect(logged({})).toBe('red-to-green, 200 ms; 1 failure gone: login > id')
    expect(logged({ ...OWN, turned: [] })).toBe('self-tested, 200 ms; changed test files: test/median.test.js')
    expect(logged({ ...NONE, byExitCode: ['make'] })).toBe('unproven, 200 ms; by exit code only: make')
  })

  it('says what speaks against it', () => {
    const findings = [{ code: 'tests-not-run', check: 'tests', tests: ['a'], count: 1 }] as const
    expect(logged({ ...NONE, findings })).toBe('not proven, 200 ms: "tests" ran 1 test fewer than at the start: "a".')
  })

  it('a check that fails in a fresh copy only is said while the run goes', () => {
    const progress = runProgress([])
    const screen = { ...plainScreen(), isLive: false }
    const findings = [{ code: 'fails-in-room', check: 'tests', count: 1 }] as const
    const events = playedRun({ failing: [1, 0], proof: { ...NONE, findings }, factsMax: 12 })
    expect(events.flatMap((event) => progress.take(event, screen))).toContain(
      '          proof: "tests" passes here and fails in a fresh copy of the files.',
    )
  })
})
