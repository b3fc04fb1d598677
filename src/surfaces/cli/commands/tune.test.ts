import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { circuitBreaker, maxIterations, sameFailure } from '../../../guards/index.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { textWidth } from '../../../present/layout.ts'
import type { TuneDocument } from '../../../present/stats-lines.ts'
import { tune, type TuneOptions } from './tune.ts'

let project: TestProject

const guards = [maxIterations(8), circuitBreaker({ failuresMax: 2 })]

beforeAll(async () => {
  project = testProject({ isGit: false })
  // The breaker stopped four runs that succeeded when they were let continue, and one that nobody let continue.
  for (const run of ['one', 'two', 'three', 'four'])
    await project.seed({ run, goal: run, failing: [3, 3, 3, 3, 0], guards, answers: [{ choice: 'false-alarm' }] })
  await project.seed({ run: 'stuck', goal: 'stuck', failing: [3, 3, 3, 3], guards, answers: [{ choice: 'abort' }] })
})
afterAll(() => project.remove())

const config = (): string => join(project.root, 'pawl.yaml')
const CONFIG = '# ours\nagent: claude # the best\nguards:\n  # breaks after two\n  circuit_breaker: { failures_max: 2 }\n'
beforeEach(() => writeFileSync(config(), CONFIG))

async function documentOf(options: TuneOptions = {}): Promise<TuneDocument> {
  const look = project.look({ json: true })
  expect(await tune(look, options)).toBe(0)
  return look.documents[0] as TuneDocument
}

/** Twenty runs that succeeded, and so many that used up their maximum and were ended. */
async function warnedProject(failed: number): Promise<TestProject> {
  const other = testProject({ isGit: false })
  const warning = [maxIterations(8), sameFailure()]
  for (let index = 0; index < 20; index++)
    await other.seed({ run: `good-${index}`, goal: `good ${index}`, failing: [3, 3, 0], guards: warning })
  const answers = [{ choice: 'abort' }]
  for (let index = 0; index < failed; index++)
    await other.seed({ run: `bad-${index}`, goal: `bad ${index}`, failing: Array<number>(9).fill(3), guards: warning, answers })
  return other
}

describe('pawl tune', () => {
  it('TUNE-4 proposes a threshold with the false alarms behind it, and what the same runs would have come to', async () => {
    const { runs, proposals, written } = await documentOf()
    expect(runs).toBe(5)
    expect(written).toBeNull()
    expect(proposals).toHaveLength(1)
    expect(proposals[0]).toMatchObject({
      guard: 'circuitBreaker',
      kind: 'raise',
      falseAlarms: { times: 4, of: 5 },
      effect: { lost: { of: 4, before: 4, after: 0 }, avoided: { of: 2, before: 0, after: 0 } },
    })
    const [low, high] = proposals[0]?.falseAlarms?.interval ?? [0, 0]
    expect(low).toBeGreaterThan(0.3)
    expect(high).toBeLessThan(1)
  })

  it('TUNE-5 says it in words that fit the screen, and changes nothing by itself', async () => {
    const look = project.look({ columns: 100 })
    expect(await tune(look)).toBe(0)
    const text = look.out.join('\n')
    expect(text).toContain('False alarms so far: 4 of 5; the share lies between')
    expect(text).toContain('Successes lost: 4 of 4 now, 0 then (a change between -100% and -47%).')
    expect(text).toContain('  circuit_breaker: { failures_max: 4, severity: trip }')
    expect(text).toContain('Nothing was changed. To write these lines into pawl.yaml: pawl tune --write')
    expect(look.out.filter((line) => textWidth(line) > 100)).toEqual([])
    expect(readFileSync(config(), 'utf8')).toBe(CONFIG)
  })

  it('TUNE-6 writes the proposals only when told to, keeps comments and the old file', async () => {
    const { written } = await documentOf({ write: true })
    expect(readFileSync(config(), 'utf8')).toBe(
      '# ours\nagent: claude # the best\nguards:\n  # breaks after two\n  circuit_breaker: { severity: trip, failures_max: 4 }\n',
    )
    expect(written?.path).toBe(config())
    expect(readFileSync(written?.backup ?? '', 'utf8')).toBe(CONFIG)
  })

  it('TUNE-7 a file that is wrong already is not written, and neither is one for another guard', async () => {
    writeFileSync(config(), 'guards:\n  circuit_braker: trip\n')
    await expect(documentOf({ write: true })).rejects.toMatchObject({ code: 'config.invalid' })
    expect(readFileSync(config(), 'utf8')).toBe('guards:\n  circuit_braker: trip\n')
    expect(await documentOf({ guard: 'thrashing', write: true })).toMatchObject({ proposals: [], written: null })
  })

  it('TUNE-16 if nothing is written a file that is wrong is warned of, and nothing counts as in place', async () => {
    writeFileSync(config(), 'guards:\n  circuit_braker: trip\n  circuit_breaker: { failures_max: 4, severity: trip }\n')
    const look = project.look({ json: true })
    expect(await tune(look)).toBe(0)
    expect((look.documents[0] as TuneDocument).proposals).toMatchObject([{ guard: 'circuitBreaker', inPlace: false }])
    expect(look.warned).toEqual([expect.stringMatching(/pawl\.yaml:2:3: .*circuit_braker/)])
  })

  it('TUNE-11 what pawl.yaml says already is not proposed again: a second --write changes nothing and says so', async () => {
    await documentOf({ write: true })
    const after = readFileSync(config(), 'utf8')
    const backups = () => readdirSync(project.root).filter((name) => name.startsWith('pawl.yaml.bak')).length
    const kept = backups()
    const again = await documentOf({ write: true })
    expect(again).toMatchObject({ proposals: [{ guard: 'circuitBreaker', inPlace: true }], written: null })
    const look = project.look({ columns: 200 })
    expect(await tune(look, { write: true })).toBe(0)
    expect(look.out[0]).toBe('pawl.yaml already has what these runs suggest for circuitBreaker. The next run uses it.')
    expect(look.out.join(' ')).not.toMatch(/Nothing was changed|Written|Raise/)
    expect(readFileSync(config(), 'utf8')).toBe(after)
    expect(backups()).toBe(kept)
  })

  it.each([
    ['circuit_breaker: { failures_max: 4, severity: trip }', true],
    ['circuit_breaker: { failures_max: 9 }', true],
    ['circuit_breaker: { failures_max: 4, severity: ladder }', true],
    ['circuit_breaker: warn', true],
    ['circuit_breaker: off', true],
    ['circuit_breaker: { failures_max: 3 }', false],
    ['same_failure: trip', false],
  ])('TUNE-11 the file is asked what it says now: %s', async (line, inPlace) => {
    writeFileSync(config(), `guards:\n  ${line}\n`)
    expect((await documentOf()).proposals).toMatchObject([{ guard: 'circuitBreaker', inPlace }])
  })

  it('TUNE-12 an unknown guard is an error with the nearest name and the list, even if there are no runs', async () => {
    const empty = testProject({ isGit: false })
    for (const each of [project, empty]) {
      await expect(tune(each.look(), { guard: 'nonsense' })).rejects.toMatchObject({
        code: 'usage.unknown-guard',
        message: expect.stringMatching(
          /^There is no guard "nonsense"\. There are budget, circuitBreaker, .*worthContinuing\.$/,
        ) as string,
      })
      await expect(tune(each.look(), { guard: 'circutBreaker' })).rejects.toThrow(
        'Did you mean "circuitBreaker"? There are budget,',
      )
    }
    await empty.remove()
  })

  it('TUNE-9 proposes a threshold at which a guard could decide, when enough runs speak for it', async () => {
    const other = await warnedProject(10)
    const look = other.look({ json: true })
    await tune(look, { guard: 'circuitBreaker', write: true })
    const { proposals } = look.documents[0] as TuneDocument
    expect(proposals).toMatchObject([
      {
        guard: 'circuitBreaker',
        kind: 'decide',
        effect: { lost: { of: 20, after: 0 }, avoided: { of: 80, before: 0, after: 60 } },
      },
    ])
    expect(readFileSync(join(other.root, 'pawl.yaml'), 'utf8')).toBe(
      'guards:\n  circuit_breaker: { failures_max: 2, severity: trip }\n',
    )
    const again = other.look({ json: true })
    await tune(again, { guard: 'circuitBreaker', write: true })
    expect(again.documents[0]).toMatchObject({ proposals: [{ kind: 'decide', inPlace: true }], written: null })
    await other.remove()
  })

  it('TUNE-14 of two guards that save the same iterations one is proposed and written', async () => {
    const other = await warnedProject(10)
    const look = other.look({ json: true })
    await tune(look, { write: true })
    const { proposals, counts } = look.documents[0] as TuneDocument
    expect(proposals).toMatchObject([{ guard: 'circuitBreaker', kind: 'decide' }])
    expect(counts).toEqual({ solved: 20, failed: 10, open: 0 })
    expect(readFileSync(join(other.root, 'pawl.yaml'), 'utf8')).toBe(
      'guards:\n  circuit_breaker: { failures_max: 2, severity: trip }\n',
    )
    await other.remove()
  })

  it('TUNE-17 the file’s own settings save first, and are not called listed above', async () => {
    const other = await warnedProject(10)
    // Each time a bit better, with the same failure: only sameFailure sees that.
    const slow = {
      failing: [9, 8, 7, 6, 5, 4, 3, 2, 1],
      guards: [maxIterations(8), sameFailure()],
      answers: [{ choice: 'abort' }],
    }
    for (let index = 0; index < 10; index++) await other.seed({ run: `slow-${index}`, goal: `slow ${index}`, ...slow })
    const told = async (): Promise<string> => {
      const look = other.look({ columns: 1000 })
      await tune(look)
      return look.out.join('\n')
    }
    expect(await told()).toContain('Beside what stands above it saves only 30 iterations.')
    writeFileSync(join(other.root, 'pawl.yaml'), 'guards:\n  circuit_breaker: { failures_max: 2, severity: trip }\n')
    const after = await told()
    expect(after).toContain('1.  Let sameFailure decide')
    expect(after).toContain('Beside what pawl.yaml says already it saves only 30 iterations.')
    expect(after).not.toContain('stands above')
    await other.remove()
  })

  it('TUNE-13 none lost so far is not said to be none ever', async () => {
    const other = await warnedProject(10)
    const look = other.look({ columns: 200 })
    await tune(look)
    expect(look.out.join('\n')).toContain('Successes lost: 0 of 20 now, 0 then (a change between 0% and 14%).')
    await other.remove()
  })

  it('TUNE-15 runs that are not over count neither way, and it says how many they are and what to do', async () => {
    const other = await warnedProject(0)
    for (let index = 0; index < 11; index++)
      await other.seed({
        run: `bad-${index}`,
        goal: `bad ${index}`,
        failing: Array<number>(9).fill(3),
        guards: [maxIterations(8)],
      })
    const look = other.look({ columns: 400 })
    await tune(look)
    expect(look.out[0]).toContain(
      '20 successes and 10 failures to try thresholds on. So far there are 20 successes and 0 failures.',
    )
    expect(look.out[1]).toBe("11 runs aren't over and don't count yet. If one waits for an answer: `pawl answer RUN 1 --resume`.")
    const data = other.look({ json: true })
    await tune(data)
    expect(data.documents[0]).toMatchObject({ counts: { solved: 20, failed: 0, open: 11 } })
    await other.remove()
  })

  it('TUNE-8 with nothing to learn from it says so, and makes no store', async () => {
    const empty = testProject({ isGit: false })
    const look = empty.look()
    expect(await tune(look, { write: true })).toBe(0)
    expect(look.out).toEqual(['No runs to learn from yet.'])
    expect(existsSync(join(empty.root, '.pawl'))).toBe(false)
    await empty.seed({ run: 'good', failing: [3, 0] })
    const later = empty.look()
    await tune(later)
    expect(later.out.join(' ')).toContain('Pawl proposes no other settings from 1 run')
    await empty.remove()
  })
})
