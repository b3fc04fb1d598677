import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { currentProcessIdentity } from '../../../process/process-identity.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { clean } from './clean.ts'
import { diff } from './diff.ts'
import { restore } from './restore.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 1, worktree: true }).run('done')
  await project.loop({ passesAt: 9, worktree: true }).run('open')
  await project.close()
})
afterAll(() => project.remove())

const place = (run: string): string => join(project.root, '.pawl/worktrees', run)

describe('pawl clean', () => {
  it('CLI-445 asks where something is in no snapshot, and without --yes removes nothing if nobody can be asked', async () => {
    writeFileSync(join(project.root, '.git/info/exclude'), '*.log\n')
    writeFileSync(join(place('done'), 'x.log'), 'l\n')
    await expect(clean(project.look(), [])).rejects.toMatchObject({
      code: 'usage.confirm',
      message: expect.stringContaining('done: x.log, which git ignores'),
    })
    const look = project.look({ live: true })
    expect(await clean(look, [], { confirm: async () => false })).toBe(130)
    expect(look.out).toEqual(['Nothing was removed.'])
    expect(existsSync(place('done'))).toBe(true)
  })

  it('CLI-443 removes the worktrees of runs that are over and says what became of the others', async () => {
    const look = project.look()
    expect(await clean(look, [], { yes: true })).toBe(0)
    expect(look.out).toEqual([
      `Removed ${place('done')}; its files are kept as refs/pawl/done/1.`,
      'Left open: it is not over (escalated); to remove it all the same: pawl clean open',
    ])
    expect([existsSync(place('done')), existsSync(place('open'))]).toEqual([false, true])
  })

  it('CLI-446 diff and restore work without the worktree, and restore makes it again', async () => {
    const look = project.look()
    expect(await diff(look, 'done', undefined, { total: true })).toBe(0)
    expect(look.out).toContain('+line 1')
    const restored = project.look()
    expect(await restore(restored, 'done', '0', { yes: true })).toBe(0)
    expect(readFileSync(join(place('done'), 'work.txt'), 'utf8')).toBe('nothing yet\n')
  })

  it('CLI-444 removes those of named runs that are open too, but not while a process drives them', async () => {
    vi.stubEnv('PAWL_RUN', 'open')
    await expect(clean(project.look(), ['open'])).rejects.toMatchObject({ code: 'run.own-work' })
    vi.unstubAllEnvs()
    const store = sqliteStore({ path: project.storePath })
    const claimed = await store.claim('open', currentProcessIdentity())
    const refused = project.look({ json: true })
    expect(await clean(refused, ['open'])).toBe(6)
    expect(refused.documents).toMatchObject([
      { removed: [], left: [{ run: 'open', reason: expect.stringContaining('drives it now') }] },
    ])
    if (claimed.status === 'claimed') await store.release(claimed.claim)
    await store.close()
    const look = project.look({ json: true })
    expect(await clean(look, ['open', 'done'])).toBe(0)
    expect(look.documents).toMatchObject([
      { removed: [{ run: 'open', folder: place('open'), keptAs: 'refs/pawl/open/3' }, { run: 'done' }], left: [] },
    ])
    const again = project.look()
    expect(await clean(again, ['open'])).toBe(0)
    expect(again.out).toEqual(['Left open: it has no worktree'])
    const none = project.look()
    expect(await clean(none, [])).toBe(0)
    expect(none.out).toEqual(['There are no worktrees of runs.'])
    await expect(clean(project.look(), ['nobody'])).rejects.toMatchObject({ code: 'run.unknown' })
  })
})
