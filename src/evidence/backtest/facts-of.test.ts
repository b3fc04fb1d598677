import { describe, expect, it } from 'vitest'
import { type GivenIteration, givenLoop } from '../../../test/support/given-loop.ts'
import { sameFailure } from '../../guards/index.ts'
import { judge } from '../../core/judge.ts'
import type { State } from '../../core/state.ts'
import { factsOf } from './recorded-loop.ts'
import { statesOf } from './replay.ts'

function statesAfter(iterations: readonly GivenIteration[]): readonly State[] {
  return [...statesOf(factsOf(givenLoop(iterations)))]
}

function lastAfter(...iterations: readonly GivenIteration[]): State {
  return statesAfter(iterations).at(-1) as State
}

const failed = { passed: false, error: 'TypeError: x is not a function' }

function wrong(...calls: readonly string[]): string {
  return calls.map((call) => `assert f(${call}) == 1 # Real Execution Output: 2`).join('\n')
}

describe('factsOf', () => {
  it('BACK-5 a recorded loop becomes facts of our own, one list an iteration, each ended before it is judged', () => {
    const { iterations } = factsOf(givenLoop([failed, { passed: true }]))
    expect(iterations.map((events) => events.map(({ type }) => type))).toEqual([
      [
        'run.started',
        'workspace.observed',
        'iteration.started',
        'work.finished',
        'workspace.observed',
        'check.failed',
        'iteration.ended',
      ],
      ['decision.made', 'iteration.started', 'work.finished', 'workspace.observed', 'check.passed', 'iteration.ended'],
    ])
    expect(iterations.flat().map(({ seq }) => seq)).toEqual(iterations.flat().map((_, index) => index + 1))
  })

  it('BACK-5 the folded state knows what was recorded: verdicts, scores, costs and the maximum', () => {
    const [first, second] = statesAfter([
      { ...failed, score: 0.5, cost: 0.25, tokens: 100 },
      { passed: true, score: 1, cost: 0.5 },
    ]) as [State, State]
    expect(first.current.ended?.verdict).toEqual({ passed: false, score: 0.5, failing: 1 })
    expect(second.current.ended?.verdict).toEqual({ passed: true, score: 1, failing: 0 })
    expect(second.totals).toMatchObject({ costUsd: 0.75, tokens: 100 })
    expect(second.config.guards).toMatchObject([{ name: 'maxIterations', settings: { iterationsMax: 10 } }])
    expect(second.config.loop.settings).toMatchObject({ kind: 'attempts' })
  })

  it('BACK-6 what neither passed nor failed and met with no error was not checked; with an error it failed', () => {
    expect(lastAfter({ action: 'look' }).current).toMatchObject({
      checks: [],
      ended: { verdict: { passed: false, failing: 0 } },
    })
    expect(lastAfter({ error: 'Traceback' }).current.checks).toMatchObject([{ passed: false }])
  })

  it('BACK-6 failures without a message are never the same failure', () => {
    const guard = sameFailure({ repeatsMin: 2, severity: 'trip' })
    expect(judge([guard], lastAfter(failed, failed))).toHaveLength(1)
    expect(judge([guard], lastAfter({ passed: false }, { passed: false }))).toEqual([])
    expect(judge([guard], lastAfter({ passed: false, error: '' }, { passed: false, error: '' }))).toEqual([])
  })

  it('BACK-7 texts that may have been cut are the same only if their digests are', () => {
    const long = 'x'.repeat(2000)
    const guard = sameFailure({ repeatsMin: 2, severity: 'trip' })
    const cut = (digest: string): GivenIteration => ({ passed: false, error: long, error_sha: digest })
    expect(judge([guard], lastAfter(cut('one'), cut('other')))).toEqual([])
    expect(judge([guard], lastAfter(cut('one'), cut('one')))).toHaveLength(1)
  })

  it('BACK-8 failing assertions become tests of a ledger, with counts where the score tells them', () => {
    const state = lastAfter(
      { passed: false, score: 0.5, error: wrong('1', '2') },
      { passed: false, score: 0.75, error: wrong('2') },
    )
    expect(state.current.checks).toMatchObject([{ counts: { passed: 3, failed: 1 } }])
    expect(state.measures.ledger.movement).toMatchObject({ fixed: ['assert f(1) == 1'], persisting: ['assert f(2) == 1'] })
  })

  it('BACK-9 the solution is the tree: another one changes files, the same one none, and without one nobody could look', () => {
    const [first, same, other, unseen] = statesAfter([
      { solution: 'a = 1' },
      { solution: 'a = 1' },
      { solution: 'a = 2' },
      { action: 'ls' },
    ]) as [State, State, State, State]
    expect(first.recent.at(-1)).toMatchObject({ files: ['solution'], filesChanged: 1 })
    expect(same.recent.at(-1)).toMatchObject({ files: [], tree: first.recent.at(-1)?.tree })
    expect(other.recent.at(-1)?.likeness).toMatchObject({ lines: 0, linesDiffering: 2 })
    expect(unseen.recent.at(-1)).toMatchObject({ files: [], filesChanged: 0 })
    expect(unseen.recent.at(-1)?.tree).not.toBe(other.recent.at(-1)?.tree)
  })

  it('BACK-9 of a patch the recorded files are the changed ones', () => {
    const patch = 'diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n'
    expect(lastAfter({ solution: patch, x: { files: ['x.py'] } }).recent[0]?.files).toEqual(['x.py'])
  })

  it('BACK-10 an action has its digest, and what came back as its result; where only a solution was handed in, that is the action', () => {
    const acted = lastAfter({ action: 'ls', action_sha: 'in', output: '', output_sha: 'out' }).measures.actions.last
    expect(acted).toEqual([{ name: 'act', input: 'in', result: 'out', label: 'ls' }])
    const handed = lastAfter({ solution: 'a', solution_sha: 'tree', error: 'no', error_sha: 'why' }).measures.actions.last
    expect(handed).toEqual([{ name: 'hand in', input: 'tree', result: 'why', label: 'a' }])
    expect(lastAfter({ passed: false }).measures.actions.last).toEqual([])
  })

  it('BACK-11 costs are known only where every iteration has one', () => {
    expect(factsOf(givenLoop([{ cost: 1 }, { cost: 2 }])).costsUsd).toEqual([1, 2])
    expect(factsOf(givenLoop([{ cost: 1 }, {}])).costsUsd).toBeUndefined()
  })
})
