import { describe, expect, it } from 'vitest'
import { stateAfter } from '../testing/state-builder.ts'
import { thrashing } from './thrashing.ts'

const changing = (files: readonly string[], failures = 5) => ({
  files,
  failures: Array.from({ length: failures }, (_, index) => `t${index}`),
  tests: 10,
})
const times = (count: number, files: readonly string[]) => Array.from({ length: count }, () => changing(files))

describe('thrashing', () => {
  it.each([
    ['the same file, as bad as ever', times(6, ['src/a.ts']), true],
    ['not yet', times(5, ['src/a.ts']), false],
    ['a batch over many files', Array.from({ length: 9 }, (_, index) => changing([`src/${index}.ts`])), false],
    ['every change makes it better', [8, 7, 6, 5, 4, 3, 2].map((count) => changing(['src/a.ts'], count)), false],
    ['the checks pass every time', Array.from({ length: 9 }, () => changing(['src/a.ts'], 0)), false],
    [
      'they fail, pass, and fail once more',
      [...times(5, ['src/a.ts']), changing(['src/a.ts'], 0), ...times(1, ['src/a.ts'])],
      false,
    ],
    ['the file is left alone at last', [...times(7, ['src/a.ts']), changing(['src/b.ts'])], false],
    ['notes of a loop that is told to keep them', times(9, ['fix_plan.md', 'PROGRESS.txt']), false],
    ['lock files', times(9, ['package-lock.json', 'sub/Cargo.lock']), false],
  ])('GUARD-36 %s', (_name, iterations, holds) => {
    expect(thrashing().inspect(stateAfter(iterations)).length > 0).toBe(holds)
  })

  it('GUARD-36 says which files, since when, and what to try', () => {
    const state = stateAfter([
      changing(['x'], 6),
      changing(['y'], 3),
      ...times(5, ['src/b.ts']),
      ...times(2, ['src/a.ts', 'src/b.ts']),
    ])
    const [trip] = thrashing({ timesMin: 2 }).inspect(state)
    expect(trip?.message).toBe(
      'src/b.ts was changed in 7 iterations since iteration 3 (and 1 other file nearly as often), and nothing got better.',
    )
    expect(trip?.evidence.measures).toEqual({
      timesMin: 2,
      files: [
        { path: 'src/b.ts', count: 7, since: 3 },
        { path: 'src/a.ts', count: 2, since: 8 },
      ],
    })
    expect(trip?.hint).toContain('Leave src/b.ts alone for once')
    expect(trip?.hint).toContain('start from iteration 2, the best so far')
    expect(thrashing({ timesMin: trip?.raise?.to ?? 0 }).inspect(state)).toEqual([])
  })

  it('GUARD-36 only warns, at five changes, and refuses what cannot work', () => {
    expect(thrashing().spec).toMatchObject({ severity: 'warn', settings: { timesMin: 5 } })
    expect(() => thrashing({ timesMin: 1 })).toThrow('thrashing: timesMin must be a whole number of at least 2')
  })
})
