import { describe, expect, it } from 'vitest'
import type { Alarm, RunRecord } from './run-record.ts'
import { statistics, weekOf } from './statistics.ts'

let count = 0

function record(more: Partial<RunRecord> = {}): RunRecord {
  const guards = ['maxIterations', 'sameFailure', 'noProgress'].map((guard) => ({ guard, isBuiltIn: true }))
  const lists = { guards, trips: [], nudges: [], waived: [], disputed: [], alarms: [] }
  const run = `run-${++count}`
  return {
    run,
    startedAt: Date.UTC(2026, 10, 10),
    ending: 'succeeded',
    iterations: 4,
    costUsd: 2,
    durationMs: 4000,
    ...lists,
    ...more,
  }
}

/** A run that `sameFailure` stopped after three of the same; `toSuccess` iterations later it succeeded, or never. */
function stoppedBy(judgement: Alarm['judgement'], toSuccess?: number, more: Partial<Alarm> = {}): RunRecord {
  const alarm: Alarm = {
    run: 'r',
    guard: 'sameFailure',
    seq: 9,
    iteration: 3,
    threshold: { setting: 'repeatsMin', is: 3, counted: 3 },
    judgement,
    ...(toSuccess === undefined ? {} : { iterationsToSuccess: toSuccess }),
    iterationsLeft: 5,
    costUsdEach: 0.5,
    ...more,
  }
  return record({ ending: judgement === 'false' ? 'succeeded' : 'aborted', trips: ['sameFailure'], alarms: [alarm] })
}

describe('statistics', () => {
  it('STATS-4 count runs by their end, with the success rate of those that are over', () => {
    const endings = ['succeeded', 'succeeded', 'accepted', 'stopped', 'aborted', 'open', 'imported'] as const
    const { runs } = statistics(endings.map((ending) => record({ ending })))
    expect(runs).toEqual({
      count: 7,
      succeeded: 2,
      partial: 0,
      accepted: 1,
      stopped: 1,
      aborted: 1,
      open: 1,
      proofs: { 'red-to-green': 0, 'self-tested': 0, reviewed: 0, unproven: 0 },
      imported: 1,
      successRate: 0.4,
    })
    expect(statistics([]).runs).not.toHaveProperty('successRate')
  })

  it('STATS-4 count the successes by how far they are proven', () => {
    const proven = ['red-to-green', 'red-to-green', 'self-tested'] as const
    const records = [...proven.map((proof) => record({ ending: 'succeeded', proof })), record({ ending: 'succeeded' })]
    const { runs } = statistics([...records, record({ ending: 'accepted', proof: 'unproven' })])
    expect(runs.proofs).toEqual({ 'red-to-green': 2, 'self-tested': 1, reviewed: 0, unproven: 0 })
  })

  it('STATS-5 have a row a guard, the one that tripped most first, and of one guard alone when asked', () => {
    const saved = { guard: 'sameFailure', iterations: 5, costUsd: 2.5, durationMs: 5000 }
    const records = [
      { ...stoppedBy('true'), saved },
      { ...stoppedBy('false', 1), disputed: ['sameFailure'], waived: ['sameFailure'] },
      record({ nudges: [{ guard: 'noProgress', iteration: 2 }], trips: ['maxIterations'] }),
    ]
    const { guards, saved: all } = statistics(records)
    expect(guards.map(({ guard }) => guard)).toEqual(['sameFailure', 'maxIterations', 'noProgress'])
    expect(guards[0]).toEqual({
      guard: 'sameFailure',
      isLimit: false,
      trips: 2,
      nudges: 0,
      stops: 2,
      waived: 1,
      disputed: 1,
      falseAlarms: 1,
      trueAlarms: 1,
      saved: { runs: 1, iterations: 5, costUsd: 2.5, durationMs: 5000 },
    })
    expect(all).toEqual(guards[0]?.saved)
    const one = statistics(records, 'noProgress')
    expect(one.guards.map(({ guard, nudges }) => [guard, nudges])).toEqual([['noProgress', 1]])
    expect(one.saved.runs).toBe(0)
    expect(one.runs.count).toBe(3)
  })

  it('STATS-6 have a row a week, which begins on Monday', () => {
    expect(['2026-11-08T23:59:59Z', '2026-11-09T00:00:00Z', '1969-12-31T12:00:00Z'].map((at) => weekOf(Date.parse(at)))).toEqual([
      '2026-11-02',
      '2026-11-09',
      '1969-12-29',
    ])
    const { weeks } = statistics([record(), record({ startedAt: Date.UTC(2026, 10, 2), ending: 'open' }), stoppedBy('true')])
    expect(weeks.map(({ week, runs, succeeded, over, trips }) => [week, runs, succeeded, over, trips])).toEqual([
      ['2026-11-02', 1, 0, 0, 0],
      ['2026-11-09', 2, 1, 2, 1],
    ])
  })

  it('STATS-7 say within how many iterations nine of ten succeeded, by what failed at the start', () => {
    const sized = (failingAtStart: number, iterations: number) => record({ failingAtStart, iterations })
    const many = [1, 1, 2, 2, 2, 3, 3, 3, 4, 20].map((iterations) => sized(7, iterations))
    expect(statistics([sized(1, 1), record({ failingAtStart: 1, ending: 'aborted' }), ...many]).sizes).toEqual([
      { failingAtStart: '1', runs: 2, succeeded: 1, iterationsNineOfTen: 1 },
      { failingAtStart: '6 and more', runs: 10, succeeded: 10, iterationsNineOfTen: 4 },
    ])
  })
})

describe('proposals', () => {
  const oftenWrong = [stoppedBy('false', 1), stoppedBy('false', 2), stoppedBy('false', 2), stoppedBy('true')]

  it('STATS-10 a guard that was mostly wrong is proposed a higher threshold, with the evidence and the line for pawl.yaml', () => {
    expect(statistics(oftenWrong).proposals).toEqual([
      {
        guard: 'sameFailure',
        kind: 'raise',
        message:
          'Raise sameFailure.repeatsMin from 3 to 5: would have avoided 3 false alarms of 3 and missed 0 of 1 true one; the others come later, 2 iterations in all and $1.00.',
        evidence: {
          known: 4,
          falseAlarms: 3,
          falseAvoided: 3,
          trueMissed: 0,
          iterations: 2,
          costUsd: 1,
          runs: ['r'],
        },
        yaml: 'guards:\n  same_failure: { repeats_min: 5, severity: trip }',
      },
    ])
  })

  it('STATS-11 fewer than four known stops, or fewer than half of them false, prove nothing', () => {
    expect(statistics(oftenWrong.slice(1)).proposals).toEqual([])
    expect(statistics([...oftenWrong, stoppedBy('true'), stoppedBy('true'), stoppedBy('true')]).proposals).toEqual([])
    expect(statistics([...oftenWrong.slice(0, 3), stoppedBy('open')]).proposals).toEqual([])
  })

  it('STATS-12 a true alarm that the maximum would have come before counts as missed', () => {
    const near = [...oftenWrong.slice(0, 3), stoppedBy('true', undefined, { iterationsLeft: 1 })]
    expect(statistics(near).proposals[0]?.evidence).toMatchObject({ falseAvoided: 3, trueMissed: 1, iterations: 1 })
  })

  it('STATS-13 where no threshold helps it is proposed that the guard only warns', () => {
    const far = [1, 2, 3, 4].map(() => stoppedBy('false', 40))
    const [proposal] = statistics(far).proposals
    expect(proposal).toMatchObject({ kind: 'warn', yaml: 'guards:\n  same_failure: warn' })
  })

  it('STATS-14 a maximum that runs went past without help and succeeded is proposed higher', () => {
    const more = { guard: 'maxIterations', threshold: { setting: 'iterationsMax', is: 3, counted: 3 }, iterationsLeft: 0 }
    const records = [
      stoppedBy('false', 1, more),
      stoppedBy('false', 2, more),
      stoppedBy('false', 1, more),
      stoppedBy('true', undefined, more),
    ]
    expect(statistics(records).proposals[0]).toMatchObject({ kind: 'raise', yaml: 'max_iterations: 5' })
  })

  it('STATS-15 a guard that only warned and was always right is proposed to decide, with what that would have saved', () => {
    const warned = [1, 2, 3, 4, 5].map(() =>
      record({ ending: 'aborted', iterations: 8, nudges: [{ guard: 'noProgress', iteration: 4 }] }),
    )
    const [proposal] = statistics(warned).proposals
    expect(proposal).toMatchObject({ kind: 'decide', yaml: 'guards:\n  no_progress: ladder' })
    expect(proposal?.message).toContain('of 5 runs it warned in none succeeded, and it would have saved 10 iterations and $2.50')
    expect(statistics([...warned, record({ nudges: [{ guard: 'noProgress', iteration: 1 }] })]).proposals).toEqual([])
  })

  it('STATS-16 for a guard that no file can name there is no line', () => {
    const own = oftenWrong.map((each) => ({ ...each, guards: [{ guard: 'sameFailure', isBuiltIn: false }] }))
    expect(statistics(own).proposals[0]).not.toHaveProperty('yaml')
  })
})
