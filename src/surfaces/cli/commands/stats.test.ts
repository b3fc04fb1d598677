import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { circuitBreaker, maxIterations } from '../../../guards/index.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { STARTED_AT } from '../../../../test/support/view-fixture.ts'
import { textWidth } from '../../../present/layout.ts'
import { show } from './show.ts'
import { stats, type StatsDocument } from './stats.ts'

let project: TestProject

const guards = [maxIterations(8), circuitBreaker({ failuresMax: 2 })]

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.seed({ run: 'stuck', failing: [3, 3, 3], guards })
  for (const run of ['one', 'two', 'three', 'four'])
    await project.seed({ run, failing: [3, 3, 3, 3, 0], guards, answers: [{ choice: 'false-alarm' }] })
})
afterAll(() => project.remove())

async function document(options: Parameters<typeof stats>[1] = {}): Promise<StatsDocument> {
  const look = project.look({ json: true })
  expect(await stats(look, options)).toBe(0)
  expect(look.documents).toHaveLength(1)
  return look.documents[0] as StatsDocument
}

describe('pawl stats', () => {
  it('CLI-340 tells the same time at work as show, also of an iteration that did not end', async () => {
    const other = testProject({ isGit: false })
    await other.seed({ run: 'crashed', failing: [3, 2, 1], factsMax: 6 })
    const look = other.look({ json: true })
    await stats(look)
    await show(look, 'crashed')
    const [all, one] = look.documents as [StatsDocument, { readonly totals: { readonly activeMs: number } }]
    expect(all.durationMs).toBeGreaterThan(0)
    expect(all.durationMs).toBe(one.totals.activeMs)
    await other.remove()
  })

  it('CLI-340 prints runs, a row a guard, a row a week and proposals, and says that savings are estimates and how they are made', async () => {
    const look = project.look({ columns: 100 })
    expect(await stats(look)).toBe(0)
    const text = look.out.join('\n')
    expect(text).toMatch(/^Runs +6 runs: 5 succeeded \(100% of those that are over\), 1 open$/m)
    expect(text).toMatch(/^Saved +about 6 iterations, \$0\.30, .* by 1 early stop$/m)
    expect(text).toMatch(/^circuitBreaker +5 +5 +4 +6 +\$0\.30$/m)
    expect(text).toMatch(/^2026-11-02 +6 +100% +5 +6 +\$0\.30$/m)
    expect(text).toContain('Raise circuitBreaker.failuresMax from 2 to 4: would have avoided 4 false alarms of 4')
    expect(text).toContain('  circuit_breaker: { failures_max: 4, severity: trip }')
    expect(text).toContain('Saved is an estimate')
    expect(look.out.filter((line) => textWidth(line) > 100)).toEqual([])
  })

  it('CLI-340 says why the successes are believed, and how many have no proof', async () => {
    const other = testProject({ isGit: false })
    await other.seed({ run: 'open', failing: [3, 2, 1], factsMax: 6 })
    const before = other.look()
    await stats(before)
    expect(before.out.join('\n')).not.toMatch(/^Proof/m)
    await other.seed({ run: 'red', failing: [2, 0] })
    await other.seed({ run: 'own', failing: [2, 0], proof: { level: 'self-tested' } })
    const look = other.look()
    await stats(look)
    expect(look.out.join('\n')).toMatch(/^Proof +of the 2 that succeeded: 1 red-to-green, 1 self-tested$/m)
    await other.remove()
  })

  it('CLI-341 prints one JSON document with the same', async () => {
    const found = await document()
    expect(found).toMatchObject({ since: null, guard: null, damaged: [], runs: { count: 6, succeeded: 5 } })
    expect(found.guards[0]).toMatchObject({ guard: 'circuitBreaker', trips: 5, stops: 5, falseAlarms: 4 })
    expect(found.proposals[0]).toMatchObject({ kind: 'raise', evidence: { known: 4, falseAvoided: 4 } })
  })

  it('CLI-342 counts only runs that began since a day, and only what one guard did', async () => {
    expect((await document({ since: '2026-11-04' })).runs.count).toBe(0)
    expect((await document({ since: '2026-11-03' })).runs.count).toBe(6)
    expect((await document({ since: '20000d' })).since).toBeLessThan(STARTED_AT)
    expect((await document({ guard: 'maxIterations' })).guards).toMatchObject([{ guard: 'maxIterations', trips: 0 }])
    await expect(document({ guard: 'thrashing' })).rejects.toThrow(
      'No run has the guard "thrashing"; there are circuitBreaker, maxIterations.',
    )
    await expect(document({ since: 'yesterday' })).rejects.toMatchObject({ code: 'usage.since' })
  })

  it('TUNE-12 an unknown guard is an error with the nearest name and the list, even if there are no runs', async () => {
    const empty = testProject({ isGit: false })
    for (const each of [project, empty]) {
      await expect(stats(each.look(), { guard: 'circutBreaker' })).rejects.toMatchObject({
        code: 'usage.unknown-guard',
        message: expect.stringMatching(
          /^There is no guard "circutBreaker"\. Did you mean "circuitBreaker"\? There are budget,/,
        ) as string,
      })
    }
    await empty.remove()
  })

  it('TUNE-11 says what pawl.yaml already has, and does not propose it again', async () => {
    const config = join(project.root, 'pawl.yaml')
    writeFileSync(config, 'guards:\n  circuit_breaker: { failures_max: 4, severity: trip }\n')
    try {
      expect((await document()).proposals).toMatchObject([{ guard: 'circuitBreaker', inPlace: true }])
      const look = project.look({ columns: 200 })
      await stats(look)
      const text = look.out.join('\n')
      expect(text).toContain('pawl.yaml already has what these runs suggest for circuitBreaker.')
      expect(text).not.toContain('Raise circuitBreaker')
    } finally {
      rmSync(config)
    }
    expect((await document()).proposals).toMatchObject([{ guard: 'circuitBreaker', inPlace: false }])
  })

  it('TUNE-16 a file that is wrong is warned of, and nothing counts as in place', async () => {
    const config = join(project.root, 'pawl.yaml')
    writeFileSync(config, 'guards: [\n')
    try {
      const look = project.look({ columns: 200 })
      expect(await stats(look)).toBe(0)
      expect(look.out.join('\n')).toContain('Raise circuitBreaker')
      expect(look.warned).toEqual([expect.stringMatching(/pawl\.yaml:\d+:\d+: /)])
    } finally {
      rmSync(config)
    }
  })

  it('CLI-343 without a store it says so, and makes none', async () => {
    const empty = testProject({ isGit: false })
    const look = empty.look()
    expect(await stats(look)).toBe(0)
    expect(look.out).toEqual(['No runs yet.'])
    expect(existsSync(join(empty.root, '.pawl'))).toBe(false)
    await empty.remove()
  })

  it('CLI-344 a run whose journal cannot be read is named and not counted', async () => {
    const broken = testProject({ isGit: false })
    await broken.seed({ run: 'good', failing: [3, 0] })
    const store = sqliteStore({ path: broken.storePath })
    await store.append('no-start', [{ type: 'run.aborted', at: 1, by: { role: 'person' }, data: { reason: 'r' } }])
    await store.close()
    const look = broken.look({ json: true })
    await stats(look)
    expect(look.documents[0]).toMatchObject({ damaged: ['no-start'], runs: { count: 1 } })
    await broken.remove()
  })
})
