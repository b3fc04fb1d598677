import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sqliteStore } from '../../../stores/sqlite-store.ts'
import { currentProcessIdentity, identityOf } from '../../../process/process-identity.ts'
import { git, testProject, type TestProject } from '../../../../test/support/cli-project.ts'
import { restore } from './restore.ts'
import { show } from './show.ts'

let project: TestProject

beforeAll(async () => {
  project = testProject()
  await project.loop({ passesAt: 2 }).run('good')
})
afterAll(() => project.remove())

const work = (): string => readFileSync(join(project.root, 'work.txt'), 'utf8')

describe('pawl restore', () => {
  it('CLI-280 makes the files those of the best iteration, saves what was there, and says how to get it back', async () => {
    writeFileSync(join(project.root, 'work.txt'), 'my own edit\n')
    const look = project.look()
    expect(await restore(look, 'good', undefined, { yes: true })).toBe(0)
    expect(work()).toBe('nothing yet\nline 1\nline 2\n')
    const text = look.out.join('\n')
    expect(text).toContain('Restore the best so far, iteration 2: all checks passed')
    expect(text).toContain('Get them back: pawl restore good saved-1')
    expect(text).toMatch(/By hand: git -C .*saved-1/)
    expect(await restore(project.look(), 'good', 'saved-1', { yes: true })).toBe(0)
    expect(work()).toBe('my own edit\n')
  })

  it('CLI-280 takes any iteration, 0 being the state before any work, and says when nothing had to be changed', async () => {
    await restore(project.look(), 'good', '0', { yes: true })
    expect(work()).toBe('nothing yet\n')
    const again = project.look({ json: true })
    await restore(again, 'good', '0', { yes: true })
    expect(again.documents).toEqual([
      { status: 'unchanged', run: 'good', iteration: 0, snapshot: 'refs/pawl/good/0', cwd: project.root },
    ])
    await expect(restore(project.look(), 'good', 'saved-99', { yes: true })).rejects.toMatchObject({
      message: expect.stringContaining('There is no snapshot'),
    })
    await expect(restore(project.look(), 'good', 'nonsense', { yes: true })).rejects.toMatchObject({ code: 'usage.iteration' })
  })

  it('CLI-518 pawl show lists every tree that was saved', async () => {
    const look = project.look()
    await show(look, 'good')
    expect(look.out).toEqual(
      expect.arrayContaining([1, 2, 3].map((n) => `  saved-${n}: get it back with pawl restore good saved-${n}`)),
    )
  })

  it('CLI-442 says how many files it changes, and names the first', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(project.root, `${name}.js`), 'x\n')
    const look = project.look()
    await restore(look, 'good', '0', { yes: true })
    expect(look.out.join('\n')).toContain('It changes 3 files: a.js (removed), b.js (removed), c.js (removed).')
    expect(look.out.join('\n')).toContain(`Restored 3 files (a.js, b.js, c.js) in ${project.root}.`)
  })

  it('CLI-519 says before it asks that newer files are removed too, and how to get back only those', async () => {
    await restore(project.look(), 'good', '2', { yes: true })
    writeFileSync(join(project.root, 'my notes.md'), 'mine\n')
    const asked = project.look({ live: true })
    expect(await restore(asked, 'good', '0', { confirm: async () => false })).toBe(130)
    expect(asked.warned.join()).toContain('my notes.md is newer than the run and will be removed too.')
    const look = project.look()
    await restore(look, 'good', '0', { yes: true })
    const line = look.out.find((each) => each.startsWith('Get back only my notes.md: ')) ?? ''
    execFileSync('/bin/sh', ['-c', line.slice(line.indexOf(': ') + 2)])
    expect(readFileSync(join(project.root, 'my notes.md'), 'utf8')).toBe('mine\n')
    expect(work()).toBe('nothing yet\n')
    rmSync(join(project.root, 'my notes.md'))
  })

  it('CLI-281 appends nothing to the journal', async () => {
    const store = sqliteStore({ path: project.storePath })
    const before = await store.read('good')
    await restore(project.look(), 'good', '1', { yes: true })
    expect(await store.read('good')).toEqual(before)
    await store.close()
  })

  it('CLI-282 asks first where a person looks, and refuses without --yes if nobody does', async () => {
    await restore(project.look(), 'good', '1', { yes: true })
    await expect(restore(project.look(), 'good', '0')).rejects.toMatchObject({ code: 'usage.confirm' })
    const look = project.look({ live: true })
    expect(await restore(look, 'good', '0', { confirm: async () => false })).toBe(130)
    expect(look.out).toContain('Nothing was changed.')
    expect(work()).toBe('nothing yet\nline 1\n')
    expect(await restore(project.look({ live: true }), 'good', '0', { confirm: async () => true })).toBe(0)
    expect(work()).toBe('nothing yet\n')
  })

  it('CLI-440 says that another branch is checked out, before it asks and with --yes, and then obeys', async () => {
    await restore(project.look(), 'good', '2', { yes: true })
    const branch = git(project.root, 'branch', '--show-current').trim()
    git(project.root, 'switch', '--quiet', '--create', 'other')
    writeFileSync(join(project.root, 'other.txt'), 'o\n')
    git(project.root, 'add', 'other.txt')
    git(project.root, '-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '--quiet', '--message', 'Other')
    const asked = project.look({ live: true })
    expect(await restore(asked, 'good', '0', { confirm: async () => false })).toBe(130)
    expect(asked.warned.join()).toContain(`other now, ${branch} then`)
    const told = project.look({ json: true })
    expect(await restore(told, 'good', '0', { yes: true })).toBe(0)
    expect(told.documents).toMatchObject([
      { status: 'restored', otherBranch: { was: branch, now: 'other', command: `git switch ${branch}` } },
    ])
    expect(work()).toBe('nothing yet\n')
    git(project.root, 'switch', '--quiet', branch)
  })

  it('CLI-283 refuses while a live process drives the run, and leaves the claim free afterwards', async () => {
    const store = sqliteStore({ path: project.storePath })
    const claimed = await store.claim('good', currentProcessIdentity())
    const look = project.look()
    expect(await restore(look, 'good', '2', { yes: true })).toBe(6)
    expect(look.warned[0]).toContain('drives run good now')
    expect(work()).toBe('nothing yet\n')
    if (claimed.status === 'claimed') await store.release(claimed.claim)
    expect(await restore(project.look(), 'good', '2', { yes: true })).toBe(0)
    expect(await store.claim('good', currentProcessIdentity())).toMatchObject({ status: 'claimed' })
    await store.close()
  })

  it('CLI-283 refuses while the agent of a dead runner is still at work', async () => {
    const agent = spawn('sleep', ['60'], { stdio: 'ignore', env: {} })
    onTestFinished(() => void agent.kill('SIGKILL'))
    await once(agent, 'spawn')
    const atWork = identityOf(agent.pid ?? 0)
    if (!atWork) throw new Error('the agent cannot be seen')
    const store = sqliteStore({ path: project.storePath })
    await project.seed({ run: 'orphaned', failing: [3, 2, 2, 2] })
    await store.append('orphaned', [
      { type: 'escalation.answered', at: Date.now(), by: { role: 'person' }, data: { choice: '1' } },
    ])
    const claimed = await store.claim('orphaned', currentProcessIdentity())
    if (claimed.status !== 'claimed') throw new Error('not free')
    const { length } = await store.read('orphaned')
    const brief = await store.putText({ text: 'Go on.', bytesCut: 0 })
    const data = { key: '4/coder/0', iteration: 4, role: 'coder', brief, process: atWork }
    await store.append('orphaned', [{ type: 'work.started', at: Date.now(), by: { role: 'agent' }, data }], {
      claim: claimed.claim,
      expectedSeq: length,
    })
    await store.release(claimed.claim)
    await store.close()
    await expect(restore(project.look(), 'orphaned', '1', { yes: true })).rejects.toMatchObject({ code: 'run.at-work' })
  })
})
