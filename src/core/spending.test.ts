import { describe, expect, test } from 'vitest'
import type { EventData, SessionUsage, Usage } from './event-data.ts'
import type { Event, EventType } from './event.ts'
import { evolve } from '../loops/evolve.ts'
import { INTERRUPTED } from './evolve-effect.ts'
import { budget } from '../guards/index.ts'
import type { Json } from './json.ts'
import { lastSession, spentOf, totalsSoFar } from './spending.ts'
import { initialState, type State } from './state.ts'
import { configOf } from '../testing/state-builder.ts'

const KEY = '1/coder/0'
const RUNNER = { role: 'runner' }
const LOST = { key: KEY, reason: 'its runner was gone', isUsagePartial: true }
const CUT = { key: KEY, reason: INTERRUPTED }

/** A run in which these facts came to be, by this agent if nobody else is named. */
function after(...facts: readonly (readonly [EventType, object, { readonly role: string; readonly name?: string }?])[]): State {
  return facts.reduce<State>(
    (state, [type, data, by = { role: 'agent', name: 'claude' }]) =>
      evolve(state, { seq: state.seq + 1, run: 'r', at: state.at, v: 1, type, by, data: data as Json } as unknown as Event),
    initialState('r', 1, 0, configOf([])),
  )
}

const started = (key = KEY): readonly ['work.started', object] => [
  'work.started',
  { key, iteration: 1, role: 'coder', brief: { sha256: '', bytes: 0 } } satisfies EventData['work.started'],
]
const finished = (more: Usage & SessionUsage): readonly ['work.finished', object] => [
  'work.finished',
  { key: KEY, durationMs: 1, ...more },
]
const PARTIAL = { isUsagePartial: true } as const
const WHOLE = { isUsagePartial: undefined }
const asked = (more: object): readonly ['work.asked', object] => [
  'work.asked',
  { key: KEY, ask: { id: 'a', title: 'May I?', options: [] }, durationMs: 1, ...more },
]
const timedOut = (more: object): readonly ['work.failed', object] => [
  'work.failed',
  { key: KEY, reason: 'timed-out', fault: 'agent', message: 'm', durationMs: 1, ...more },
]

const soFar = (state: State) => spentOf(totalsSoFar(state))

describe('work that was cut off', () => {
  test('CORE-231 what it had told is counted, in the total, in its iteration and for the budget', () => {
    const state = after(['iteration.started', { iteration: 1 }, RUNNER], started(), [
      'work.abandoned',
      { ...CUT, costUsd: 2, tokens: 500 },
    ])
    expect(state.totals).toMatchObject({ costUsd: 2, tokens: 500 })
    expect(state.totals.unpriced).toBe(undefined)
    expect(state.current.totalsAtStart).toMatchObject({ costUsd: 0, tokens: 0 })
    expect(budget({ costUsdMax: 2 }).inspect(state)).toMatchObject([{ severity: 'trip', topic: 'cost' }])
    expect(budget({ tokensMax: 500 }).inspect(state)).toMatchObject([{ severity: 'trip', topic: 'tokens' }])
  })

  test('CORE-232 tokens without a cost are work whose cost is not known', () => {
    expect(after(started(), ['work.abandoned', { ...CUT, tokens: 500 }]).totals).toMatchObject({ tokens: 500, unpriced: 1 })
    expect(after(started(), timedOut({ tokens: 500 })).totals).toMatchObject({ tokens: 500, unpriced: 1 })
    expect(after(started(), timedOut({ tokens: 500 })).totals.uncounted).toBe(undefined)
  })

  test('CORE-232 a cost without tokens is work whose tokens are not known', () => {
    expect(after(finished({ costUsd: 2 })).totals).toEqual({ costUsd: 2, tokens: 0, activeMs: 0, uncounted: 1 })
  })

  const told = finished({ costUsd: 1, tokens: 100 })
  const lost = [started(), ['work.abandoned', LOST, RUNNER]] as const
  test.each([
    ['whose runner was gone, of an agent that counts', [...lost, ...lost, told], 2],
    ['whose runner was gone, of an agent that does not', [told, started(), ['work.abandoned', { ...LOST, ...WHOLE }]], undefined],
    ['that was interrupted before its figures', [started(), ['work.abandoned', { ...CUT, ...PARTIAL }]], 1],
    ['that never began', [told, ['work.abandoned', { ...CUT, ...PARTIAL }]], undefined],
    ['that was ended before its figures', [started(), timedOut({ costUsd: 1, tokens: 2, ...PARTIAL })], 1],
    ['that was put aside before its figures', [started(), asked(PARTIAL)], 1],
    ['that ended without a figure', [started(), finished(PARTIAL)], 1],
    ['that told all', [started(), timedOut({ costUsd: 1, tokens: 2 })], undefined],
    ['that used nothing', [told, started(), timedOut({ fault: 'provider-limit' })], undefined],
  ] as const)('CORE-232 work %s is counted so, for cost and tokens', (_what, facts, count) => {
    const { unpriced, uncounted } = after(...facts).totals
    expect([unpriced, uncounted]).toEqual([count, count])
  })

  describe('a review by an agent', () => {
    const by = { role: 'check', name: 'review' }
    const key = '1/check/0'
    const begun = ['check.started', { key, name: 'review', isReview: true, tellsUsage: true }, by] as const
    const approved = [
      'review.approved',
      { key, name: 'review', tree: 't', durationMs: 1, failures: [], costUsd: 1, tokens: 9 },
      by,
    ] as const
    const resumed = ['run.resumed', { holder: { pid: 1, startedAt: '', host: 'h' }, reason: 'goes on' }, RUNNER] as const
    const cut = (more: Usage) => ['review.abandoned', { key, name: 'review', reason: INTERRUPTED, ...more }, by] as const
    const gone = ['review.abandoned', { ...LOST, key, name: 'review' }, RUNNER] as const

    test('CORE-234 that was cut off is counted with what it told, and is no longer under way', () => {
      const state = after(begun, cut({ costUsd: 0.5, tokens: 3, isUsagePartial: true }))
      expect(state.totals).toMatchObject({ costUsd: 0.5, tokens: 3, unpriced: 1, uncounted: 1 })
      expect(state.current.effects).toEqual([])
      expect(after(begun, cut({ costUsd: 0.5, tokens: 3 }), begun, approved).totals).toEqual({
        costUsd: 1.5,
        tokens: 12,
        activeMs: 0,
      })
    })

    test('CORE-234 that never began used nothing', () => {
      expect(after(cut({ isUsagePartial: true })).totals).toEqual({ costUsd: 0, tokens: 0, activeMs: 0 })
    })

    test('CORE-232 CORE-234 whose runner was gone is counted as not known, each time', () => {
      const { totals } = after(begun, resumed, gone, begun, resumed, gone, begun, approved)
      expect(totals).toMatchObject({ costUsd: 1, unpriced: 2, uncounted: 2 })
      expect(after(begun, approved, resumed).totals.unpriced).toBe(undefined)
      // A reviewer that is asked once more is the same one.
      expect(after(begun, begun, approved).totals.unpriced).toBe(undefined)
    })

    test('CORE-235 work under way has used more than reported so far, if its agent reports usage', () => {
      const silent = ['check.started', { key, name: 'review', isReview: true }, by] as const
      const paid = finished({ costUsd: 1, tokens: 100 })
      expect(soFar(after(paid, begun))).toMatchObject({ costUsd: 1, isCostPartial: true, tokens: 100, areTokensPartial: true })
      expect(soFar(after(paid, begun, approved))).toEqual({ costUsd: 2, tokens: 109, activeMs: 0 })
      expect(soFar(after(paid, silent))).toEqual({ costUsd: 1, tokens: 100, activeMs: 0 })
    })
  })

  test('CORE-233 a later sum of its session that adds up brings its cost; one that is counted again does not', () => {
    const first = finished({ costUsd: 1, tokens: 100, session: 's-1', sessionUsed: { costUsd: 1, tokens: 100 } })
    const ended = timedOut({ tokens: 40, session: 's-1', ...PARTIAL })
    const cut = [started(), ended, started(), ['work.abandoned', LOST, RUNNER]] as const
    expect(after(first, ...cut).totals).toMatchObject({ unpriced: 2, uncounted: 2 })
    const summed = finished({ costUsd: 1.5, tokens: 60, session: 's-1', sessionUsed: { costUsd: 2.5, tokens: 200 } })
    expect(after(first, ...cut, summed).totals).toMatchObject({ costUsd: 2.5, tokens: 200 })
    expect(after(first, ...cut, summed).totals).toEqual({ costUsd: 2.5, tokens: 200, activeMs: 0 })
    const anew = finished({ costUsd: 0.6, tokens: 60, session: 's-1', sessionUsed: { costUsd: 0.6, tokens: 60 } })
    expect(after(first, ...cut, anew).totals).toMatchObject({ unpriced: 2, uncounted: 2 })
    const elsewhere = finished({ costUsd: 0.6, tokens: 50, session: 's-2', sessionUsed: { costUsd: 0.6, tokens: 60 } })
    expect(after(first, ...cut, elsewhere).totals.unpriced).toBe(2)
    // Where no sum was known before, the tokens say that it adds up.
    const second = finished({ costUsd: 0.9, tokens: 60, session: 's-1', sessionUsed: { costUsd: 0.9, tokens: 100 } })
    expect(after(started(), timedOut({ tokens: 40, session: 's-1' }), second).totals.unpriced).toBe(undefined)
  })

  test('CORE-233 a sum of tokens alone brings the tokens, not the cost', () => {
    const first = finished({ tokens: 100, session: 's-1', sessionUsed: { tokens: 100 } })
    const next = finished({ tokens: 60, session: 's-1', sessionUsed: { tokens: 160 } })
    const { totals } = after(first, started(), timedOut({ session: 's-1', ...PARTIAL }), next)
    expect(totals).toEqual({ costUsd: 0, tokens: 160, activeMs: 0, unpriced: 3 })
  })

  test('CORE-233 a total reported before the work was cut off leaves the rest to the next', () => {
    const cut = timedOut({ costUsd: 1, session: 's-1', sessionUsed: { costUsd: 1 }, ...PARTIAL })
    const next = finished({ costUsd: 0.5, session: 's-1', sessionUsed: { costUsd: 1.5 } })
    expect(after(started(), cut).totals).toMatchObject({ unpriced: 1, uncounted: 1 })
    expect(after(started(), cut, next).totals).toEqual({ costUsd: 1.5, tokens: 0, activeMs: 0, uncounted: 2 })
  })

  test('DRIVE-52 what is known of its session stays as it was, and what it used since is kept apart until the next sum', () => {
    const first = finished({ costUsd: 1, tokens: 100, session: 's-1', sessionUsed: { costUsd: 1, tokens: 100 } })
    const cut = [
      timedOut({ tokens: 40, session: 's-1' }),
      started(),
      ['work.abandoned', { ...CUT, tokens: 2, session: 's-1' }],
    ] as const
    expect(lastSession(after(first, ...cut), KEY, 'claude')).toMatchObject({
      id: 's-1',
      used: { costUsd: 1, tokens: 100 },
      unsettled: { tokens: 42 },
    })
    const next = finished({ costUsd: 1, tokens: 60, session: 's-1', sessionUsed: { costUsd: 2, tokens: 202 } })
    const settled = lastSession(after(first, ...cut, next), KEY, 'claude')
    expect(settled?.used).toEqual({ costUsd: 2, tokens: 202 })
    expect(settled).not.toHaveProperty('unsettled')
    expect(lastSession(after(first, ...cut, timedOut({ tokens: 7, session: 's-2' })), KEY, 'claude')).toMatchObject({
      id: 's-2',
      unsettled: { tokens: 7 },
    })
  })

  test('DRIVE-53 its session is the one to continue', () => {
    const state = after(started(), ['work.abandoned', { ...CUT, session: 's-9' }])
    expect(lastSession(state, KEY, 'claude')).toMatchObject({ id: 's-9' })
    // Work that came to its end and tells of none is of no session.
    const other = after(finished({ session: 's-1' }), finished({ tokens: 9 }))
    expect(lastSession(other, KEY, 'claude')).not.toHaveProperty('unsettled')
    // One that could not tell of any leaves the one before.
    const lostOne = after(finished({ session: 's-1' }), started(), ['work.abandoned', LOST, RUNNER])
    expect(lastSession(lostOne, KEY, 'claude')).toMatchObject({ id: 's-1' })
  })
})
