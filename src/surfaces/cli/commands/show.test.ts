import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { currentProcessIdentity } from '../../../process/process-identity.ts'
import type { RunView } from '../../../present/run-view.ts'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { show } from './show.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject({ isGit: false })
  await project.seed({ run: 'good', failing: [3, 1, 0] })
  await project.loop({ passesAt: 9, goal: 'Never enough' }).run('stuck')
})
afterAll(() => project.remove())

describe('pawl show', () => {
  it('CLI-223 shows a real run: why, its table, its question', async () => {
    const look = project.look({ columns: 80 })
    expect(await show(look, 'stuck')).toBe(0)
    const text = look.out.join('\n')
    expect(text).toContain('stuck  escalated - pawl answer stuck')
    expect(text).toContain('Guard       maxIterations: 3 iterations done, and the maximum is 3.')
    expect(text).toMatch(/ 3 {2}failed +1 → 1 {6}1 .* \$0\.02 {2}Wrote line 3\./)
    expect(text).toContain('Answer      pawl answer stuck 1')
  })

  it('CLI-223 prints the view as one JSON document', async () => {
    const look = project.look({ json: true })
    await show(look, 'good')
    const [view] = look.documents as [RunView]
    expect(view).toMatchObject({ run: 'good', status: 'completed', best: { iteration: 2, passed: true } })
    expect(view.iterations.map(({ snapshot }) => snapshot)).toEqual(['refs/pawl/good/1', 'refs/pawl/good/2'])
  })

  it('CLI-224 names the live process that drives the run, without disturbing it', async () => {
    const store = sqliteStore({ path: project.storePath })
    const self = currentProcessIdentity()
    const claimed = await store.claim('stuck', self)
    const look = project.look()
    await show(look, 'stuck')
    expect(look.out).toContain(`Driven by   process ${self.pid} on ${self.host}`)
    expect(claimed.status === 'claimed' && (await store.renew(claimed.claim))).toBe(true)
    if (claimed.status === 'claimed') await store.release(claimed.claim)
    await store.close()
    const after = project.look()
    await show(after, 'stuck')
    expect(after.out).toContain('Driven by   nobody now')
  })

  it('CLI-204 an unknown run is refused with the names of runs there are', async () => {
    await expect(show(project.look(), 'lost')).rejects.toMatchObject({
      code: 'run.unknown',
      message: expect.stringContaining('stuck'),
    })
  })
})
