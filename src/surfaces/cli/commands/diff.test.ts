import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blame } from './blame.ts'
import { diff } from './diff.ts'
import { log } from './log.ts'
import { task } from './task.ts'
import { git, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { plantedSecrets } from '../../../testing/planted-secrets.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 2 }).run('good')
})
afterAll(() => project.remove())

describe('pawl diff', () => {
  it('CLI-271 shows what the best iteration changed against the state before it', async () => {
    const look = project.look()
    expect(await diff(look, 'good')).toBe(0)
    expect(look.out.filter((line) => /^[+-][^+-]/.test(line))).toEqual(['+line 2'])
  })

  it('CLI-271 shows another iteration, or everything since the beginning, as a patch that git can apply', async () => {
    const one = project.look()
    await diff(one, 'good', '1')
    expect(one.out).toContain('+line 1')
    const total = project.look()
    await diff(total, 'good', undefined, { total: true })
    expect(total.out.filter((line) => /^[+-][^+-]/.test(line))).toEqual(['+line 1', '+line 2'])
    const patch = join(project.root, '.pawl', 'total.patch')
    writeFileSync(patch, `${total.out.join('\n')}\n`)
    git(project.root, 'apply', '--check', '--reverse', patch)
  })

  it('CLI-271 prints one JSON document with both snapshots', async () => {
    const look = project.look({ json: true })
    await diff(look, 'good', '2')
    expect(look.documents).toEqual([
      {
        run: 'good',
        iteration: 2,
        from: 'refs/pawl/good/1',
        to: 'refs/pawl/good/2',
        patch: expect.stringContaining('+line 2'),
        bytesCut: 0,
      },
    ])
  })

  it('CLI-272 an iteration there is not is refused with those there are', async () => {
    await expect(diff(project.look(), 'good', '7')).rejects.toMatchObject({
      code: 'usage.iteration',
      message: 'Run good has no tree of iteration 7: it has those of 0 to 2.',
    })
    await expect(diff(project.look(), 'good', '0')).rejects.toMatchObject({ code: 'usage.iteration' })
    await expect(diff(project.look(), 'good', 'two')).rejects.toMatchObject({ code: 'usage.iteration' })
  })

  it('CLI-515 an iteration that changed nothing names the command that shows the changes of the whole run', async () => {
    const flags = { agentCommand: 'true', check: ['false'], ask: false, id: 'idle', maxIterations: '1' }
    await task(project.look(), flags, ['Nothing happens'])
    const look = project.look()
    await diff(look, 'idle')
    expect(look.warned).toEqual(['Iteration 1 of run idle changed nothing. The whole run: pawl diff idle --total'])
  })

  it('CLI-403 a secret that an agent writes into a file is in the file, in the patch and in the blame, and nowhere else', async () => {
    const { secret = '' } = plantedSecrets().find(({ name }) => name === 'GitHub token') ?? {}
    const written = join(project.root, '.pawl', 'secret.txt')
    writeFileSync(written, `${secret}\n`)
    const flags = { agentCommand: `cp ${written} key.txt`, check: ['test -f key.txt'], ask: false, id: 'leak' }
    await task(project.look(), flags, ['There is a key'])
    const [patch, lines, told] = [project.look(), project.look(), project.look({ json: true })]
    await diff(patch, 'leak')
    await blame(lines, 'key.txt', 'leak')
    await log(told, 'leak', {})
    expect(patch.out).toContain(`+${secret}`)
    expect(lines.out.at(-1)).toContain(secret)
    expect(JSON.stringify(told.documents)).not.toContain(secret)
  })

  it('CLI-272 a snapshot that is gone is one clear sentence', async () => {
    git(project.root, 'update-ref', '-d', 'refs/pawl/good/1')
    await expect(diff(project.look(), 'good', '1')).rejects.toMatchObject({
      message: expect.stringContaining('There is no snapshot refs/pawl/good/1'),
    })
  })
})
