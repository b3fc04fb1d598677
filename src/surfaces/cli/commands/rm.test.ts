import { expect, it, onTestFinished } from 'vitest'
import { testProject } from '../../../../test/support/cli-project.ts'
import { ls } from './ls.ts'
import { prune, rm } from './rm.ts'

it('KEEP-5 nothing is removed without --yes if nobody can be asked, and a run with a question only with --yes', async () => {
  const project = testProject()
  onTestFinished(() => project.remove())
  await project.loop({ passesAt: 1 }).run('done')
  await project.loop({ passesAt: 9 }).run('asks')
  await project.close()
  const refused = { code: 'usage.confirm', message: expect.stringContaining('add --yes if nobody can be asked') }
  await expect(rm(project.look(), ['done'])).rejects.toMatchObject(refused)
  await expect(rm(project.look({ json: true }), ['done'])).rejects.toMatchObject(refused)
  await expect(prune(project.look(), { olderThan: '0d' })).rejects.toMatchObject(refused)
  const live = { ...project.look({ live: true }) }
  await expect(rm(live, ['asks'], { confirm: async () => true })).rejects.toMatchObject({
    code: 'usage.confirm',
    message: expect.stringContaining('pawl rm asks --yes'),
  })
  // Enter alone takes the answer that the prompt begins with.
  expect(await rm(live, ['done'], { confirm: async (_message, isYes) => isYes })).toBe(130)
  const listed = project.look()
  await ls(listed, {})
  expect(listed.out.join('\n')).toMatch(/asks[^]*done|done[^]*asks/)
  expect(await rm(project.look(), ['done', 'asks'], { yes: true })).toBe(0)
})
