import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { text } from './text.ts'

let project: TestProject

beforeEach(() => {
  project = testProject({ isGit: false })
})

afterEach(() => project.remove())

describe('text', () => {
  it('CLI-254 prints the texts an event refers to, whole, and as one document with --json', async () => {
    const loop = project.loop({ passesAt: 1 })
    await loop.run('r')
    const events = await loop.events('r')
    const started = events.find((event) => event.type === 'work.started')
    await project.close()
    const look = project.look()
    expect(await text(look, 'r', String(started?.seq))).toBe(0)
    expect(look.out.join('\n')).toContain('# Goal')
    const json = project.look({ json: true })
    await text(json, 'r', String(started?.seq))
    expect(json.documents).toMatchObject([{ brief: expect.stringContaining('# Goal') }])
    await expect(text(look, 'r', '999')).rejects.toThrow('Run r has no event 999; pawl log r lists them.')
    await text(look, 'r', '1')
    expect(look.warned.join()).toContain('Event 1 (run.started) refers to no text.')
  })
})
