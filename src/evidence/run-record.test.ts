import { describe, expect, it } from 'vitest'
import { taskLoop } from '../loops/task/index.ts'
import { checkFact, play, type Played, usual } from '../../test/support/play.ts'
import type { Fact } from '../core/event.ts'
import type { Guard } from '../core/guard.ts'
import { budget, circuitBreaker, customGuard, maxIterations, sameFailure } from '../guards/index.ts'
import { runRecord, type RunRecord } from './run-record.ts'

/** A run whose checks fail until the iteration `passesAt`, and whose agent reports a dollar an iteration. */
function played(guards: readonly Guard[], passesAt = 99): Played {
  return play({
    loop: taskLoop({ goal: 'g', baseline: false }),
    guards,
    respond: (effect, state) => {
      if (effect.kind === 'work')
        return usual(effect, state).map((fact) => ({ ...fact, data: { ...fact.data, costUsd: 1 } }) as Fact)
      if (effect.kind !== 'check') return undefined
      const failure = { id: 'sum', message: `wrong ${effect.iteration}`, kind: 'assertion' as const }
      return [checkFact(effect, state, effect.iteration < passesAt ? [failure] : [])]
    },
  })
}

function recordOf({ events }: Played): RunRecord {
  return runRecord(events) as RunRecord
}

function answered(asked: Played, choice: string, note?: string): Played {
  const because = asked.state.question?.seq ?? 0
  const by = { role: 'person' } as const
  const data = { choice, ...(note === undefined ? {} : { note }) }
  const disputed: readonly Fact[] =
    choice === 'false-alarm' ? [{ type: 'guard.disputed', at: 0, by, because, data: { guard: 'circuitBreaker' } }] : []
  return asked.on({ type: 'escalation.answered', at: 0, by, because, data }, ...disputed)
}

const breaker = circuitBreaker({ failuresMax: 2 })

/** Does not believe a pass. */
const doubtful = customGuard({
  name: 'doubtful',
  inspect: ({ current }) =>
    current.ended?.verdict.passed
      ? { message: 'm', evidence: { facts: [], measures: {} }, hint: 'h', disputesPass: true }
      : undefined,
})

describe('the record of a run', () => {
  it('STATS-1 counts trips, warnings, iterations and money, and knows the guards', () => {
    const record = recordOf(
      played([maxIterations(3), sameFailure({ repeatsMin: 2 }), budget({ costUsdMax: 3.5, warnShare: 0.5 })]),
    )
    expect(record).toMatchObject({ ending: 'open', iterations: 3, costUsd: 3, trips: ['maxIterations'] })
    expect(record.nudges).toEqual([{ guard: 'budget', iteration: 2 }])
    expect(record.guards.map(({ guard }) => guard)).toEqual(['maxIterations', 'sameFailure', 'budget'])
    expect(runRecord([])).toBeUndefined()
  })

  it('STATS-2 a guard that stops a run saves what its limits still allowed, at its own average', () => {
    expect(recordOf(played([maxIterations(8), breaker])).saved).toEqual({
      guard: 'circuitBreaker',
      iterations: 6,
      costUsd: 6,
      durationMs: expect.any(Number),
    })
    expect(recordOf(played([maxIterations(8), budget({ costUsdMax: 4.5 }), breaker])).saved).toMatchObject({ iterations: 2 })
  })

  it('STATS-2 nothing is saved by a limit, without a limit, or if the run was continued', () => {
    expect(recordOf(played([maxIterations(2)])).saved).toBeUndefined()
    expect(recordOf(played([maxIterations(2), breaker])).saved).toBeUndefined()
    expect(recordOf(played([breaker])).saved).toBeUndefined()
    expect(recordOf(answered(played([maxIterations(8), breaker], 3), 'continue')).saved).toBeUndefined()
  })

  it('STATS-40 nothing is saved where the checks passed when it stopped, or where a person took the work', () => {
    expect(recordOf(answered(played([maxIterations(8), breaker]), 'accept')).saved).toBeUndefined()
    expect(recordOf(answered(played([maxIterations(8), breaker]), 'abort')).saved).toMatchObject({ iterations: 6 })
    const asked = recordOf(played([maxIterations(8), doubtful], 2))
    expect(asked).toMatchObject({ ending: 'open', iterations: 2, trips: ['doubtful'] })
    expect(asked.saved).toBeUndefined()
  })

  it.each([
    ['called false', 'false-alarm', undefined, 'false', 'succeeded'],
    ['continued without help, and it succeeded', 'continue', undefined, 'false', 'succeeded'],
    ['helped, and it succeeded', 'continue', 'Look at the parser.', 'true', 'succeeded'],
    ['accepted as it was', 'accept', undefined, 'true', 'accepted'],
    ['given up', 'abort', undefined, 'true', 'aborted'],
  ])('STATS-3 a stop is false or true by what became of the run: %s', (_name, choice, note, judgement, ending) => {
    const record = recordOf(answered(played([maxIterations(8), breaker], 4), choice, note))
    expect(record.ending).toBe(ending)
    expect(record.alarms).toHaveLength(1)
    expect(record.alarms[0]).toMatchObject({
      guard: 'circuitBreaker',
      judgement,
      threshold: { setting: 'failuresMax', is: 2, counted: 2 },
      iterationsLeft: 6,
      ...(ending === 'succeeded' ? { iterationsToSuccess: 2 } : {}),
    })
    expect(record.disputed).toEqual(choice === 'false-alarm' ? ['circuitBreaker'] : [])
  })

  it('STATS-3 while nobody has answered it is open', () => {
    expect(recordOf(played([breaker])).alarms[0]?.judgement).toBe('open')
  })

  it('STATS-3 in a plan, the success of a later task says nothing about a stop in an earlier one', () => {
    const asked = play({
      loop: taskLoop({
        goal: 'g',
        tasks: [
          { id: 'a', goal: 'a' },
          { id: 'b', goal: 'b' },
        ],
        baseline: false,
      }),
      guards: [maxIterations(8), breaker],
      respond: (effect, state) =>
        effect.kind === 'check' && effect.iteration <= 2
          ? [checkFact(effect, state, [{ id: 'sum', message: 'wrong', kind: 'assertion' }])]
          : undefined,
    })
    const record = recordOf(answered(asked, 'accept'))
    expect(record).toMatchObject({ ending: 'succeeded', iterations: 3 })
    expect(record.alarms.map(({ judgement }) => judgement)).toEqual(['true'])
  })
})
