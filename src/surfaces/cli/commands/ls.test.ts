import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunRow } from '../../../present/run-table.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { ls } from './ls.ts'
import { show } from './show.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.seed({ run: 'stuck', goal: 'Never enough', failing: [3, 2, 2, 2] })
})
afterAll(() => project.remove())

describe('pawl ls', () => {
  it('CLI-243 lists the runs of the store, the one touched last first, with what to do', async () => {
    const look = project.look()
    expect(await ls(look)).toBe(0)
    expect(look.out).toHaveLength(3)
    expect(look.out[1]).toMatch(/^stuck {2}escalated - pawl answer stuck {2}3 +3 → 2 {2}\$0\.15 .*Never enough$/)
    expect(look.out[2]).toMatch(/^good {3}completed +2 +3 → 0 {2}\$0\.10/)
  })

  it('CLI-243 prints one JSON array, and only the runs of a status when asked', async () => {
    const look = project.look({ json: true })
    await ls(look, { status: 'escalated' })
    expect(look.documents).toHaveLength(1)
    expect(
      (look.documents[0] as RunRow[]).map(({ run, iterations, failingFirst, failingLast, isHeld }) => [
        run,
        iterations,
        failingFirst,
        failingLast,
        isHeld,
      ]),
    ).toEqual([['stuck', 3, 3, 2, false]])
    await expect(ls(look, { status: 'odd' })).rejects.toMatchObject({ code: 'usage.status' })
  })

  it('CLI-243 a run that nobody drives is asked for as idle, not as running', async () => {
    const other = testProject({ isGit: false })
    await other.seed({ run: 'crashed', failing: [3, 2, 1], factsMax: 6 })
    const look = other.look({ json: true })
    await ls(look, { status: 'idle' })
    await ls(look, { status: 'running' })
    expect(look.documents).toEqual([[expect.objectContaining({ run: 'crashed', status: 'running', isHeld: false })], []])
    await other.remove()
  })

  it('CLI-244 without a store it says how to start, and makes none', async () => {
    const empty = testProject({ isGit: false })
    const look = empty.look()
    expect(await ls(look)).toBe(0)
    expect(look.out).toEqual([expect.stringContaining('pawl task')])
    await expect(show(look, 'x')).rejects.toMatchObject({ code: 'run.unknown' })
    expect(existsSync(join(empty.root, '.pawl'))).toBe(false)
    await empty.remove()
  })
})
