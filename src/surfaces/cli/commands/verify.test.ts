import { copyFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testProject, type TestProject } from '../../../testing/cli-project.ts'
import { ls } from './ls.ts'
import type { Verification } from './verify-run.ts'
import { verify } from './verify.ts'

let project: TestProject
let kept: string

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 1 }).run('good')
  await project.close()
  kept = `${project.storePath}.kept`
  copyFileSync(project.storePath, kept)
})
beforeEach(() => copyFileSync(kept, project.storePath))
afterAll(() => project.remove())

/** Changes the file behind the store's back. */
function tamper(sql: string): void {
  const database = new DatabaseSync(project.storePath)
  database.exec(sql)
  database.close()
}

describe('pawl verify', () => {
  it('CLI-290 says ok with the counts and the head, for one run or all of them', async () => {
    const look = project.look()
    expect(await verify(look, 'good')).toBe(0)
    expect(look.out).toEqual([expect.stringMatching(/^ok {3}good: \d+ events, \d+ texts, head [0-9a-f]{64}$/)])
    const all = project.look({ json: true })
    expect(await verify(all)).toBe(0)
    expect(all.documents).toEqual([[expect.objectContaining({ run: 'good', ok: true, problems: [] })]])
    await expect(verify(look, 'lost')).rejects.toMatchObject({ code: 'run.unknown' })
  })

  it('CLI-291 names the first event that was changed, and exits with 1', async () => {
    tamper(
      "UPDATE events SET event = replace(event, 'Every check passed', 'Every check failed') WHERE event LIKE '%run.completed%'",
    )
    const look = project.look({ json: true })
    expect(await verify(look, 'good')).toBe(1)
    const [result] = look.documents as [Verification]
    expect(result.ok).toBe(false)
    expect(result.problems).toEqual([{ seq: result.events, message: expect.stringContaining('was changed') }])
    const text = project.look()
    await verify(text)
    expect(text.out[0]).toMatch(/^BAD {2}good/)
  })

  it('CLI-291 sees an event that was taken out', async () => {
    tamper('DELETE FROM events WHERE seq = 3')
    const look = project.look()
    expect(await verify(look, 'good')).toBe(1)
    expect(look.out.join('\n')).toContain('Event 3 is missing')
  })

  it('CLI-292 sees a text that is missing, and one that was changed', async () => {
    tamper('DELETE FROM texts WHERE rowid = 1')
    tamper("UPDATE texts SET is_deflated = 0, content = x'00' WHERE rowid = 2")
    const look = project.look({ json: true })
    expect(await verify(look, 'good')).toBe(1)
    const [{ problems }] = look.documents as [Verification]
    expect(problems.map(({ message }) => message).toSorted()).toEqual(
      [expect.stringContaining('is missing'), expect.stringContaining('is not what was written')].toSorted(),
    )
  })

  it('CLI-293 an event that cannot even be read is told, and does not hide the other runs', async () => {
    await project.seed({ run: 'second', failing: [3, 0] })
    tamper("UPDATE events SET event = 'rubbish' WHERE seq = 4 AND run = 1")
    const look = project.look()
    expect(await verify(look)).toBe(1)
    expect(look.out.filter((line) => /^(ok|BAD)/.test(line)).map((line) => line.split(/[\s:]+/).slice(0, 2))).toEqual(
      expect.arrayContaining([
        ['BAD', 'good'],
        ['ok', 'second'],
      ]),
    )
  })

  it('CLI-242 a damaged run is listed as such', async () => {
    tamper("DELETE FROM snapshots; UPDATE events SET event = 'rubbish' WHERE seq = 4")
    const look = project.look()
    await ls(look)
    expect(look.out[1]).toContain('damaged - pawl verify good')
  })

  it('CLI-290 where there is no run there is nothing wrong', async () => {
    const empty = testProject()
    const look = empty.look()
    expect(await verify(look)).toBe(0)
    expect(look.out).toEqual(['There are no runs to verify.'])
    await empty.remove()
  })
})
