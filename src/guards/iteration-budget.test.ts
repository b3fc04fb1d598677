import { describe, expect, it } from 'vitest'
import { actionOf } from '../core/action.ts'
import type { WorkSoFar } from '../core/guard.ts'
import type { State } from '../core/state.ts'
import { watchWork } from '../core/watch-work.ts'
import { stateAfter } from '../testing/state-builder.ts'
import { budget } from './budget.ts'
import { anyOf, withSeverity } from './combine.ts'
import { iterationBudget } from './iteration-budget.ts'
import { repeatedAction } from './repeated-action.ts'
import { spinningText } from './spinning-text.ts'

const NOTHING: WorkSoFar = { used: {}, messages: 0, actions: [], quietMs: 0 }
const fresh = stateAfter([])

describe('iterationBudget', () => {
  it.each([
    ['nothing', {}, undefined],
    ['$9.99', { used: { costUsd: 9.99 } }, undefined],
    ['$10', { used: { costUsd: 10 } }, 'cost'],
    ['many tokens', { used: { tokens: 1e9 } }, undefined],
    ['499 messages', { messages: 499 }, undefined],
    ['500 messages', { messages: 500 }, 'messages'],
  ])('GUARD-247 ends work by default: %s', (_name, work, topic) => {
    expect(iterationBudget().watch?.(fresh, { ...NOTHING, ...work })[0]?.topic).toBe(topic)
  })

  it('GUARD-247 counts what the iteration used before, warns after it, and 0 is no limit', () => {
    const { totals } = fresh
    const used: State = { ...fresh, totals: { ...totals, costUsd: totals.costUsd + 3 } }
    expect(iterationBudget({ costUsdMax: 4 }).watch?.(used, { ...NOTHING, used: { costUsd: 1 } })).toHaveLength(1)
    expect(iterationBudget({ costUsdMax: 4 }).remainingUsd?.(used)).toBe(1)
    expect(iterationBudget({ costUsdMax: 3 }).inspect(used)).toMatchObject([{ severity: 'warn', topic: 'cost' }])
    const none = iterationBudget({ costUsdMax: 0, messagesMax: 0 })
    expect(none.watch?.(used, { ...NOTHING, used: { costUsd: 99 }, messages: 9999 })).toEqual([])
    expect(none.remainingUsd?.(used)).toBeUndefined()
  })
})

const call = actionOf({ name: 'shell', input: { command: 'npm test' }, response: 'same' })
const calls = (count: number) => ({ ...NOTHING, actions: Array.from({ length: count }, () => call) })

describe('guards over an agent at work', () => {
  it.each([2, 3, 29, 30])(
    'GUARD-249 repeatedAction says the same as after the work, and ends it at thirty: %i calls',
    (count) => {
      const after: State = { ...fresh, measures: { ...fresh.measures, actions: { last: calls(count).actions, facts: [] } } }
      const [inspected] = repeatedAction().inspect(after)
      const [watched] = repeatedAction().watch?.(fresh, calls(count)) ?? []
      expect(watched?.evidence.measures).toEqual(inspected?.evidence.measures)
      expect(watched?.severity).toBe(count < 3 ? undefined : count < 30 ? 'warn' : 'trip')
    },
  )

  it.each([
    [10, 'warn'],
    [60, 'trip'],
  ])('GUARD-249 spinningText ends the work where there is no doubt: %i times', (repeats, severity) => {
    const spinning = { unit: 'I should look at the file once more before I change anything.', repeats }
    expect(spinningText().watch?.(fresh, { ...NOTHING, spinning })[0]?.severity).toBe(severity)
  })

  it('GUARD-249 combined guards watch too, a severity applies to all, and a guard that was let pass ends nothing', () => {
    const spent = { ...NOTHING, used: { costUsd: 2 } }
    const limit = budget({ costUsdMax: 2 })
    expect(watchWork([anyOf(limit, repeatedAction())], fresh, spent).end?.guard).toBe('budget')
    expect(watchWork([withSeverity(limit, 'warn')], fresh, spent)).toMatchObject({ warnings: [{ guard: 'budget' }] })
    expect(watchWork([withSeverity(limit, 'warn')], fresh, spent).end).toBeUndefined()
    expect(watchWork([limit], { ...fresh, waivers: ['budget'] }, spent).end).toBeUndefined()
  })
})
